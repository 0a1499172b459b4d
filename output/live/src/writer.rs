//! The writer of a record, and whether there still is one.

use plimsoll_witness::locks;
use std::fs::File;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The byte of the index that SQLite keeps locked as long as it uses the index (UNIX_SHM_DMS in os_unix.c). A program that only reads
/// locks it too, but only where another already does; other bytes are locked even by a program that reads what nobody writes.
const IN_USE: i64 = 128;

/// The index beside a record's log, on which SQLite holds a lock as long as anybody writes the record.
#[derive(Debug)]
pub(crate) struct Writer {
    index: PathBuf,
    /// Kept open: to close it would drop the locks that this process itself has on the file.
    open: Option<(u64, File)>,
}

impl Writer {
    /// Writer of a record.
    pub(crate) fn of(record: &Path) -> Self {
        let record = std::fs::canonicalize(record).unwrap_or_else(|_| record.into());
        let mut index = record.into_os_string();
        index.push("-shm");
        Writer {
            index: index.into(),
            open: None,
        }
    }

    /// True where a program has the record open to write it, as far as can be told.
    pub(crate) fn is_there(&mut self) -> bool {
        let Ok(there) = std::fs::symlink_metadata(&self.index) else {
            return false;
        };
        if !there.is_file() {
            return false;
        }
        if self
            .open
            .as_ref()
            .is_none_or(|(inode, _)| *inode != there.ino())
        {
            self.open = File::open(&self.index).ok().map(|file| (there.ino(), file));
        }
        match &self.open {
            Some((_, file)) => locks::is_locked_at(file, IN_USE, 1),
            // Of another user, whose files cannot be asked: it is not said to be dead.
            None => true,
        }
    }
}
