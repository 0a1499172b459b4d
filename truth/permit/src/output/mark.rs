//! The marks on files that Plimsoll wrote: extended attributes, so that it may replace them unasked.
//!
//! A mark holds the file's inode number and the time of its birth, so a copy carries none, and its size and the time of its
//! last change, so a later edit voids it. That of a lab's backing file has these from the lab's end on, and says before that a
//! lab serves it. Where a file system keeps no such attributes there is no mark.

use super::found::Found;
use crate::birth::birth;
use crate::last_change::LastChange;
use rustix::fs::{Stat, XattrFlags, fsetxattr, fstat, getxattr};
use std::fs::File;
use std::os::fd::AsFd;

/// Whose mark it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mark {
    /// Plimsoll wrote all of it.
    Written,
    /// A lab made it to keep its data in.
    Backing,
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
    /// A lab serves it, or was killed while it did.
    Served,
}

const SERVED: &str = "being served";

impl Mark {
    fn attribute(self) -> &'static str {
        match self {
            Mark::Written => "user.plimsoll.written",
            Mark::Backing => "user.plimsoll.backing",
        }
    }

    /// Marks a file as it is now, where that can be done. Without its mark the next command asks for `--overwrite`;
    /// that's no reason not to write now.
    pub(crate) fn set(self, file: &File) {
        if let Ok(stat) = fstat(file) {
            self.set_as(file, &stat);
        }
    }

    /// Marks a file as it was when it had these facts.
    pub(crate) fn set_as(self, file: &File, left: &Stat) {
        let change = LastChange::of(left);
        change.let_its_second_pass();
        self.say(file, left, &change.text());
    }

    /// Marks a file as one that is being served from now on.
    pub(crate) fn begin(self, file: &File) {
        if let Ok(stat) = fstat(file) {
            self.say(file, &stat, SERVED);
        }
    }

    fn say(self, file: &File, stat: &Stat, what: &str) {
        let value = format!("{}, {what}", whose(stat, file));
        let _ = fsetxattr(
            file,
            self.attribute(),
            value.as_bytes(),
            XattrFlags::empty(),
        );
    }

    /// What it says of a file. A mark that cannot be read is none.
    pub(crate) fn state(self, found: &Found) -> State {
        let mut buffer = [0u8; 192];
        let Ok(length) = getxattr(found.path(), self.attribute(), &mut buffer[..]) else {
            return State::Unmarked;
        };
        let whose = whose(found.stat(), found.handle());
        let text = std::str::from_utf8(&buffer[..length]).ok();
        let said = text.and_then(|text| text.strip_prefix(&whose)?.strip_prefix(", "));
        match said {
            None => State::Unmarked,
            Some(SERVED) => State::Served,
            Some(left) => match LastChange::parse(left) {
                Some(left) if left.is_last(LastChange::of(found.stat())) => State::AsLeft,
                Some(_) => State::Changed,
                None => State::Unmarked,
            },
        }
    }

    /// True where the file has this mark and is as it was marked.
    pub(crate) fn is_on(self, found: &Found) -> bool {
        self.state(found) == State::AsLeft
    }
}

fn whose(stat: &Stat, file: impl AsFd) -> String {
    format!("inode {}{}", stat.st_ino, birth(file))
}
