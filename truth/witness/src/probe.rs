//! Reads that leave no trace in the page cache.

use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;

/// Direct I/O wants offset, length and memory on multiples of the logical block; 4 KiB serves all but the rarest.
const ALIGN: usize = 4096;

/// A file or device opened for looking at it.
///
/// It reads around the page cache, so that looking neither warms the cache for a buffered test nor shows what the
/// cache holds in place of the device. Where direct I/O is refused (some file systems, blocks above 4 KiB) it goes
/// through the cache.
#[derive(Debug)]
pub struct Probe {
    file: File,
    buffer: Vec<u8>,
}

impl Probe {
    /// Opens `path` for reading.
    pub fn open(path: &Path) -> io::Result<Self> {
        let direct = OFlags::DIRECT.bits() as i32;
        Probe::of(|is_direct| match is_direct {
            true => OpenOptions::new()
                .read(true)
                .custom_flags(direct)
                .open(path),
            false => File::open(path),
        })
    }

    /// What `open` opens for reading, around the page cache where it is asked to and can.
    pub fn of(open: impl Fn(bool) -> io::Result<File>) -> io::Result<Self> {
        let file = match open(true) {
            Err(error) if error.kind() == io::ErrorKind::InvalidInput => open(false)?,
            opened => opened?,
        };
        Ok(Probe {
            file,
            buffer: Vec::new(),
        })
    }

    /// The opened file.
    pub fn file(&self) -> &File {
        &self.file
    }

    /// `length` bytes from `offset`, fewer at the end.
    pub fn read(&mut self, offset: u64, length: usize) -> io::Result<&[u8]> {
        let lead = (offset % ALIGN as u64) as usize;
        let wanted = (lead + length).next_multiple_of(ALIGN);
        if self.buffer.len() < wanted + ALIGN {
            self.buffer.resize(wanted + ALIGN, 0);
        }
        let skip = self.buffer.as_ptr().align_offset(ALIGN);
        let got = self.fill(skip, wanted, offset - lead as u64)?;
        let end = got.min(lead + length).max(lead);
        Ok(&self.buffer[skip + lead..skip + end])
    }

    fn fill(&mut self, skip: usize, wanted: usize, offset: u64) -> io::Result<usize> {
        let mut got = 0;
        while got < wanted {
            let target = &mut self.buffer[skip + got..skip + wanted];
            match self.file.read_at(target, offset + got as u64) {
                Ok(0) => break,
                Ok(count) => got += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error)
                    if error.kind() == io::ErrorKind::InvalidInput && self.is_direct()? =>
                {
                    self.go_buffered()?
                }
                Err(error) => return Err(error),
            }
            // A direct read that ends off the grid has met the end; to ask on would be refused.
            if got % ALIGN != 0 && self.is_direct()? {
                break;
            }
        }
        Ok(got)
    }

    fn is_direct(&self) -> io::Result<bool> {
        Ok(fcntl_getfl(&self.file)?.contains(OFlags::DIRECT))
    }

    fn go_buffered(&self) -> io::Result<()> {
        let flags = fcntl_getfl(&self.file)?;
        Ok(fcntl_setfl(&self.file, flags - OFlags::DIRECT)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_offset_and_length_can_be_read_and_the_end_is_short() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let content: Vec<u8> = (0..10_000u32).map(|i| (i % 251) as u8).collect();
        std::fs::write(&path, &content).unwrap();
        let mut probe = Probe::open(&path).unwrap();
        for (offset, length) in [
            (0usize, 4096usize),
            (1, 1),
            (4095, 2),
            (5000, 5000),
            (9_999, 100),
        ] {
            let end = (offset + length).min(content.len());
            assert_eq!(
                probe.read(offset as u64, length).unwrap(),
                &content[offset..end]
            );
        }
        assert!(probe.read(20_000, 10).unwrap().is_empty());
    }
}
