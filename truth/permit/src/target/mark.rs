//! The mark on files that Plimsoll made: an extended attribute, so that it may write to them again unasked.
//!
//! The mark holds the file's inode number and the time of its birth: a copy that took the attribute along (`cp -a`, a
//! restored backup) isn't a file that Plimsoll made, also where it has the same number on another file system.

use crate::birth::birth;
use rustix::fs::{XattrFlags, fgetxattr, fsetxattr};
use rustix::io::Errno;
use std::fs::File;
use std::io;
use std::os::unix::fs::MetadataExt;

/// The attribute's name.
pub const ATTRIBUTE: &str = "user.plimsoll";

/// Marks `file` as made by Plimsoll. `false`: the file system keeps no such attributes, and the next run will ask for
/// `--destroy`.
pub fn set(file: &File) -> io::Result<bool> {
    let value = value(file)?;
    match fsetxattr(file, ATTRIBUTE, value.as_bytes(), XattrFlags::empty()) {
        Ok(()) => Ok(true),
        Err(Errno::OPNOTSUPP | Errno::PERM) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// True where Plimsoll made this very file. An attribute that cannot be read is none.
pub fn has(file: &File) -> bool {
    let mut buffer = [0u8; 128];
    let found = match fgetxattr(file, ATTRIBUTE, &mut buffer[..]) {
        Ok(length) => &buffer[..length],
        Err(_) => return false,
    };
    value(file).is_ok_and(|value| value.as_bytes() == found)
}

fn value(file: &File) -> io::Result<String> {
    Ok(format!(
        "made by plimsoll, inode {}{}",
        file.metadata()?.ino(),
        birth(file)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn a_marked_file_is_known_again_and_a_copy_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("made");
        let file = File::create(&path).unwrap();
        assert!(!has(&file));
        if !set(&file).unwrap() {
            plimsoll_skipped::skipped!(
                "the temporary folder's file system keeps no user attributes"
            );
            return;
        }
        assert!(has(&file));
        assert!(has(&File::open(&path).unwrap()));

        let copy = folder.path().join("copy");
        let copied = Command::new("cp").arg("-a").arg(&path).arg(&copy).status();
        assert!(copied.unwrap().success());
        assert!(!has(&File::open(&copy).unwrap()));
    }

    #[test]
    fn a_hard_link_is_the_same_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("made");
        if !set(&File::create(&path).unwrap()).unwrap() {
            plimsoll_skipped::skipped!(
                "the temporary folder's file system keeps no user attributes"
            );
            return;
        }
        let other = folder.path().join("other");
        std::fs::hard_link(&path, &other).unwrap();
        assert!(has(&File::open(&other).unwrap()));
    }
}
