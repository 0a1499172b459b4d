//! Roots that were made or marked, and become as they were where nothing is done below them: another target of the plan was refused, or
//! another host.

use super::ATTRIBUTE;
use rustix::fs::{AtFlags, Dir, fremovexattr, unlinkat};
use std::ffi::OsString;
use std::fs::File;
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicBool, Ordering};

/// What was made of a root; undone when it is dropped, unless it is kept.
#[derive(Debug)]
pub(super) struct Made {
    what: What,
    is_kept: AtomicBool,
}

#[derive(Debug)]
enum What {
    /// The directory, of this name in a folder.
    Root(OwnedFd, OsString),
    /// The mark of one that was there.
    Mark(File),
}

impl Made {
    pub(super) fn root(folder: OwnedFd, name: OsString) -> Self {
        Made {
            what: What::Root(folder, name),
            is_kept: AtomicBool::new(false),
        }
    }

    pub(super) fn mark(root: File) -> Self {
        Made {
            what: What::Mark(root),
            is_kept: AtomicBool::new(false),
        }
    }

    pub(super) fn keep(&self) {
        self.is_kept.store(true, Ordering::Relaxed);
    }
}

impl Drop for Made {
    fn drop(&mut self) {
        if *self.is_kept.get_mut() {
            return;
        }
        // A directory that somebody has put something into stays, with its mark.
        let _ = match &self.what {
            What::Root(folder, name) => unlinkat(folder, name, AtFlags::REMOVEDIR),
            What::Mark(root) if is_empty(root) => fremovexattr(root, ATTRIBUTE),
            What::Mark(_) => Ok(()),
        };
    }
}

fn is_empty(folder: &File) -> bool {
    let is_name = |entry: rustix::io::Result<rustix::fs::DirEntry>| {
        entry.is_ok_and(|entry| {
            ![".", ".."]
                .map(str::as_bytes)
                .contains(&entry.file_name().to_bytes())
        })
    };
    Dir::read_from(folder).is_ok_and(|names| !names.into_iter().any(is_name))
}
