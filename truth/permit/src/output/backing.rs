//! The file that a lab keeps its data in: written in place, for as long as the lab serves.

use super::error::OutputError;
use super::judge::{Rules, check_place, check_unused};
use super::mark::Mark;
use super::place::Place;
use rustix::fs::{FlockOperation, Mode, OFlags, flock, openat};
use rustix::io::Errno;
use std::fs::File;
use std::path::Path;

/// Leave to keep data in a file: a new one, an empty one, or one that a lab made.
#[derive(Debug)]
pub struct BackingPermit {
    place: Place,
}

impl BackingPermit {
    /// Judges the file. Looks only: nothing is made or changed.
    pub fn ask(path: &Path, rules: &Rules) -> Result<Self, OutputError> {
        let place = Place::find(path)?;
        check_place(&place, rules)?;
        if let Some(found) = &place.there
            && !rules.overwrite
            && !found.is_empty()
            && !Mark::Backing.is_on(found)
        {
            return Err(OutputError::refused(
                path,
                "it is there, and no lab made it",
                "name another file, or add --overwrite to serve what is in it and write over it",
            ));
        }
        Ok(BackingPermit { place })
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
    pub fn open(self) -> Result<File, OutputError> {
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
        if let Some(found) = &self.place.there {
            let now = rustix::fs::fstat(&file).map_err(|e| failed(e.into()))?;
            if !found.is_unchanged(&now) {
                let why = "it was changed by somebody else meanwhile";
                return Err(OutputError::refused(path, why, "start the lab again"));
            }
        }
        if self.is_empty() {
            Mark::Backing.set(&file);
        }
        Ok(file)
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
