//! Whether a file may be written.

use super::error::OutputError;
use super::found::Found;
use super::mark::Mark;
use super::occupied;
use super::place::{OutputPlace, is_a_folder};
use super::precious::Precious;
use crate::nodes::is_among_devices;
use rustix::fs::{Access, AtFlags, CWD, FileType, accessat};
use rustix::io::Errno;
use std::path::{Path, PathBuf};

/// What a command may write over.
#[derive(Debug, Clone, Copy, Default)]
pub struct Rules<'a> {
    /// Also regular files that Plimsoll did not write, or that were changed since.
    pub overwrite: bool,
    /// None of these, whatever `overwrite` says.
    pub precious: &'a [Precious],
}

/// Leave to write one file. It's for the file that had the name when it was asked for, or for a name that nobody had.
#[derive(Debug)]
pub struct OutputPermit {
    pub(super) place: OutputPlace,
    /// True where the file that will be replaced is as Plimsoll wrote it.
    pub(super) is_ours: bool,
}

impl OutputPermit {
    /// Judges the file that is to be written. Looks only: nothing is made or changed.
    pub fn ask(path: &Path, rules: &Rules) -> Result<Self, OutputError> {
        Self::judge(OutputPlace::find(path)?, rules)
    }

    pub(super) fn judge(place: OutputPlace, rules: &Rules) -> Result<Self, OutputError> {
        check_place(&place, rules)?;
        let there = place.there.as_ref().filter(|found| !found.is_empty());
        let is_ours = there.is_some_and(|found| !rules.overwrite && Mark::Written.is_on(found));
        if there.is_some() && !rules.overwrite && !is_ours {
            return Err(OutputError::refused(
                &place.path,
                "it is there, and is not as Plimsoll wrote it",
                "name another file, or add --overwrite to replace it",
            ));
        }
        Ok(OutputPermit { place, is_ours })
    }

    /// The file that will be replaced.
    pub fn replaced(&self) -> Option<&Found> {
        self.place.there.as_ref()
    }

    /// The path as it was given.
    pub fn path(&self) -> &Path {
        &self.place.path
    }

    /// The path without links, at which the file will be.
    pub fn real_path(&self) -> PathBuf {
        self.place.real_path()
    }

    /// True where the file that was judged still has its name.
    pub fn is_current(&self) -> bool {
        let now = super::found::stat_within(&self.place.folder, &self.place.name);
        match (&self.place.there, now) {
            (Some(judged), Ok(now)) => judged.is(&now),
            (None, Err(error)) => error == Errno::NOENT,
            _ => false,
        }
    }

    /// Accepts the file that will be replaced as it is now: for a command that changed it itself since it was judged.
    pub fn accept_changes(&mut self) -> std::io::Result<()> {
        self.place.there.as_mut().map_or(Ok(()), Found::look_again)
    }

    /// What has the same name with `suffix` at its end, in the same folder.
    pub fn neighbour(&self, suffix: &str) -> std::io::Result<Option<Found>> {
        let mut name = self.place.name.clone();
        name.push(suffix);
        Found::within(&self.place.folder, &name)
    }
}

/// What holds whoever wrote what is there, and whatever flag is given.
pub(super) fn check_place(place: &OutputPlace, rules: &Rules) -> Result<(), OutputError> {
    let Some(found) = &place.there else {
        check_free(place)?;
        return check_precious(place, rules);
    };
    if let Some(kind) = not_a_file(found.file_type()) {
        return Err(match found.file_type() {
            FileType::Directory => is_a_folder(&place.path),
            _ => OutputError::refused(
                &place.path,
                format!("it is {kind}, and only regular files are written"),
                "name a file",
            ),
        });
    }
    check_precious(place, rules)?;
    check_unprotected(place, found)?;
    check_unused(place)?;
    check_folder(place)
}

/// Nobody uses the file.
pub(super) fn check_unused(place: &OutputPlace) -> Result<(), OutputError> {
    match occupied::uses(place).first() {
        None => Ok(()),
        Some(used) => Err(OutputError::refused(
            &place.path,
            format!("it is in use: {used}"),
            "end that use, or name another file",
        )),
    }
}

fn check_precious(place: &OutputPlace, rules: &Rules) -> Result<(), OutputError> {
    rules.precious.iter().try_for_each(|kept| kept.check(place))
}

/// A name that nobody has.
fn check_free(place: &OutputPlace) -> Result<(), OutputError> {
    if place.is_linked {
        return Err(OutputError::refused(
            &place.path,
            format!(
                "it is a link to {}, which is not there",
                place.real_path().display()
            ),
            "remove the link, or name another file",
        ));
    }
    if is_among_devices(place.folder_identity()?.0) {
        return Err(OutputError::refused(
            &place.path,
            "it is not there, and among devices nothing is made",
            "check the name, or name a file elsewhere",
        ));
    }
    check_folder(place)
}

/// The folder takes a file beside, which is said now and not after hours of measuring.
fn check_folder(place: &OutputPlace) -> Result<(), OutputError> {
    let wanted = Access::WRITE_OK | Access::EXEC_OK;
    match accessat(&place.folder, ".", wanted, AtFlags::EACCESS) {
        Err(error @ (Errno::ACCESS | Errno::ROFS)) => Err(OutputError::system(&place.path, error)),
        // That it cannot be asked is no answer.
        _ => Ok(()),
    }
}

/// A file that says of itself that it's not to be written is not replaced either, though its folder would allow it.
fn check_unprotected(place: &OutputPlace, found: &Found) -> Result<(), OutputError> {
    // Root may write everything; that nobody may, was said for it as well.
    let is_read_only = found.stat().st_mode & 0o222 == 0;
    let access = accessat(CWD, found.path(), Access::WRITE_OK, AtFlags::EACCESS);
    if is_read_only || access == Err(Errno::ACCESS) {
        return Err(OutputError::refused(
            &place.path,
            "it may not be written",
            "let it be written (chmod u+w), or name another file",
        ));
    }
    Ok(())
}

/// What it is where it's no regular file.
fn not_a_file(kind: FileType) -> Option<&'static str> {
    Some(match kind {
        FileType::RegularFile => return None,
        FileType::Directory => "a folder",
        FileType::BlockDevice => "a block device",
        FileType::CharacterDevice => "a device",
        FileType::Fifo => "a pipe",
        FileType::Socket => "a socket",
        FileType::Symlink => "a link",
        _ => "no file",
    })
}
