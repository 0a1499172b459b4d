//! Leave to write to one target, and what is opened with it.

use super::device::DeviceFacts;
use super::keeper::{Ending, Keeper};
use crate::PathHandle;
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

/// Leave to write to one file or device. It holds the target until it is dropped: while a device's permit lives, nobody
/// can mount the device or build on it.
#[derive(Debug)]
pub struct WritePermit {
    pub(super) held: PathHandle,
    pub(super) ground: Ground,
    /// Keeper of its mark; it is dropped before the guards.
    pub(super) keeper: Arc<Keeper>,
    /// What keeps others away: the claim on the file or device itself, then those on what shares its storage.
    pub(super) guards: Vec<Arc<File>>,
    /// What a device was when it was judged.
    pub(super) device: Option<DeviceFacts>,
}

/// Why a target may be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ground {
    /// A file that this run made.
    New,
    /// A file without a byte of data: empty, or holes from end to end.
    NoData,
    /// A file that Plimsoll made or a target that it filled, with nothing else on it.
    Made,
    /// A device or an export on which nothing was found, and that `--destroy` doesn't name.
    Blank,
    /// `--destroy` names it; for a device also where nothing was found on it.
    Named,
}

/// A file that was made longer. Unless it is kept, dropping this makes it as long as it was.
#[derive(Debug)]
pub struct Extended {
    path: PathBuf,
    file: File,
    before: u64,
    size: u64,
    changed: SystemTime,
    is_kept: bool,
    keeper: Arc<Keeper>,
}

impl Extended {
    /// Path of the target, as it was given.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Length of the target now, bytes.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Lets it stay.
    pub fn keep(mut self) {
        self.is_kept = true;
    }
}

impl Drop for Extended {
    fn drop(&mut self) {
        // What somebody has written behind it or into it meanwhile is theirs.
        let is_as_made = self.file.metadata().is_ok_and(|now| now.len() == self.size);
        if !self.is_kept && is_as_made && !self.keeper.has_seen_a_writer() {
            // The refusal that is on its way says what matters; a hole at the end does not.
            let _ = self.file.set_len(self.before);
            // Its mark holds when it was changed last.
            let _ = self.file.set_modified(self.changed);
            let _ = self.keeper.renew();
        }
    }
}

/// A file or device that is open for writing.
#[derive(Debug)]
pub struct Writable {
    /// The open file.
    pub file: File,
    /// What keeps it.
    pub hold: Hold,
}

/// Keeps a target that is written: it stays claimed while this lives. When the last hold on it is dropped, its mark gets the
/// content that it has then, so the open file must be closed before.
#[derive(Debug)]
pub struct Hold {
    ground: Ground,
    device: Option<DeviceFacts>,
    /// It is dropped before the guards.
    keeper: Arc<Keeper>,
    _guards: Vec<Arc<File>>,
}

impl WritePermit {
    /// The path as it was given.
    pub fn path(&self) -> &Path {
        self.held.path()
    }

    /// Why it may be written.
    pub fn ground(&self) -> Ground {
        self.ground
    }

    /// The file or device.
    pub fn held(&self) -> &PathHandle {
        &self.held
    }

    /// Makes a file longer, with a hole. A file that is as long already stays as it is.
    pub fn extend(&self, size: u64) -> io::Result<Extended> {
        let file = self.held.reopen(OFlags::RDWR)?;
        let metadata = file.metadata()?;
        let before = metadata.len();
        let extended = Extended {
            path: self.held.path().to_path_buf(),
            file,
            before,
            size: size.max(before),
            changed: metadata.modified()?,
            is_kept: false,
            keeper: Arc::clone(&self.keeper),
        };
        self.keeper.share(&extended.file)?;
        extended.file.set_len(extended.size)?;
        Ok(extended)
    }

    /// As [`Hold::begin`], for whoever has another program write to it. The mark gets the new content when this is dropped; who else
    /// writes to it meanwhile is not seen.
    pub fn begin(&self, hint: &str) -> io::Result<()> {
        self.keeper.lend();
        self.keeper.begin_on(self.ground, hint)
    }

    /// Removes a file that holds nothing but what Plimsoll wrote, and that nobody else has open for writing; returns why it stays.
    pub fn remove(self) -> io::Result<Option<&'static str>> {
        let is_ours = matches!(self.ground, Ground::Made | Ground::NoData);
        if !is_ours || self.device.is_some() {
            return Err(io::Error::other("it holds what Plimsoll did not write"));
        }
        let path = self.held.resolved();
        let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
            return Err(Errno::ISDIR.into());
        };
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let folder = rustix::fs::open(folder, flags, Mode::empty())?;
        Ok(self.keeper.remove(&folder, name))
    }

    /// Opens it for reading and writing. It is looked at once more: an error where a device is not the one that was judged, or
    /// somebody has written to a file since.
    pub fn open(self, flags: OFlags) -> io::Result<Writable> {
        let file = self.held.reopen(flags | OFlags::RDWR)?;
        self.keeper.share(&file)?;
        if let Some(judged) = &self.device {
            judged.check(&file)?;
        }
        if self.ground == Ground::NoData && !super::file::holds_nothing(&file) {
            return Err(io::Error::other(
                "it held nothing when it was looked at, and now it holds data",
            ));
        }
        let is_of_file = self.device.is_none() && self.ground != Ground::Named;
        if is_of_file && self.keeper.has_seen_a_writer() {
            return Err(io::Error::other(
                "somebody has written to it since it was looked at; start again",
            ));
        }
        Ok(Writable {
            file,
            hold: Hold {
                ground: self.ground,
                device: self.device,
                keeper: self.keeper,
                _guards: self.guards,
            },
        })
    }
}

impl Hold {
    /// Why it may be written.
    pub fn ground(&self) -> Ground {
        self.ground
    }

    /// True for a block device.
    pub fn is_device(&self) -> bool {
        self.device.is_some()
    }

    /// What its end will tell.
    pub fn ending(&self) -> Ending {
        self.keeper.ending()
    }

    /// Marks the target as being written, before the first write, where nothing but Plimsoll's data will be lost,
    /// so that later runs know that all that is on it is Plimsoll's. Where this run is cut off, its blocks are recognised by
    /// `hint`.
    pub fn begin(&self, hint: &str) -> io::Result<()> {
        self.keeper.begin_on(self.ground, hint)
    }

    /// Marks the target as filled, when all of it was written, apart from the first `spare` bytes of a device: nothing that was
    /// on it before is left, whatever it was.
    pub fn filled(&self, spare: u64) -> io::Result<()> {
        self.keeper.begin(spare)
    }
}
