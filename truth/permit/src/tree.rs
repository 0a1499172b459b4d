//! Roots of trees: a directory below which Plimsoll makes, writes and deletes directories and files.
//!
//! Whatever is done below a root is done from its descriptor, and the kernel keeps it there: through no symbolic link, into no other
//! file system, and not above it. A root is marked; one that is neither empty nor marked is nobody's to write to, but for names that are
//! the caller's own.

mod lock;
mod made;

pub use lock::{HELD, TreeLock};

use self::made::Made;
use crate::Refusal;
use crate::target::{holds_devices, whose};
use rustix::fs::{
    Access, AtFlags, Dir, FileType, Mode, OFlags, RenameFlags, ResolveFlags, Stat,
    StatVfsMountFlags, Statx, StatxAttributes, StatxFlags, Timespec, Timestamps, UTIME_OMIT,
    XattrFlags, accessat, fgetxattr, fsetxattr, fstat, fstatvfs, futimens, mkdirat, open, openat2,
    renameat_with, statat, statx, unlinkat,
};
use rustix::io::Errno;
use rustix::time::{ClockId, clock_gettime};
use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Name of the attribute that marks a root.
const ATTRIBUTE: &str = "user.plimsoll.tree";
const MARK_MAX: usize = 1024;

/// Directory that mkfs makes in the root of a file system, which is empty for all that.
pub const LOST_AND_FOUND: &str = "lost+found";

/// Seconds from now to the time of modification that is set. Vdbench counts a year's seconds as milliseconds.
const AHEAD_S: i64 = 31_536;

/// Flags that keep every step of a path below the root.
const BELOW: ResolveFlags = ResolveFlags::BENEATH
    .union(ResolveFlags::NO_SYMLINKS)
    .union(ResolveFlags::NO_MAGICLINKS)
    .union(ResolveFlags::NO_XDEV);

/// Root of a tree as it was found, before anything is made.
#[derive(Debug)]
pub enum TreeGround {
    /// There is no such directory; its folder is held.
    Missing(NewRoot),
    /// An empty directory.
    Empty(TreeRoot),
    /// A directory with Plimsoll's mark.
    Marked(TreeRoot),
    /// A directory that holds something, and has no mark: it may be read, and nothing is changed below it.
    Foreign(TreeRoot),
}

impl TreeGround {
    /// Whether the file system that it is on, or would be made on, is mounted read-only.
    pub fn is_read_only(&self) -> bool {
        let folder = match self {
            TreeGround::Missing(new) => new.folder.as_fd(),
            TreeGround::Empty(root) | TreeGround::Marked(root) | TreeGround::Foreign(root) => {
                root.folder.as_fd()
            }
        };
        fstatvfs(folder).is_ok_and(|fs| fs.f_flag.contains(StatVfsMountFlags::RDONLY))
    }
}

/// Leave to make the root of a tree in a folder.
#[derive(Debug)]
pub struct NewRoot {
    path: PathBuf,
    folder: OwnedFd,
    name: OsString,
}

/// Open root of a tree.
#[derive(Debug)]
pub struct TreeRoot {
    path: PathBuf,
    /// What was made of it, until something is done below it. It is undone while the folder's lock is still held.
    made: Option<Arc<Made>>,
    folder: File,
    may_change: bool,
}

/// Directory of a name.
enum Folder<'r> {
    Root(&'r File),
    Below(OwnedFd),
}

impl AsFd for Folder<'_> {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            Folder::Root(root) => root.as_fd(),
            Folder::Below(folder) => folder.as_fd(),
        }
    }
}

/// Looks a root up. Nothing is made, and nothing is changed.
///
/// # Errors
/// An error if something that is no directory has its name, or nothing can be made at that place.
pub fn find(path: &Path) -> Result<TreeGround, Refusal> {
    let refuse = |why: String, remedy: &str| Refusal {
        path: path.to_path_buf(),
        why,
        remedy: remedy.to_string(),
    };
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let folder = match open(path, flags, Mode::empty()) {
        Ok(folder) => File::from(folder),
        Err(Errno::NOENT) => return missing(path).map(TreeGround::Missing),
        Err(Errno::NOTDIR) => {
            return Err(refuse(
                "it is no directory".to_string(),
                "name a directory, or one that is yet to be made",
            ));
        }
        Err(error) => return Err(refuse(error.to_string(), "check the directory")),
    };
    let metadata = folder
        .metadata()
        .map_err(|e| refuse(e.to_string(), "check the directory"))?;
    if holds_devices(path, &metadata) {
        return Err(among_devices(path));
    }
    let root = TreeRoot {
        path: path.to_path_buf(),
        folder,
        may_change: false,
        made: None,
    };
    let is_empty = root.foreign_name().map(|name| name.is_none());
    match (root.is_marked(), is_empty) {
        (true, _) => Ok(TreeGround::Marked(root)),
        (false, Ok(true)) => Ok(TreeGround::Empty(root)),
        (false, Ok(false)) => Ok(TreeGround::Foreign(root)),
        (false, Err(error)) => Err(refuse(error.to_string(), "check the directory")),
    }
}

fn held() -> io::Error {
    io::Error::other(format!("{}: {}", HELD.0, HELD.1))
}

fn among_devices(path: &Path) -> Refusal {
    Refusal {
        path: path.to_path_buf(),
        why: "it is among the devices, where files lie in memory".to_string(),
        remedy: "take a directory on a file system".to_string(),
    }
}

fn missing(path: &Path) -> Result<NewRoot, Refusal> {
    let refuse = |why: &str, remedy: String| Refusal {
        path: path.to_path_buf(),
        why: why.to_string(),
        remedy,
    };
    if path.is_symlink() {
        return Err(refuse(
            "it is a link to nothing",
            "name the directory itself, or remove the link".to_string(),
        ));
    }
    let parent = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let folder = open(parent, flags, Mode::empty());
    let (Some(name), Ok(folder)) = (path.file_name(), folder) else {
        return Err(refuse(
            "the folder that is to hold it doesn't exist",
            format!("make it first: mkdir -p {}", parent.display()),
        ));
    };
    let folder = File::from(folder);
    let metadata = folder
        .metadata()
        .map_err(|error| refuse(&error.to_string(), "check the folder".to_string()))?;
    if holds_devices(parent, &metadata) {
        return Err(among_devices(path));
    }
    Ok(NewRoot {
        path: path.to_path_buf(),
        folder: folder.into(),
        name: name.to_os_string(),
    })
}

impl NewRoot {
    /// Makes the directory and marks it. Of several hosts of a run the first makes it, and the others take what it made.
    pub fn make(self, lock: TreeLock<'_>) -> io::Result<TreeRoot> {
        let is_own = match mkdirat(&self.folder, &self.name, Mode::from_raw_mode(0o755)) {
            Err(Errno::EXIST) if !matches!(lock, TreeLock::Together(_)) => return Err(held()),
            Err(Errno::EXIST) => false,
            made => made.map(|()| true)?,
        };
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let folder = openat2(&self.folder, &self.name, flags, Mode::empty(), BELOW)?;
        let root = TreeRoot {
            path: self.path,
            folder: File::from(folder),
            may_change: false,
            made: None,
        };
        let mut root = root.take(lock)?;
        // The mark goes with it.
        root.keep();
        root.made = is_own.then(|| Arc::new(Made::root(self.folder, self.name)));
        Ok(root)
    }
}

impl TreeRoot {
    /// Takes the tree for this process, marks it, and has it changed from now on: one that was empty, or is marked.
    pub fn take(mut self, lock: TreeLock<'_>) -> io::Result<TreeRoot> {
        if !self.lock(lock) {
            return Err(held());
        }
        if !self.is_marked() {
            // Of the hosts of a run another may have marked it since, and begun.
            if self.foreign_name()?.is_some() && !self.is_marked() {
                return Err(io::Error::other(
                    "something was put into it since it was looked at; nothing was changed",
                ));
            }
            let mark = whose(&self.folder)?;
            match fsetxattr(
                &self.folder,
                ATTRIBUTE,
                mark.as_bytes(),
                XattrFlags::empty(),
            ) {
                Ok(()) => self.made = Some(Arc::new(Made::mark(self.folder.try_clone()?))),
                // Without a mark the next run finds a directory that is not empty, and leaves it alone.
                Err(Errno::OPNOTSUPP | Errno::PERM | Errno::NOSPC | Errno::DQUOT) => {}
                Err(error) => return Err(error.into()),
            }
        }
        self.may_change = true;
        Ok(self)
    }

    /// Root whose names may be changed among those of others, as far as the caller makes them or has leave for them. It is neither marked
    /// nor locked, so that whoever else works there goes on.
    pub fn share(self) -> TreeRoot {
        TreeRoot {
            may_change: true,
            ..self
        }
    }

    /// The same root for a tree that takes turns with this one: both have one lock, and one leave to change it.
    pub fn again(&self) -> io::Result<TreeRoot> {
        Ok(TreeRoot {
            path: self.path.clone(),
            folder: self.folder.try_clone()?,
            may_change: self.may_change,
            made: self.made.clone(),
        })
    }

    /// Leaves it made and marked: from now on something is done below it. Until then it goes again with this.
    pub fn keep(&self) {
        self.made.iter().for_each(|made| made.keep());
    }

    /// Path by which it was named.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Name in the root besides [`LOST_AND_FOUND`], the first in order; `None` where there is none.
    fn foreign_name(&self) -> io::Result<Option<OsString>> {
        let names = self.names("")?.into_iter();
        let foreign = names.filter(|(name, is_directory)| !is_directory || name != LOST_AND_FOUND);
        Ok(foreign.map(|(name, _)| name).min())
    }

    /// Refusal to change anything below a root that holds something and has no mark.
    pub fn refusal_as_foreign(&self) -> Refusal {
        let name = self.foreign_name().ok().flatten().unwrap_or_default();
        let name = name.as_bytes().escape_ascii();
        Refusal {
            path: self.path.clone(),
            why: format!("it holds {name}, and has no mark of Plimsoll's"),
            remedy: "name an empty directory, or one that is yet to be made".to_string(),
        }
    }

    fn is_marked(&self) -> bool {
        let mut buffer = [0u8; MARK_MAX];
        let length = fgetxattr(&self.folder, ATTRIBUTE, &mut buffer[..]);
        let mark = length.ok().and_then(|length| buffer.get(..length));
        mark.zip(whose(&self.folder).ok())
            .is_some_and(|(mark, own)| mark == own.as_bytes())
    }

    /// Names in a directory of the tree, and whether each is a directory; in the root for an empty path.
    pub fn names(&self, path: &str) -> io::Result<Vec<(OsString, bool)>> {
        let mut names = Vec::new();
        self.each_name(path, |name, kind| {
            use std::os::unix::ffi::OsStringExt;
            names.push((OsString::from_vec(name.to_vec()), kind));
        })?;
        let is_directory = |(name, kind): (OsString, FileType)| -> io::Result<(OsString, bool)> {
            let kind = match kind {
                // Some file systems, as NFS, do not say it in their directories.
                FileType::Unknown => {
                    let folder = self.directory(path, OFlags::PATH)?;
                    let stat = statat(&folder, &name, AtFlags::SYMLINK_NOFOLLOW)?;
                    FileType::from_raw_mode(stat.st_mode)
                }
                kind => kind,
            };
            Ok((name, kind == FileType::Directory))
        };
        names.into_iter().map(is_directory).collect()
    }

    /// Reads all entries of a directory of the tree; how many there are.
    pub fn read_directory(&self, path: &str) -> io::Result<u64> {
        let mut count = 0;
        self.each_name(path, |_, _| count += 1)?;
        Ok(count)
    }

    fn each_name(&self, path: &str, mut each: impl FnMut(&[u8], FileType)) -> io::Result<()> {
        let folder = self.directory(path, OFlags::RDONLY)?;
        for entry in Dir::new(folder)? {
            let entry = entry?;
            let name = entry.file_name().to_bytes();
            if name != b"." && name != b".." {
                each(name, entry.file_type());
            }
        }
        Ok(())
    }

    /// Attributes of a name, not of what a link leads to.
    pub fn stat(&self, path: &str) -> io::Result<Stat> {
        let (folder, name) = self.folder_of(path)?;
        Ok(statat(&folder, name, AtFlags::SYMLINK_NOFOLLOW)?)
    }

    /// Kind, links and size of a name where no file system is mounted; else [`io::ErrorKind::CrossesDevices`]. A single file can be
    /// mounted, too, and then its name is one of the tree's, and what is behind it is somebody else's.
    pub fn stat_here(&self, path: &str) -> io::Result<Statx> {
        let (folder, name) = self.folder_of(path)?;
        let mask = StatxFlags::TYPE | StatxFlags::NLINK | StatxFlags::SIZE;
        let found = statx(&folder, name, AtFlags::SYMLINK_NOFOLLOW, mask)?;
        match found.stx_attributes.contains(StatxAttributes::MOUNT_ROOT) {
            true => Err(Errno::XDEV.into()),
            false => Ok(found),
        }
    }

    /// Sets a file's time of modification ahead, as Vdbench does, through a descriptor: what the name has become meanwhile is looked
    /// at first.
    pub fn set_time(&self, path: &str) -> io::Result<()> {
        let file = self.open(path, OFlags::WRONLY)?;
        let now = clock_gettime(ClockId::Realtime);
        let times = Timestamps {
            last_access: Timespec {
                tv_sec: 0,
                tv_nsec: UTIME_OMIT,
            },
            last_modification: Timespec {
                tv_sec: now.tv_sec.saturating_add(AHEAD_S),
                ..now
            },
        };
        Ok(futimens(&file, &times)?)
    }

    /// True where this process may read a file.
    pub fn may_read(&self, path: &str) -> io::Result<bool> {
        let (folder, name) = self.folder_of(path)?;
        match accessat(&folder, name, Access::READ_OK, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(()) => Ok(true),
            Err(Errno::ACCESS) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// Opens a file that is there.
    pub fn open(&self, path: &str, flags: OFlags) -> io::Result<File> {
        let writes = flags.intersects(OFlags::WRONLY | OFlags::RDWR);
        if writes {
            self.check()?;
        }
        // Whoever opens a pipe waits for its other end otherwise.
        let flags = flags | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NOCTTY | OFlags::NONBLOCK;
        let file = File::from(openat2(&self.folder, path, flags, Mode::empty(), BELOW)?);
        let found = fstat(&file)?;
        if FileType::from_raw_mode(found.st_mode) != FileType::RegularFile {
            // Somebody put something else in its place.
            return Err(Errno::STALE.into());
        }
        if writes && found.st_nlink != 1 {
            // It has another name, by a hard link.
            return Err(Errno::MLINK.into());
        }
        Ok(file)
    }

    /// Makes a file that is not there, and opens it, with further flags.
    pub fn create(&self, path: &str, flags: OFlags) -> io::Result<File> {
        self.check()?;
        let flags = flags | OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
        let made = openat2(&self.folder, path, flags, Mode::from_raw_mode(0o644), BELOW)?;
        Ok(File::from(made))
    }

    /// Makes a directory.
    pub fn make_directory(&self, path: &str) -> io::Result<()> {
        let (folder, name) = self.parent(path)?;
        Ok(mkdirat(&folder, name, Mode::from_raw_mode(0o755))?)
    }

    /// Removes an empty directory.
    pub fn remove_directory(&self, path: &str) -> io::Result<()> {
        let (folder, name) = self.parent(path)?;
        Ok(unlinkat(&folder, name, AtFlags::REMOVEDIR)?)
    }

    /// Renames a file into another tree, where nothing has its path; what somebody put in its place is left where it is.
    pub fn rename_into(&self, path: &str, other: &TreeRoot) -> io::Result<()> {
        let file = self.open(path, OFlags::WRONLY)?;
        let (folder, name) = self.parent(path)?;
        let (into, _) = other.parent(path)?;
        let (opened, named) = (
            fstat(&file)?,
            statat(&folder, name, AtFlags::SYMLINK_NOFOLLOW)?,
        );
        if (opened.st_dev, opened.st_ino) != (named.st_dev, named.st_ino) {
            return Err(Errno::STALE.into());
        }
        Ok(renameat_with(
            &folder,
            name,
            &into,
            name,
            RenameFlags::NOREPLACE,
        )?)
    }

    /// Deletes a file's name.
    pub fn delete(&self, path: &str) -> io::Result<()> {
        let (folder, name) = self.parent(path)?;
        Ok(unlinkat(&folder, name, AtFlags::empty())?)
    }

    /// The directory of a name that is to be made or removed there.
    fn parent<'p>(&self, path: &'p str) -> io::Result<(Folder<'_>, &'p str)> {
        self.check()?;
        self.folder_of(path)
    }

    fn folder_of<'p>(&self, path: &'p str) -> io::Result<(Folder<'_>, &'p str)> {
        match path.rsplit_once('/') {
            None => Ok((Folder::Root(&self.folder), path)),
            Some((folder, name)) => {
                let folder = self.directory(folder, OFlags::PATH)?;
                Ok((Folder::Below(folder), name))
            }
        }
    }

    fn directory(&self, path: &str, flags: OFlags) -> io::Result<OwnedFd> {
        let path = if path.is_empty() { "." } else { path };
        let flags = flags | OFlags::DIRECTORY | OFlags::CLOEXEC;
        Ok(openat2(&self.folder, path, flags, Mode::empty(), BELOW)?)
    }

    fn check(&self) -> io::Result<()> {
        match self.may_change {
            true => Ok(()),
            false => Err(Errno::ROFS.into()),
        }
    }
}

#[cfg(test)]
mod tests;
