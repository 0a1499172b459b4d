//! Giving a name to another file, and taking it away, without ever losing what was not judged.
//!
//! A check and a rename are two calls, and the name may change hands between them. So what has the name is moved aside
//! first, and looked at there, where nobody else knows its name. If it isn't what was judged, it is moved back.

use super::found::Found;
use super::mark::Mark;
use crate::removal::{is_unsupported, remove};
use rustix::fs::{AtFlags, RenameFlags, linkat, renameat, renameat_with, unlinkat};
use rustix::io::Errno;
use std::ffi::OsStr;
use std::io;
use std::os::fd::OwnedFd;

/// What came of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Swapped {
    /// The new file has the name.
    Done,
    /// Something else has it, and keeps it.
    Other,
}

/// File that was judged, and may be replaced as it was then.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Judged<'a> {
    pub file: &'a Found,
    /// True where it was as Plimsoll wrote it.
    pub is_ours: bool,
}

impl Judged<'_> {
    /// True where this name has it, and nobody has written to it since.
    fn is_still(&self, folder: &OwnedFd, name: &OsStr) -> io::Result<bool> {
        let Some(now) = Found::within(folder, name)? else {
            return Ok(false);
        };
        let is_unchanged = self.file.is_unchanged(now.stat());
        // Whose time was put back is known by its content.
        Ok(is_unchanged && (!self.is_ours || Mark::Written.is_on(&now)))
    }
}

/// Gives `name` to the file `new` where nobody has it.
pub(crate) fn give(folder: &OwnedFd, new: &OsStr, name: &OsStr) -> io::Result<Swapped> {
    let given = match renameat_with(folder, new, folder, name, RenameFlags::NOREPLACE) {
        Err(error) if is_unsupported(error) => linkat(folder, new, folder, name, AtFlags::empty())
            .and_then(|()| unlinkat(folder, new, AtFlags::empty())),
        other => other,
    };
    match given {
        Ok(()) => Ok(Swapped::Done),
        Err(Errno::EXIST) => Ok(Swapped::Other),
        Err(error) => Err(error.into()),
    }
}

/// Gives `name` to the file `new`; `judged`, which has it, goes.
pub(crate) fn replace(
    folder: &OwnedFd,
    new: &OsStr,
    name: &OsStr,
    judged: &Judged,
) -> io::Result<Swapped> {
    match renameat_with(folder, new, folder, name, RenameFlags::EXCHANGE) {
        Ok(()) => {}
        // It was removed meanwhile.
        Err(Errno::NOENT) => return give(folder, new, name),
        Err(error) if is_unsupported(error) => return replace_at_once(folder, new, name, judged),
        Err(error) => return Err(error.into()),
    }
    if judged.is_still(folder, new)? {
        unlinkat(folder, new, AtFlags::empty())?;
        return Ok(Swapped::Done);
    }
    renameat_with(folder, new, folder, name, RenameFlags::EXCHANGE)?;
    Ok(Swapped::Other)
}

/// Where the file system cannot exchange names, there is a moment between the check and the rename.
fn replace_at_once(
    folder: &OwnedFd,
    new: &OsStr,
    name: &OsStr,
    judged: &Judged,
) -> io::Result<Swapped> {
    if !judged.is_still(folder, name)? {
        return Ok(Swapped::Other);
    }
    renameat(folder, new, folder, name)?;
    Ok(Swapped::Done)
}

impl Found {
    /// Removes the file's name. `false`, and nothing is changed, where something else has the name now.
    pub fn remove(&self) -> io::Result<bool> {
        remove(&self.folder, &self.name, |now| self.is(now), || true)
    }
}
