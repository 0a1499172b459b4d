//! The marks on files that Plimsoll wrote: extended attributes, so that it may replace them unasked.
//!
//! A mark holds the file's inode number and the time of its birth, so a copy carries none. That of a page or an export has
//! the digest of all that was written, so a later edit voids it; so has that of a report folder's record. That of a lab's backing file has from the lab's end on the file's
//! size, the times of its last changes and, where it isn't too large, the digest of its data; before that it says that a lab serves
//! it. Where a file system keeps no such attributes there is no mark.

use super::found::Found;
use super::sparse;
use crate::birth::birth;
use crate::last_change::{Change, LastChange};
use plimsoll_witness::content::Digest;
use rustix::fs::{Stat, XattrFlags, fsetxattr, fstat, getxattr};
use rustix::io::Errno;
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::AsFd;

/// Mark, by whose it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mark {
    /// Plimsoll wrote all of it.
    Written,
    /// A lab made it to keep its data in.
    Backing,
    /// It is the record of a report folder, as the report's run left it.
    ReportRecord,
}

/// What a mark says of a file that is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    /// Nothing: there is none, or it is another file's.
    Unmarked,
    /// Nobody has written to it since.
    AsLeft,
    /// Somebody has.
    Changed,
    /// Its mode, name or attributes were changed, or somebody wrote to it and put its time back; its data are too many to tell.
    Unknown,
    /// A lab serves it, or was killed while it did.
    Served,
}

const SERVED: &str = "being served";
const CONTENT: &str = ", content ";

impl Mark {
    fn attribute(self) -> &'static str {
        match self {
            Mark::Written => "user.plimsoll.written",
            Mark::Backing => "user.plimsoll.backing",
            Mark::ReportRecord => "user.plimsoll.report",
        }
    }

    /// What it says of a file. A mark that cannot be read is none.
    pub(crate) fn state(self, found: &Found) -> State {
        let mut buffer = [0u8; 256];
        let Ok(length) = getxattr(found.path(), self.attribute(), &mut buffer[..]) else {
            return State::Unmarked;
        };
        let whose = whose(found.stat(), found.handle());
        let text = std::str::from_utf8(&buffer[..length]).ok();
        let state_text = text.and_then(|text| text.strip_prefix(&whose)?.strip_prefix(", "));
        let state = state_text.and_then(|state_text| match self {
            Mark::Written | Mark::ReportRecord => state_of_written(found, state_text),
            Mark::Backing => state_of_backing(found, state_text),
        });
        state.unwrap_or(State::Unmarked)
    }

    /// True where the file has this mark and is as it was marked.
    pub(crate) fn is_on(self, found: &Found) -> bool {
        self.state(found) == State::AsLeft
    }

    /// Without its mark the next command asks for `--overwrite`; that's no reason not to write now.
    fn say(self, file: &File, what: &str) -> io::Result<bool> {
        let value = format!("{}, {what}", whose(&fstat(file)?, file));
        let attribute = self.attribute();
        match fsetxattr(file, attribute, value.as_bytes(), XattrFlags::empty()) {
            Ok(()) => Ok(true),
            Err(Errno::OPNOTSUPP | Errno::PERM | Errno::NOSPC | Errno::DQUOT) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }
}

/// Marks a file of which Plimsoll wrote all that this digest is of, so many bytes, where that can be done.
pub(crate) fn set_written(file: &File, size: u64, digest: &Digest) {
    let _ = Mark::Written.say(file, &written(size, digest));
}

/// Marks a report folder's record as it is now, where that can be done.
pub(crate) fn set_report_record(mut file: &File) -> io::Result<()> {
    let mut digest = Digest::default();
    let size = io::copy(&mut file, &mut digest)?;
    Mark::ReportRecord.say(file, &written(size, &digest))?;
    Ok(())
}

fn written(size: u64, digest: &Digest) -> String {
    format!("{size} bytes{CONTENT}{:032x}", digest.value())
}

/// Marks a backing file as one that is being served from now on.
pub(crate) fn begin_backing(file: &File) {
    let _ = Mark::Backing.say(file, SERVED);
}

/// Marks a backing file as it is now, after the last write, where nobody else has written to it.
pub(crate) fn end_backing(file: &File, is_left_alone: impl FnMut() -> bool) -> io::Result<()> {
    // Before the look, and before it is asked who else wrote: who writes from now on voids the mark.
    let left = fstat(file)?;
    let digest = sparse::digest(file)?;
    let content = digest.map_or_else(String::new, |digest| format!("{CONTENT}{digest:032x}"));
    LastChange::put_down(file, &left, is_left_alone, |left| match left {
        Some(left) => Mark::Backing.say(file, &format!("{left}{content}")),
        None => Mark::Backing.say(file, SERVED),
    })
}

fn state_of_written(found: &Found, state_text: &str) -> Option<State> {
    let (size, digest) = state_text.split_once(" bytes")?;
    let size: u64 = size.parse().ok()?;
    let digest = u128::from_str_radix(digest.strip_prefix(CONTENT)?, 16).ok()?;
    let mut now = Digest::default();
    let is_same = found.len() == size
        && io::copy(&mut found.read().ok()?.take(size + 1), &mut now).ok()? == size
        && now.value() == digest;
    Some(if is_same {
        State::AsLeft
    } else {
        State::Changed
    })
}

fn state_of_backing(found: &Found, state_text: &str) -> Option<State> {
    if state_text == SERVED {
        return Some(State::Served);
    }
    let (left, digest) = match state_text.split_once(CONTENT) {
        Some((left, digest)) => (left, Some(u128::from_str_radix(digest, 16).ok()?)),
        None => (state_text, None),
    };
    let change = LastChange::parse(left)?.since(found.stat());
    Some(match (change, digest) {
        (Change::None, _) => State::AsLeft,
        (Change::Content, _) => State::Changed,
        (Change::Inode, None) => State::Unknown,
        (Change::Inode, Some(_)) if sparse::digest(&found.read().ok()?).ok()? == digest => {
            State::AsLeft
        }
        (Change::Inode, Some(_)) => State::Changed,
    })
}

fn whose(stat: &Stat, file: impl AsFd) -> String {
    format!("inode {}{}", stat.st_ino, birth(file))
}
