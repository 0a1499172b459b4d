//! Removal of a file by a name that may change hands meanwhile.

use crate::output::temporary;
use rustix::fs::{AtFlags, RenameFlags, Stat, renameat_with, statat, unlinkat};
use rustix::io::Errno;
use std::ffi::OsStr;
use std::io;
use std::os::fd::OwnedFd;

/// End of the name of what was moved aside.
const MOVED: &str = ".moved";

/// Removes the file that `is_judged` knows, in whatever state it is; `false` where something else has the name, or nothing, or where
/// `may_go` says otherwise, which is asked when nobody can open it by that name any more.
pub(crate) fn remove(
    folder: &OwnedFd,
    name: &OsStr,
    is_judged: impl Fn(&Stat) -> bool,
    may_go: impl FnOnce() -> bool,
) -> io::Result<bool> {
    let has_it = |name: &OsStr| {
        statat(folder, name, AtFlags::SYMLINK_NOFOLLOW).is_ok_and(|now| is_judged(&now))
    };
    // Nothing is moved that can be seen from here to be another's.
    if !has_it(name) {
        return Ok(false);
    }
    // No leftover's name: where it cannot go back, it is not swept away later.
    let mut aside = temporary::name();
    aside.push(MOVED);
    let aside = aside.as_os_str();
    let aside = match renameat_with(folder, name, folder, aside, RenameFlags::NOREPLACE) {
        Ok(()) => aside,
        Err(Errno::NOENT) => return Ok(false),
        Err(error) if is_unsupported(error) => name,
        Err(error) => return Err(error.into()),
    };
    if has_it(aside) && may_go() {
        unlinkat(folder, aside, AtFlags::empty())?;
        return Ok(true);
    }
    if aside != name {
        renameat_with(folder, aside, folder, name, RenameFlags::NOREPLACE)?;
    }
    Ok(false)
}

/// True where the file system cannot do what a rename was asked to heed.
pub(crate) fn is_unsupported(error: Errno) -> bool {
    matches!(error, Errno::INVAL | Errno::NOSYS | Errno::NOTSUP)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::Found;
    use rustix::fs::{Mode, OFlags};

    #[test]
    fn what_may_not_go_has_its_name_back() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("file");
        std::fs::write(&path, "own").unwrap();
        let found = Found::at(&path).unwrap().unwrap();
        let asked = || {
            assert!(!path.exists(), "nobody opens it by its name meanwhile");
            false
        };
        let folder = rustix::fs::open(place.path(), OFlags::PATH, Mode::empty()).unwrap();
        assert!(!remove(&folder, OsStr::new("file"), |now| found.is(now), asked).unwrap());
        assert_eq!(std::fs::read_dir(place.path()).unwrap().count(), 1);
        assert_eq!(std::fs::read(&path).unwrap(), b"own");
        assert!(found.remove().unwrap());
        assert!(!path.exists());
    }

    #[test]
    fn what_cannot_have_its_name_back_is_no_leftover() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("file");
        std::fs::write(&path, "own").unwrap();
        let found = Found::at(&path).unwrap().unwrap();
        let taken = || {
            std::fs::write(&path, "another's").unwrap();
            false
        };
        let folder = rustix::fs::open(place.path(), OFlags::PATH, Mode::empty()).unwrap();
        let error = remove(&folder, OsStr::new("file"), |now| found.is(now), taken).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(std::fs::read(&path).unwrap(), b"another's");
        let names = std::fs::read_dir(place.path()).unwrap();
        let names: Vec<_> = names.map(|entry| entry.unwrap().file_name()).collect();
        let aside = names.iter().find(|name| *name != "file").unwrap();
        assert!(!temporary::is_one(aside) && temporary::maker(aside).is_none());
        assert_eq!(std::fs::read(place.path().join(aside)).unwrap(), b"own");
    }
}
