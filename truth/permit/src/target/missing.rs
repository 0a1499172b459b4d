//! Files that are yet to be made.

use super::keeper::Keeper;
use super::permit::{Ground, WritePermit};
use super::{Refusal, claims, mark};
use crate::nodes::is_among_devices;

use crate::path_handle::{Identity, PathHandle};
use plimsoll_witness::{Root, locks};
use rustix::fs::{Mode, OFlags, open, openat};
use rustix::io::Errno;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, ErrorKind};
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Leave to make one file in one folder.
#[derive(Debug)]
pub struct NewFile {
    path: PathBuf,
    folder: OwnedFd,
    folder_identity: Identity,
    name: OsString,
}

/// A file that was made. Unless it is kept, dropping this removes it again: this very file, and nothing that took its
/// name meanwhile, and not where somebody else has written to it.
#[derive(Debug)]
pub struct Created {
    new: NewFile,
    keeper: Arc<Keeper>,
    /// Keeps other Plimsolls away.
    lock: Arc<File>,
    size: u64,
    is_kept: bool,
}

/// A path with nothing there: leave to make it, where its folder is.
pub(super) fn assess(path: &Path) -> Result<NewFile, Refusal> {
    let refuse = |why: &str, remedy: String| Refusal {
        path: path.to_path_buf(),
        why: why.to_string(),
        remedy,
    };
    if path.is_symlink() {
        return Err(refuse(
            "it is a link to nothing",
            "name the file itself, or remove the link".to_string(),
        ));
    }
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let opened = open(
        folder,
        OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC,
        Mode::empty(),
    );
    let (Some(name), Ok(opened)) = (path.file_name(), opened) else {
        return Err(no_folder(path, &[folder]));
    };
    let opened = File::from(opened);
    let metadata = opened
        .metadata()
        .map_err(|error| refuse(&error.to_string(), "check the folder".to_string()))?;
    if holds_devices(folder, &metadata) {
        return Err(refuse(
            "there is no such device",
            "`plimsoll ls` lists the devices".to_string(),
        ));
    }
    Ok(NewFile {
        path: path.to_path_buf(),
        folder_identity: Identity::of(&metadata),
        folder: opened.into(),
        name: name.to_os_string(),
    })
}

/// A file whose folder is missing; all the folders of a plan that are, for nobody makes them one by one.
pub fn no_folder(path: &Path, missing: &[&Path]) -> Refusal {
    let all: Vec<String> = missing.iter().map(|f| f.display().to_string()).collect();
    let folders = match missing {
        [_] => "folder",
        _ => "folders",
    };
    Refusal {
        path: path.to_path_buf(),
        why: "its folder doesn't exist".to_string(),
        remedy: format!("make the {folders} first: mkdir -p {}", all.join(" ")),
    }
}

/// True below `/dev`, also by another name: a file that is made there lies in memory and passes for a device.
pub(crate) fn holds_devices(folder: &Path, metadata: &std::fs::Metadata) -> bool {
    let by_name = folder
        .canonicalize()
        .is_ok_and(|f| f.starts_with("/dev") && !f.starts_with("/dev/shm"));
    by_name || is_among_devices(metadata.dev())
}

impl NewFile {
    /// The path as it was given.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether both are leave to make the same file.
    pub fn is_same(&self, other: &NewFile) -> bool {
        self.folder_identity == other.folder_identity && self.name == other.name
    }

    /// Makes the file, empty. An error where the name was taken meanwhile.
    pub fn create(self) -> io::Result<Created> {
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW;
        let made = openat(
            &self.folder,
            &self.name,
            flags | OFlags::CLOEXEC,
            Mode::from_raw_mode(0o666),
        );
        let file = match made {
            Err(Errno::EXIST) => return Err(self.taken()),
            made => File::from(made?),
        };
        // Whoever locks it first has it: another Plimsoll may find it the instant that it is made. Then the file stays.
        let held = PathHandle::to(self.path.clone(), &file)?;
        let lock = super::file::claim(&Root::system(), &held)
            .map_err(|(why, _)| io::Error::new(ErrorKind::ResourceBusy, why))?;
        let keeper = Keeper::of(&held, None)?;
        keeper.share(&file)?;
        Ok(Created {
            keeper,
            lock,
            new: self,
            size: 0,
            is_kept: false,
        })
    }

    /// Error where somebody else has made the file meanwhile. It isn't locked to find out: that would turn away another
    /// Plimsoll that is about to lock it.
    fn taken(&self) -> io::Error {
        // A pipe would keep whoever opens it waiting.
        let there = PathHandle::open(&self.path).ok();
        let there = there.filter(|there| there.metadata().is_file());
        let file = there.and_then(|there| there.open_to_read().ok());
        let holder = file.and_then(|file| {
            claims::patiently(|| {
                let holder = locks::holder(&Root::system(), &file);
                let is_seen = holder.is_some();
                (holder, is_seen)
            })
        });
        let why = match holder {
            Some(holder) => super::file::locked_by(Some(&holder)).0,
            None => "somebody else has made it meanwhile; start again".to_string(),
        };
        io::Error::new(ErrorKind::AlreadyExists, why)
    }
}

impl Created {
    /// Whether this is the file that `new` is leave to make.
    pub fn is(&self, new: &NewFile) -> bool {
        self.new.is_same(new)
    }

    /// Makes it at least `size` bytes long, of holes.
    pub fn grow(&mut self, size: u64) -> io::Result<()> {
        if size > self.size {
            self.keeper.open()?.set_len(size)?;
            self.size = size;
        }
        Ok(())
    }

    /// Length of the target, bytes.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Leave to write to it, as what is called `path`.
    pub fn permit(&self, path: &Path) -> io::Result<WritePermit> {
        Ok(WritePermit {
            keeper: Arc::clone(&self.keeper),
            guards: vec![Arc::clone(&self.lock)],
            held: PathHandle::to(path.to_path_buf(), &self.lock)?,
            ground: Ground::New,
            device: None,
        })
    }

    /// Path of the target, as it was given.
    pub fn path(&self) -> &Path {
        &self.new.path
    }

    /// Marks it as made by Plimsoll, where its file system keeps such marks, and lets it stay.
    pub fn keep(mut self) -> io::Result<()> {
        self.keep_meanwhile()?;
        self.is_kept = true;
        Ok(())
    }

    /// Marks it in the same way, so that a run which is killed leaves a file that the next one knows. It goes when this is dropped.
    pub fn keep_meanwhile(&self) -> io::Result<()> {
        // Without the mark the next run asks for --destroy; that's no reason not to run now.
        mark::begin(&self.lock, "").map(|_| ())
    }

    /// Removes it, as dropping this does, once this process has nothing open of it any more. Returns why it stays.
    pub fn remove(mut self) -> Option<&'static str> {
        self.is_kept = true;
        self.unlink()
    }

    fn unlink(&self) -> Option<&'static str> {
        self.keeper.remove(&self.new.folder, &self.new.name)
    }
}

impl Drop for Created {
    fn drop(&mut self) {
        if !self.is_kept {
            // The refusal that is on its way says what matters; an empty file left behind does not.
            let _ = self.unlink();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{FileExt, symlink};

    #[test]
    fn a_name_that_was_taken_meanwhile_is_not_written_through() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new");
        let new = assess(&path).unwrap();
        std::fs::write(&path, "precious").unwrap();
        let error = new.create().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::AlreadyExists);

        std::fs::remove_file(&path).unwrap();
        let new = assess(&path).unwrap();
        symlink("/dev/shm/somewhere", &path).unwrap();
        assert!(new.create().is_err());
        assert!(!Path::new("/dev/shm/somewhere").exists());
    }

    #[test]
    fn what_is_not_kept_is_removed_and_what_took_its_name_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new");
        drop(assess(&path).unwrap().create().unwrap());
        assert!(!path.exists());

        let created = assess(&path).unwrap().create().unwrap();
        std::fs::rename(&path, folder.path().join("moved")).unwrap();
        std::fs::write(&path, "somebody else's").unwrap();
        drop(created);
        assert_eq!(std::fs::read(&path).unwrap(), b"somebody else's");
        std::fs::remove_file(&path).unwrap();

        let created = assess(&path).unwrap().create().unwrap();
        std::fs::rename(&path, folder.path().join("moved")).unwrap();
        assert!(created.remove().unwrap().contains("that name"));

        assess(&folder.path().join("kept"))
            .unwrap()
            .create()
            .unwrap()
            .keep()
            .unwrap();
        assert!(folder.path().join("kept").exists());
    }

    #[test]
    fn what_somebody_else_wrote_to_is_not_removed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new");
        let made = || {
            let mut created = assess(&path).unwrap().create().unwrap();
            created.grow(1 << 20).unwrap();
            let open = created.permit(&path).unwrap().open(OFlags::empty());
            let open = open.unwrap();
            open.hold.begin("").unwrap();
            open.file.write_all_at(b"own", 0).unwrap();
            (created, open)
        };
        let (created, open) = made();
        drop(open);
        assert_eq!(created.remove(), None);
        assert!(!path.exists());

        for is_told in [true, false] {
            let (created, open) = made();
            std::fs::write(&path, "somebody else's").unwrap();
            drop(open);
            match is_told {
                true => assert!(created.remove().unwrap().contains("another program")),
                false => drop(created),
            }
            assert_eq!(std::fs::read(&path).unwrap(), b"somebody else's");
            std::fs::remove_file(&path).unwrap();
        }
        // Nor is what was refused before it was begun.
        let created = assess(&path).unwrap().create().unwrap();
        std::fs::write(&path, "somebody else's").unwrap();
        drop(created);
        assert!(path.exists());
    }

    #[test]
    fn nothing_is_made_among_devices_by_whatever_name() {
        let folder = tempfile::tempdir().unwrap();
        let nodes = folder.path().join("nodes");
        symlink("/dev", &nodes).unwrap();
        let dangling = folder.path().join("dangling");
        symlink("/dev/plimsoll-missing", &dangling).unwrap();
        for path in [
            Path::new("/dev/plimsoll-missing"),
            &nodes.join("x"),
            &dangling,
        ] {
            assert!(assess(path).is_err(), "{}", path.display());
        }
        assert!(assess(Path::new("/dev/shm/plimsoll-x")).is_ok());
    }
}
