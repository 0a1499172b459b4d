//! The bytes: thin and without duplicates in memory, or in a sparse file.

mod extents;
mod file;
mod memory;
mod pool;

use plimsoll_content::Identity;
use plimsoll_permit::Refusal;
use plimsoll_permit::output::{BackingPermit, OutputError};
use std::ops::Range;
use std::path::PathBuf;

pub(crate) use file::FileStore;
pub(crate) use memory::MemoryStore;

/// Bytes of a chunk, the array's unit.
pub(crate) const CHUNK: usize = plimsoll_array::CHUNK as usize;

/// What a stretch of a LUN is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ExtentKind {
    /// Takes no space and reads as zeros.
    Hole,
    /// Zeros that were written.
    Zero,
    /// Data.
    Data,
}

/// A stretch of a LUN that is all of one kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Run {
    pub len: u64,
    pub kind: ExtentKind,
}

/// Why data cannot be kept.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The memory for data is used up.
    #[error("the memory for data is full")]
    Full,
    /// The backing file may not be written.
    #[error("backing file {0}")]
    Refused(Refusal),
    /// The backing file does not work.
    #[error("backing file {path}: {why}")]
    File {
        /// Which.
        path: PathBuf,
        /// What the system says.
        why: std::io::Error,
    },
    /// The backing file belongs to an array of another size.
    #[error(
        "backing file {path} has {found} bytes, but the array has {wanted}; give it the size and the scale that it was made with"
    )]
    OtherSize {
        /// Which.
        path: PathBuf,
        /// Its length, bytes.
        found: u64,
        /// What it has to be.
        wanted: u64,
    },
}

impl From<OutputError> for StoreError {
    fn from(error: OutputError) -> Self {
        match error {
            OutputError::Refused(refusal) => StoreError::Refused(refusal),
            OutputError::System { path, source } => StoreError::File { path, why: source },
        }
    }
}

/// Where the data is.
#[derive(Debug)]
pub(crate) enum Store {
    Memory(MemoryStore),
    File(FileStore),
}

impl Store {
    /// In memory, at most so many bytes.
    pub(crate) fn in_memory(luns: usize, limit: u64) -> Self {
        Store::Memory(MemoryStore::new(luns, limit))
    }

    /// In a file, which is made when there is none.
    pub(crate) fn in_file(
        permit: BackingPermit,
        luns: usize,
        lun_bytes: u64,
    ) -> Result<Self, StoreError> {
        Ok(Store::File(FileStore::open(permit, luns, lun_bytes)?))
    }

    /// Fills `buffer` from `offset` on.
    #[inline]
    pub(crate) fn read(&self, lun: u32, offset: u64, buffer: &mut [u8]) -> Result<(), StoreError> {
        match self {
            Store::Memory(store) => {
                store.read(lun, offset, buffer);
                Ok(())
            }
            Store::File(store) => store.read(lun, offset, buffer),
        }
    }

    /// Stores bytes. `blocks` has the identity of each chunk that they cover in part or whole, in order; those of the
    /// ones covered in part don't count.
    pub(crate) fn write(
        &self,
        lun: u32,
        offset: u64,
        bytes: &[u8],
        blocks: &[Identity],
    ) -> Result<(), StoreError> {
        match self {
            Store::Memory(store) => store.write(lun, offset, bytes, blocks),
            Store::File(store) => store.write(lun, offset, bytes),
        }
    }

    /// Makes a range read as zeros: as a hole where that is whole chunks and `keep` does not ask for zeros that take
    /// space.
    pub(crate) fn zero(&self, lun: u32, range: Range<u64>, keep: bool) -> Result<(), StoreError> {
        match self {
            Store::Memory(store) => store.zero(lun, range, keep),
            Store::File(store) => store.zero(lun, range, keep),
        }
    }

    /// Nobody writes any more: what is durable is as it stays.
    pub(crate) fn end(&self) {
        if let Store::File(store) = self {
            store.end();
        }
    }

    /// Makes what was stored survive whatever it can survive here.
    pub(crate) fn flush(&self) -> Result<(), StoreError> {
        match self {
            Store::Memory(_) => Ok(()),
            Store::File(store) => store.flush(),
        }
    }

    /// What a range begins with, and how far that goes; at most to the range's end.
    #[inline]
    pub(crate) fn run(&self, lun: u32, range: Range<u64>) -> Result<Run, StoreError> {
        match self {
            Store::Memory(store) => Ok(store.run(lun, range)),
            Store::File(store) => store.run(lun, range),
        }
    }

    /// Looking for holes is worth it also when they only save sending zeros.
    pub(crate) fn finds_holes_quickly(&self) -> bool {
        matches!(self, Store::Memory(_))
    }

    /// Bytes of different data that are held.
    pub(crate) fn held_bytes(&self) -> Option<u64> {
        match self {
            Store::Memory(store) => Some(store.held_bytes()),
            Store::File(_) => None,
        }
    }

    /// Bytes that may be.
    pub(crate) fn limit_bytes(&self) -> Option<u64> {
        match self {
            Store::Memory(store) => Some(store.limit_bytes()),
            Store::File(_) => None,
        }
    }
}

/// The chunks that a range touches, one after the other: (chunk, where in it the range starts and ends).
fn pieces(range: Range<u64>) -> impl Iterator<Item = (u64, Range<usize>)> {
    let chunk = CHUNK as u64;
    let mut at = range.start;
    std::iter::from_fn(move || {
        (at < range.end).then(|| {
            let number = at / chunk;
            let start = at % chunk;
            let end = (range.end - number * chunk).min(chunk);
            at = number * chunk + end;
            (number, start as usize..end as usize)
        })
    })
}
