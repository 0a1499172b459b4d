//! A file or device that is held by a descriptor, so that its name means nothing any more.

use rustix::fs::{Mode, OFlags, SeekFrom, open, seek};
use std::fs::{File, Metadata};
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

/// What a file or device is, whatever it is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Identity {
    /// A block device, by its number.
    Device(u64),
    /// Anything else, by its file system's device number and its inode.
    File {
        /// The file system's device number.
        dev: u64,
        /// The inode.
        inode: u64,
    },
}

impl Identity {
    /// Identity of what these are the metadata of.
    pub fn of(metadata: &Metadata) -> Self {
        if metadata.file_type().is_block_device() {
            Identity::Device(metadata.rdev())
        } else {
            Identity::File {
                dev: metadata.dev(),
                inode: metadata.ino(),
            }
        }
    }
}

/// Handle of a path that was looked up once.
///
/// The descriptor (O_PATH) neither reads nor writes, and opening it has no effect on a device. Whatever is opened later
/// is opened through it: a link that was swapped or a name that was given to another file in between leads nowhere.
#[derive(Debug)]
pub struct PathHandle {
    path: PathBuf,
    resolved: PathBuf,
    handle: File,
    metadata: Metadata,
}

impl PathHandle {
    /// Looks `path` up; links are followed.
    pub fn open(path: &Path) -> io::Result<Self> {
        let handle = File::from(open(path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty())?);
        PathHandle::of(path.to_path_buf(), handle)
    }

    /// What a descriptor leads to; `path` is what people call it.
    pub(crate) fn of(path: PathBuf, handle: File) -> io::Result<Self> {
        let metadata = handle.metadata()?;
        let resolved = std::fs::read_link(through(&handle)).map_err(no_proc)?;
        Ok(PathHandle {
            path,
            resolved,
            handle,
            metadata,
        })
    }

    /// What is open already; `path` is what people call it.
    pub(crate) fn to(path: PathBuf, file: &File) -> io::Result<Self> {
        let handle = open(through(file), OFlags::PATH | OFlags::CLOEXEC, Mode::empty())?;
        PathHandle::of(path, handle.into())
    }

    /// Second handle of the same file or device.
    pub(crate) fn try_clone(&self) -> io::Result<Self> {
        Ok(PathHandle {
            path: self.path.clone(),
            resolved: self.resolved.clone(),
            handle: self.handle.try_clone()?,
            metadata: self.metadata.clone(),
        })
    }

    /// The path as it was given.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The path without links, as it was when this was looked up.
    pub fn resolved(&self) -> &Path {
        &self.resolved
    }

    /// What it is.
    pub fn identity(&self) -> Identity {
        Identity::of(&self.metadata)
    }

    /// Metadata, as they were when the path was looked up.
    pub fn metadata(&self) -> &Metadata {
        &self.metadata
    }

    /// True for a block device.
    pub fn is_device(&self) -> bool {
        self.metadata.file_type().is_block_device()
    }

    /// True for a file with parts that were never written, as far as its file system tells.
    pub fn has_holes(&self) -> bool {
        let length = self.metadata.len();
        let first = self
            .open_to_read()
            .map(|file| seek(file, SeekFrom::Hole(0)));
        self.metadata.is_file() && length > 0 && matches!(first, Ok(Ok(at)) if at < length)
    }

    /// Opens this very file or device for reading.
    pub fn open_to_read(&self) -> io::Result<File> {
        self.reopen(OFlags::RDONLY)
    }

    /// As [`Self::open_to_read`], around the page cache.
    pub fn open_to_read_directly(&self) -> io::Result<File> {
        self.reopen(OFlags::RDONLY | OFlags::DIRECT)
    }

    /// Opens this very file or device.
    pub(crate) fn reopen(&self, flags: OFlags) -> io::Result<File> {
        let opened = open(
            through(&self.handle),
            flags | OFlags::CLOEXEC,
            Mode::empty(),
        );
        Ok(File::from(opened.map_err(|errno| match errno {
            rustix::io::Errno::NOENT => no_proc(errno.into()),
            _ => io::Error::from(errno),
        })?))
    }
}

/// The descriptor, for whoever grants others access to this very file or device.
impl AsFd for PathHandle {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.handle.as_fd()
    }
}

fn through(handle: &File) -> PathBuf {
    PathBuf::from(format!("/proc/self/fd/{}", handle.as_raw_fd()))
}

/// Without the error's own kind: `NotFound` would be taken for the file's.
fn no_proc(error: io::Error) -> io::Error {
    io::Error::other(format!(
        "/proc is not mounted, and without it nobody can tell who uses a target ({error})"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;
    use std::os::unix::fs::symlink;

    #[test]
    fn what_was_held_is_opened_whatever_its_name_leads_to_now() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("first"), "first").unwrap();
        std::fs::write(at("second"), "second").unwrap();
        symlink(at("first"), at("link")).unwrap();
        let held = PathHandle::open(&at("link")).unwrap();
        std::fs::remove_file(at("link")).unwrap();
        symlink(at("second"), at("link")).unwrap();
        let mut text = String::new();
        held.open_to_read()
            .unwrap()
            .read_to_string(&mut text)
            .unwrap();
        assert_eq!(text, "first");
        assert_eq!(held.resolved(), at("first").canonicalize().unwrap());
    }

    #[test]
    fn a_hard_link_is_the_same_and_a_copy_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("one"), "x").unwrap();
        std::fs::hard_link(at("one"), at("two")).unwrap();
        std::fs::copy(at("one"), at("three")).unwrap();
        let identity = |name: &str| PathHandle::open(&at(name)).unwrap().identity();
        assert_eq!(identity("one"), identity("two"));
        assert_ne!(identity("one"), identity("three"));
    }
}
