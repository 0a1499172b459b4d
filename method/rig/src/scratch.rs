//! Folder for the temporary files of other programs.

use rustix::fs::{FlockOperation, Mode, OFlags, flock, open};
use std::fs::{File, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use tempfile::TempDir;

/// Beginning of its name.
const PREFIX: &str = "plimsoll-scratch-";

/// A folder for temporary files, which goes with this. It is locked: one that nobody has locked is that of a process that was killed.
#[derive(Debug)]
pub(crate) struct Scratch {
    /// It goes before the lock does.
    folder: TempDir,
    /// `None` where the file system keeps no locks; there nothing is removed.
    _lock: Option<File>,
}

impl Scratch {
    /// Makes one in the folder for temporary files, and removes those that were left there.
    pub fn new() -> io::Result<Self> {
        Scratch::within(&std::env::temp_dir())
    }

    fn within(all: &Path) -> io::Result<Self> {
        remove_left(all);
        loop {
            let folder = tempfile::Builder::new().prefix(PREFIX).tempdir_in(all)?;
            let lock = lock(folder.path(), FlockOperation::LockExclusive);
            // Another Plimsoll may have taken it for one that was left, as long as it was not locked.
            if lock.is_some() || folder.path().exists() {
                return Ok(Scratch {
                    folder,
                    _lock: lock,
                });
            }
        }
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// Removes this user's folders that nobody has locked. What cannot be removed stays: it is in nobody's way.
fn remove_left(all: &Path) {
    let Ok(entries) = all.read_dir() else { return };
    for entry in entries.flatten() {
        let is_one = entry
            .file_name()
            .as_encoded_bytes()
            .starts_with(PREFIX.as_bytes());
        if let Some(_lock) = is_one
            .then(|| lock(&entry.path(), FlockOperation::NonBlockingLockExclusive))
            .flatten()
        {
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}

/// Lock on a folder of this user's; `None` where somebody has it, or the name leads elsewhere.
fn lock(path: &Path, how: FlockOperation) -> Option<File> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let folder = File::from(open(path, flags, Mode::empty()).ok()?);
    flock(&folder, how).ok()?;
    let is_same = |locked: &Metadata, named: Metadata| {
        (locked.dev(), locked.ino()) == (named.dev(), named.ino())
    };
    let locked = folder.metadata().ok()?;
    let is_own = locked.uid() == rustix::process::geteuid().as_raw();
    (is_own
        && path
            .symlink_metadata()
            .is_ok_and(|named| is_same(&locked, named)))
    .then_some(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_of_a_process_that_was_killed_goes_and_one_in_use_stays() {
        let all = tempfile::tempdir().expect("a folder");
        let in_use = Scratch::within(all.path()).expect("made");
        let left = all.path().join("plimsoll-scratch-left");
        std::fs::create_dir_all(left.join("below")).expect("a folder");
        std::fs::write(left.join("below/file"), "x").expect("a file");
        let other = all.path().join("scratch");
        std::fs::create_dir(&other).expect("a folder");
        let elsewhere = all.path().join("plimsoll-scratch-link");
        std::os::unix::fs::symlink(&other, &elsewhere).expect("a link");
        let next = Scratch::within(all.path()).expect("made");
        assert!(!left.exists(), "nobody has it locked");
        for there in [in_use.path(), next.path(), &other, &elsewhere] {
            assert!(there.exists(), "{}", there.display());
        }
        let path = in_use.path().to_path_buf();
        drop(in_use);
        assert!(!path.exists());
    }
}
