//! The marks on files that Plimsoll wrote: extended attributes, so that it may replace them unasked.
//!
//! A mark holds the file's inode number and the time of its birth, so a copy carries none, and that of a page or an export its size and the time of
//! its last change, so a later edit voids it. Where a file system keeps no such attributes there is no mark.

use super::found::Found;
use crate::birth::birth;
use rustix::fs::{Stat, XattrFlags, fsetxattr, fstat, getxattr};
use std::fs::File;
use std::os::fd::AsFd;

/// What the mark says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mark {
    /// Plimsoll wrote all of it, and nobody else has written to it.
    Written,
    /// A lab made it to keep its data in, and writes to it.
    Backing,
}

impl Mark {
    fn attribute(self) -> &'static str {
        match self {
            Mark::Written => "user.plimsoll.written",
            Mark::Backing => "user.plimsoll.backing",
        }
    }

    fn value(self, stat: &Stat, file: impl AsFd) -> String {
        let born = birth(file);
        match self {
            Mark::Written => format!(
                "inode {}{born}, {} bytes, changed {}.{:09}",
                stat.st_ino, stat.st_size, stat.st_mtime, stat.st_mtime_nsec
            ),
            Mark::Backing => format!("inode {}{born}", stat.st_ino),
        }
    }

    /// Marks a file as it is now, where that can be done. Without its mark the next command asks for `--overwrite`;
    /// that's no reason not to write now.
    pub(crate) fn set(self, file: &File) {
        if let Ok(stat) = fstat(file) {
            let value = self.value(&stat, file);
            let _ = fsetxattr(
                file,
                self.attribute(),
                value.as_bytes(),
                XattrFlags::empty(),
            );
        }
    }

    /// True where the file has this mark and is as it was marked. A mark that cannot be read is none.
    pub(crate) fn is_on(self, found: &Found) -> bool {
        let mut buffer = [0u8; 192];
        match getxattr(found.path(), self.attribute(), &mut buffer[..]) {
            Ok(length) => buffer[..length] == *self.value(found.stat(), found.handle()).as_bytes(),
            Err(_) => false,
        }
    }
}
