//! What has a name in a folder, held so that it cannot be mistaken for another.

use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, Stat};
use rustix::io::Errno;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::{Path, PathBuf};

/// What had a name in a folder when it was looked at; a link is itself and not what it leads to.
///
/// It is held open without being opened for anything, so its inode number is not given to another file meanwhile, and a
/// device, a pipe or a server notices nothing.
#[derive(Debug)]
pub struct Found {
    pub(super) folder: OwnedFd,
    pub(super) name: OsString,
    fd: OwnedFd,
    stat: Stat,
}

impl Found {
    /// What has this name; `None` where nothing has.
    pub fn at(path: &Path) -> io::Result<Option<Self>> {
        let name = path.file_name().ok_or(Errno::ISDIR)?;
        let folder = open_folder(parent(path))?;
        Self::within(&folder, name)
    }

    /// What has this name in an opened folder.
    pub(crate) fn within(folder: &OwnedFd, name: &OsStr) -> io::Result<Option<Self>> {
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let fd = match rustix::fs::openat(folder, name, flags, Mode::empty()) {
            Ok(fd) => fd,
            Err(Errno::NOENT) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let stat = rustix::fs::fstat(&fd)?;
        Ok(Some(Found {
            folder: folder.try_clone()?,
            name: name.to_owned(),
            fd,
            stat,
        }))
    }

    /// Identity of the file: its file system's device number, and its inode.
    pub fn identity(&self) -> FileId {
        identity(&self.stat)
    }

    /// What it is held by.
    pub(crate) fn handle(&self) -> &OwnedFd {
        &self.fd
    }

    /// Type of the file.
    pub fn file_type(&self) -> FileType {
        FileType::from_raw_mode(self.stat.st_mode)
    }

    /// Length of the file, bytes.
    pub fn len(&self) -> u64 {
        u64::try_from(self.stat.st_size).unwrap_or(0)
    }

    /// True where it holds no byte.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A path that leads to it, whatever its name leads to now. Needs `/proc`.
    pub fn path(&self) -> PathBuf {
        format!("/proc/self/fd/{}", self.fd.as_raw_fd()).into()
    }

    /// Opens it for reading: this very file, whatever its name leads to now.
    pub fn read(&self) -> io::Result<File> {
        self.open(OFlags::RDONLY)
    }

    pub(crate) fn open(&self, access: OFlags) -> io::Result<File> {
        let flags = access | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
        let fd = match rustix::fs::open(self.path(), flags, Mode::empty()) {
            // Without /proc it has only its name.
            Err(Errno::NOENT) => {
                let flags = flags | OFlags::NOFOLLOW;
                rustix::fs::openat(&self.folder, &self.name, flags, Mode::empty())?
            }
            other => other?,
        };
        if self.is(&rustix::fs::fstat(&fd)?) {
            Ok(fd.into())
        } else {
            Err(Errno::STALE.into())
        }
    }

    /// Looks at the file's size and the time of its last change again.
    pub(crate) fn look_again(&mut self) -> io::Result<()> {
        self.stat = rustix::fs::fstat(&self.fd)?;
        Ok(())
    }

    /// True where this is the file, in whatever state.
    pub(crate) fn is(&self, other: &Stat) -> bool {
        identity(&self.stat) == identity(other)
    }

    /// True where this is the file, and nobody has written to it since.
    pub(crate) fn is_unchanged(&self, now: &Stat) -> bool {
        self.is(now)
            && self.stat.st_size == now.st_size
            && (self.stat.st_mtime, self.stat.st_mtime_nsec) == (now.st_mtime, now.st_mtime_nsec)
    }

    /// True where this is the file, and nobody has changed it since, be it a byte or its mode.
    pub(crate) fn is_untouched(&self, now: &Stat) -> bool {
        self.is_unchanged(now)
            && (self.stat.st_ctime, self.stat.st_ctime_nsec) == (now.st_ctime, now.st_ctime_nsec)
    }

    pub(crate) fn name(&self) -> &OsStr {
        &self.name
    }

    pub(crate) fn stat(&self) -> &Stat {
        &self.stat
    }
}

/// A file: the device of its file system, and its inode.
pub(crate) type FileId = (u64, u64);

pub(crate) fn identity(stat: &Stat) -> FileId {
    (stat.st_dev, stat.st_ino)
}

/// Holds a folder, for what is done in it.
pub(crate) fn open_folder(path: &Path) -> rustix::io::Result<OwnedFd> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    rustix::fs::openat(CWD, path, flags, Mode::empty())
}

/// The folder of a path, `.` where it names none.
pub(crate) fn parent(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// What a name in a folder leads to, not following a link.
pub(crate) fn stat_within(folder: &OwnedFd, name: &OsStr) -> rustix::io::Result<Stat> {
    rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)
}
