//! Records below a folder, found by their names; path, size and times of change tell which have to be read again.

use rustix::fs::{AtFlags, CWD, FileType, Stat, statat};
use std::cmp::Reverse;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

/// Folders within each other; more would be a trap.
const DEEPEST: usize = 32;

/// A file that may be a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Seen {
    /// Path below the folder.
    pub path: PathBuf,
    /// Sizes and times of change of the file and of its log; where they differ from the last ones, the record is read again.
    pub stamp: String,
}

/// All files below a folder that are named as records are. Links are not followed, and names that begin with a dot are left out.
///
/// # Errors
/// The folder itself cannot be read; one below it that can't is passed over.
pub(crate) fn scan(folder: &Path) -> io::Result<Vec<Seen>> {
    let mut found = Vec::new();
    let mut folders = vec![(PathBuf::new(), 0)];
    while let Some((below, depth)) = folders.pop() {
        let names = match names(&folder.join(&below)) {
            Ok(names) => names,
            Err(error) if depth == 0 => return Err(error),
            Err(_) => continue,
        };
        for (name, kind) in names {
            let path = below.join(&name);
            if kind.is_dir() && depth < DEEPEST {
                folders.push((path, depth + 1));
            } else if kind.is_file() && path.extension().is_some_and(|e| e == "plim") {
                found.extend(stamp(&folder.join(&path)).map(|stamp| Seen { path, stamp }));
            }
        }
    }
    Ok(found)
}

/// Files that are named as records are in a folder itself, in the order of their names. A link to one has no stamp.
///
/// # Errors
/// The folder cannot be read.
pub(crate) fn here(folder: &Path) -> io::Result<Vec<Seen>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = PathBuf::from(entry?.file_name());
        if path.extension().is_some_and(|e| e == "plim") {
            let place = folder.join(&path);
            if place.is_file() {
                let stamp = stamp(&place).unwrap_or_default();
                found.push(Seen { path, stamp });
            }
        }
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(found)
}

/// Puts the files first that were written last: the runs that go on, then the newest.
pub(crate) fn newest_first(folder: &Path, seen: &mut [Seen]) {
    let written = |path: &Path| std::fs::metadata(path).and_then(|m| m.modified()).ok();
    seen.sort_by_cached_key(|seen| {
        let main = folder.join(&seen.path);
        let mut log = main.as_os_str().to_owned();
        log.push("-wal");
        Reverse(written(&main).max(written(Path::new(&log))))
    });
}

fn names(folder: &Path) -> io::Result<Vec<(OsString, std::fs::FileType)>> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        if !name.as_encoded_bytes().starts_with(b".") {
            names.push((name, entry.file_type()?));
        }
    }
    Ok(names)
}

/// The stamp of a regular file; `None` where it is gone or something else by now.
pub(crate) fn stamp(path: &Path) -> Option<String> {
    let of = |path: &Path| statat(CWD, path, AtFlags::SYMLINK_NOFOLLOW).ok();
    let main = of(path).filter(|s| FileType::from_raw_mode(s.st_mode) == FileType::RegularFile)?;
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    // A program can set the one time, and the kernel sets the other.
    let words = |s: &Stat| {
        format!(
            "{} {} {} {} {}",
            s.st_size, s.st_mtime, s.st_mtime_nsec, s.st_ctime, s.st_ctime_nsec
        )
    };
    let log = of(Path::new(&log)).map_or(String::new(), |s| words(&s));
    Some(format!("{} {}, {log}", main.st_ino, words(&main)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;
    use std::time::{Duration, SystemTime};

    #[test]
    fn what_is_written_now_comes_first_then_the_newest() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, hours: u64| {
            let file = File::create(folder.path().join(name)).unwrap();
            file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(hours * 3600))
                .unwrap();
        };
        for (name, hours) in [
            ("a.plim", 5),
            ("b.plim", 9),
            ("c.plim", 1),
            ("c.plim-wal", 10),
        ] {
            write(name, hours);
        }
        let mut seen = scan(folder.path()).unwrap();
        newest_first(folder.path(), &mut seen);
        let order: Vec<_> = seen.iter().map(|s| s.path.to_str().unwrap()).collect();
        assert_eq!(order, ["c.plim", "b.plim", "a.plim"]);
    }
}
