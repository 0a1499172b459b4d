//! The file that a lab keeps its data in: written in place, for as long as the lab serves.

use super::error::OutputError;
use super::judge::{Rules, check_place, check_unused};
use super::mark::{self, Mark, State};
use super::place::OutputPlace;
use crate::writers::WriterWatch;
use plimsoll_witness::{Root, occupancy};
use rustix::fs::{FlockOperation, Mode, OFlags, flock, openat};
use rustix::io::Errno;
use std::fs::File;
use std::ops::Deref;
use std::path::{Path, PathBuf};

/// Leave to keep data in a file: a new one, an empty one, or one that a lab made and nobody else has written to.
#[derive(Debug)]
pub struct BackingPermit {
    place: OutputPlace,
    /// True where all that is in it is labs' data.
    is_labs: bool,
}

/// The file that a lab keeps its data in, open and locked. When this is dropped, its mark gets what the file is then, unless somebody
/// else has written to it meanwhile.
#[derive(Debug)]
pub struct BackingFile {
    file: File,
    /// What it is called.
    path: PathBuf,
    is_labs: bool,
    others: WriterWatch,
}

impl BackingFile {
    /// Writes the mark, as dropping this does. To be called after the last write, for whoever may never drop this.
    pub fn end(&self) {
        if self.is_labs {
            // Without it the mark stays one of a file that is being served.
            let _ = mark::end_backing(&self.file, || self.is_left_alone());
        }
    }

    fn is_left_alone(&self) -> bool {
        let uses = occupancy::visible_uses_of_file(&Root::system(), &self.file, &self.path);
        uses.is_empty() && self.others.has_seen_one() == Some(false)
    }
}

impl Deref for BackingFile {
    type Target = File;

    fn deref(&self) -> &File {
        &self.file
    }
}

impl Drop for BackingFile {
    fn drop(&mut self) {
        self.end();
    }
}

impl BackingPermit {
    /// Judges the file. Looks only: nothing is made or changed.
    pub fn ask(path: &Path, rules: &Rules) -> Result<Self, OutputError> {
        let place = OutputPlace::find(path)?;
        check_place(&place, rules)?;
        let filled = place.there.as_ref().filter(|found| !found.is_empty());
        let state = filled.map_or(State::AsLeft, |found| Mark::Backing.state(found));
        let why = match state {
            State::AsLeft => None,
            State::Unmarked => Some("it is there, and no lab made it"),
            State::Changed => {
                Some("a lab made it, and somebody has written to it since the lab ended")
            }
            State::Unknown => Some(
                "a lab made it, and since then its mode, name or attributes were changed, or somebody wrote to it and put its time back: it holds too much data to tell",
            ),
            State::Served => Some(
                "a lab made it and was killed, or somebody else wrote to it while it was served",
            ),
        };
        if let (Some(why), false) = (why, rules.overwrite) {
            return Err(OutputError::refused(
                path,
                why,
                "name another file, or add --overwrite to serve what is in it and write over it",
            ));
        }
        Ok(BackingPermit {
            place,
            is_labs: matches!(state, State::AsLeft | State::Served),
        })
    }

    /// The path as it was given.
    pub fn path(&self) -> &Path {
        &self.place.path
    }

    /// The file's length now, bytes; 0 where there is none.
    pub fn len(&self) -> u64 {
        self.place.there.as_ref().map_or(0, |found| found.len())
    }

    /// True where it holds nothing yet.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Opens the file for reading and writing, or makes it. It's locked while it is open: no other lab gets it.
    pub fn open(self) -> Result<BackingFile, OutputError> {
        let path = &self.place.path;
        // Once more, before this process is itself one that has it open.
        if self.place.there.is_some() {
            check_unused(&self.place)?;
        }
        let failed = |e: std::io::Error| OutputError::system(path, e);
        let file = match &self.place.there {
            None => self.make()?,
            Some(found) => found.open(OFlags::RDWR).map_err(failed)?,
        };
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => {}
            Err(Errno::WOULDBLOCK) => {
                let why = "it is in use: another lab keeps its data in it";
                let remedy = "stop that lab, or name another file";
                return Err(OutputError::refused(path, why, remedy));
            }
            Err(error) => return Err(failed(error.into())),
        }
        // Shared before anybody looks: this process's own descriptor is no other writer.
        let mut others = WriterWatch::begin(&file);
        others.share(&file).map_err(failed)?;
        if let Some(found) = &self.place.there {
            let now = rustix::fs::fstat(&file).map_err(|e| failed(e.into()))?;
            if !found.is_untouched(&now) {
                let why = "it was changed by somebody else meanwhile";
                return Err(OutputError::refused(path, why, "start the lab again"));
            }
        }
        if self.is_labs {
            mark::begin_backing(&file);
        }
        Ok(BackingFile {
            file,
            path: self.place.real_path(),
            is_labs: self.is_labs,
            others,
        })
    }

    fn make(&self) -> Result<File, OutputError> {
        let place = &self.place;
        let flags =
            OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        match openat(
            &place.folder,
            &place.name,
            flags,
            Mode::from_raw_mode(0o666),
        ) {
            Ok(fd) => Ok(fd.into()),
            Err(Errno::EXIST) => Err(OutputError::refused(
                &place.path,
                "it was made by somebody else meanwhile",
                "name another file",
            )),
            Err(error) => Err(OutputError::system(&place.path, error)),
        }
    }
}
