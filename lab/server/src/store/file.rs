//! Data in a sparse file, all LUNs after one another.

use super::{CHUNK, ExtentKind, Run, StoreError};
use plimsoll_permit::output::{BackingFile, BackingPermit};
use rustix::fs::{FallocateFlags, SeekFrom, fallocate, seek};
use rustix::io::Errno;
use std::fs::File;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Data in a file.
#[derive(Debug)]
pub(crate) struct FileStore {
    path: PathBuf,
    file: BackingFile,
    /// The same file, for finding holes: that moves the position.
    finder: Mutex<File>,
    lun_bytes: u64,
}

impl FileStore {
    /// Opens a file of the right length, or makes one.
    pub(crate) fn open(
        permit: BackingPermit,
        luns: usize,
        lun_bytes: u64,
    ) -> Result<Self, StoreError> {
        let path = permit.path().to_owned();
        let (found, wanted) = (permit.len(), lun_bytes * luns as u64);
        if found != 0 && found != wanted {
            return Err(StoreError::OtherSize {
                path,
                found,
                wanted,
            });
        }
        let file = permit.open()?;
        let ready = || {
            if found == 0 {
                file.set_len(wanted)?;
            }
            // Reading and writing have offsets of their own and leave the position alone.
            file.try_clone()
        };
        let finder = ready().map_err(|why| at(&path, why))?;
        Ok(FileStore {
            path,
            file,
            finder: Mutex::new(finder),
            lun_bytes,
        })
    }

    pub(crate) fn read(&self, lun: u32, offset: u64, buffer: &mut [u8]) -> Result<(), StoreError> {
        let place = self.place(lun, offset);
        self.naming_file(self.file.read_exact_at(buffer, place))
    }

    pub(crate) fn write(&self, lun: u32, offset: u64, bytes: &[u8]) -> Result<(), StoreError> {
        let place = self.place(lun, offset);
        self.naming_file(self.file.write_all_at(bytes, place))
    }

    pub(crate) fn zero(&self, lun: u32, range: Range<u64>, keep: bool) -> Result<(), StoreError> {
        let mode = if keep {
            FallocateFlags::ZERO_RANGE
        } else {
            FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE
        };
        let place = self.place(lun, range.start);
        match fallocate(&*self.file, mode, place, range.end - range.start) {
            // Not every file system can; all of them can store zeros.
            Err(Errno::NOTSUP) => self.write_zeros(lun, range),
            other => self.naming_file(other.map_err(Into::into)),
        }
    }

    pub(crate) fn flush(&self) -> Result<(), StoreError> {
        self.naming_file(self.file.sync_data())
    }

    /// Nobody writes any more.
    pub(crate) fn end(&self) {
        self.file.end();
    }

    pub(crate) fn run(&self, lun: u32, range: Range<u64>) -> Result<Run, StoreError> {
        let [start, end] = [range.start, range.end].map(|offset| self.place(lun, offset));
        let finder = self.finder.lock().unwrap_or_else(PoisonError::into_inner);
        let next = |what| match seek(&*finder, what) {
            // There is nothing of that kind up to the file's end.
            Err(Errno::NXIO) => Ok(end),
            other => self.naming_file(other.map_err(Into::into)),
        };
        let data = next(SeekFrom::Data(start))?.min(end);
        if data > start {
            let kind = ExtentKind::Hole;
            let len = data - start;
            return Ok(Run { len, kind });
        }
        let hole = next(SeekFrom::Hole(start))?.min(end);
        Ok(Run {
            len: hole - start,
            kind: ExtentKind::Data,
        })
    }

    fn write_zeros(&self, lun: u32, range: Range<u64>) -> Result<(), StoreError> {
        static ZEROS: [u8; 16 * CHUNK] = [0; 16 * CHUNK];
        let mut at = range.start;
        while at < range.end {
            let len = (range.end - at).min(ZEROS.len() as u64);
            self.write(lun, at, &ZEROS[..len as usize])?;
            at += len;
        }
        Ok(())
    }

    fn place(&self, lun: u32, offset: u64) -> u64 {
        u64::from(lun) * self.lun_bytes + offset
    }

    fn naming_file<T>(&self, result: std::io::Result<T>) -> Result<T, StoreError> {
        result.map_err(|why| at(&self.path, why))
    }
}

fn at(path: &Path, why: std::io::Error) -> StoreError {
    let path = path.to_owned();
    StoreError::File { path, why }
}
