//! The mark on files that Plimsoll made: an extended attribute, so that it may write to them again unasked.
//!
//! The mark holds the file's inode number and the time of its birth: a copy that took the attribute along (`cp -a`, a
//! restored backup) isn't a file that Plimsoll made, also where it has the same number on another file system. While a run
//! writes to the file, the mark says so; at the run's end it gets the file's size, the times of its last changes and a
//! fingerprint of its content, so that what somebody else writes there voids it.

use super::content::{Recogniser, SINCE, misfit, misfit_of_all};
use crate::PathHandle;
use crate::birth::birth;
use crate::last_change::{Change, LastChange};
use plimsoll_witness::content::{Content, fingerprint};
use plimsoll_witness::probe::Probe;
use rustix::fs::{Stat, XattrFlags, fgetxattr, fremovexattr, fsetxattr, fstat};
use rustix::io::Errno;
use std::fs::File;
use std::io;

/// The attribute's name.
const ATTRIBUTE: &str = "user.plimsoll";
/// The longest mark.
const MARK_MAX: usize = 1024;
const AS_LEFT: &str = "left with ";

/// What a file's mark says.
#[derive(Debug)]
pub(super) struct Mark {
    content: Content,
    /// Size and times of the last changes; `None` while it is written.
    left: Option<LastChange>,
}

/// Marks `file` as one that Plimsoll writes to. `false`: the file system keeps no such attributes or has no room for one, and
/// the next run will ask for `--destroy`.
pub(super) fn begin(file: &File, hint: &str) -> io::Result<bool> {
    set(file, &Content::BeingWritten(hint.to_string()).text())
}

/// Marks a file as it is now, after the last write, where nobody else has written to it.
pub(super) fn end(
    held: &PathHandle,
    hint: &str,
    is_left_alone: impl FnMut() -> bool,
) -> io::Result<()> {
    let file = held.open_to_read()?;
    // Before the look, and before it is asked who else wrote: who writes from now on voids the mark.
    let left = fstat(&file)?;
    let content = Content::Left {
        fingerprint: fingerprint(&mut probe(held)?, left.st_size as u64, 0)?,
        hint: hint.to_string(),
    };
    leave(&file, &left, &content, is_left_alone)
}

fn leave(
    file: &File,
    left: &Stat,
    content: &Content,
    is_left_alone: impl FnMut() -> bool,
) -> io::Result<()> {
    let content_text = content.text();
    LastChange::put_down(file, left, is_left_alone, |left| match left {
        Some(left) => set(file, &format!("{AS_LEFT}{left}, {content_text}")),
        None => begin(file, content.hint()),
    })
}

/// Removes the mark; a file without one stays as it is.
pub(super) fn void(file: &File) -> io::Result<()> {
    match fremovexattr(file, ATTRIBUTE) {
        Ok(()) | Err(Errno::NODATA | Errno::OPNOTSUPP | Errno::PERM | Errno::ACCESS) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

fn set(file: &File, what: &str) -> io::Result<bool> {
    let value = format!("{}, {what}", whose(file)?);
    match fsetxattr(file, ATTRIBUTE, value.as_bytes(), XattrFlags::empty()) {
        Ok(()) => Ok(true),
        Err(Errno::OPNOTSUPP | Errno::PERM | Errno::NOSPC | Errno::DQUOT) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// True where Plimsoll made this very file. An attribute that cannot be read is none.
pub fn has(file: &File) -> bool {
    of(file).is_some()
}

/// True where the mark of this very file says that a run writes to it: one does, or was cut off.
pub fn is_being_written(file: &File) -> bool {
    of(file).is_some_and(|mark| mark.left.is_none())
}

/// The mark of this very file.
pub(super) fn of(file: &File) -> Option<Mark> {
    let mut buffer = [0u8; MARK_MAX];
    let length = fgetxattr(file, ATTRIBUTE, &mut buffer[..]).ok()?;
    let text = std::str::from_utf8(&buffer[..length]).ok()?;
    let what = text.strip_prefix(&whose(file).ok()?)?.strip_prefix(", ")?;
    let Some(left) = what.strip_prefix(AS_LEFT) else {
        return Some(Mark {
            content: Content::parse(what)?,
            left: None,
        });
    };
    let (left, content) = left.rsplit_once(", ")?;
    Some(Mark {
        content: Content::parse(content)?,
        left: Some(LastChange::parse(left)?),
    })
}

impl Mark {
    /// The hint by which the blocks of the runs so far are recognised.
    pub(super) fn hint(&self) -> &str {
        self.content.hint()
    }

    /// True where the file is as it was left, but for its inode.
    pub(super) fn is_stale(&self, file: &File) -> io::Result<bool> {
        let now = fstat(file)?;
        Ok(self
            .left
            .is_some_and(|left| left.since(&now) == Change::Inode))
    }

    /// Marks a file of the same content as it is now, where nobody else writes to it.
    pub(super) fn renew(&self, file: &File, is_left_alone: impl FnMut() -> bool) -> io::Result<()> {
        leave(file, &fstat(file)?, &self.content, is_left_alone)
    }

    /// Why the file is not as it was marked; `None` where it is.
    pub(super) fn misfit(
        &self,
        held: &PathHandle,
        file: &File,
        is_ours: Recogniser<'_>,
    ) -> io::Result<Option<String>> {
        let now = fstat(file)?;
        let (size, mut probe) = (now.st_size as u64, probe(held)?);
        let change = self.left.map(|left| (left.size, left.since(&now)));
        match change {
            Some((then, _)) if then != size => {
                return Ok(Some(format!(
                    "{SINCE}: it has {size} bytes, and had {then}"
                )));
            }
            Some((_, Change::Content)) => {
                return Ok(Some(format!("{SINCE}: it was changed later")));
            }
            Some((_, Change::None | Change::Inode)) | None => {}
        }
        let misfit = misfit(&self.content, &mut probe, size, 0, is_ours)?;
        match change {
            Some((_, Change::Inode)) if misfit.is_none() => {
                misfit_of_all(&self.content, &mut probe, size, is_ours)
            }
            _ => Ok(misfit),
        }
    }
}

/// Reads of the file around the page cache, where that can be.
pub(super) fn probe(held: &PathHandle) -> io::Result<Probe> {
    Probe::of(|is_direct| match is_direct {
        true => held.open_to_read_directly(),
        false => held.open_to_read(),
    })
}

/// Identity in a mark: it tells this very file or directory from a copy of it.
pub(crate) fn whose(file: &File) -> io::Result<String> {
    let inode = fstat(file)?.st_ino;
    Ok(format!("made by plimsoll, inode {inode}{}", birth(file)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;
    use std::process::Command;

    /// A marked file in a folder of its own; `None` where its file system keeps no marks.
    fn marked() -> Option<tempfile::TempDir> {
        let folder = tempfile::tempdir().unwrap();
        let file = File::create(folder.path().join("made")).unwrap();
        assert!(!has(&file));
        if !begin(&file, "").unwrap() {
            plimsoll_skipped::skipped!(
                "the temporary folder's file system keeps no user attributes"
            );
            return None;
        }
        Some(folder)
    }

    fn has_mark(path: &Path) -> bool {
        has(&File::open(path).unwrap())
    }

    #[test]
    fn a_marked_file_is_known_again_and_a_copy_is_not() {
        let Some(folder) = marked() else { return };
        let path = folder.path().join("made");
        for ended in [false, true] {
            if ended {
                end(&PathHandle::open(&path).unwrap(), "", || true).unwrap();
            }
            assert_eq!(is_being_written(&File::open(&path).unwrap()), !ended);
            assert!(has_mark(&path));
            let copy = folder.path().join("copy");
            let copied = Command::new("cp").arg("-a").arg(&path).arg(&copy).status();
            assert!(copied.unwrap().success());
            assert!(!has_mark(&copy));
        }
    }

    #[test]
    fn a_hard_link_is_the_same_file() {
        let Some(folder) = marked() else { return };
        let other = folder.path().join("other");
        std::fs::hard_link(folder.path().join("made"), &other).unwrap();
        assert!(has_mark(&other));
    }

    #[test]
    fn a_mark_of_an_earlier_form_is_none() {
        let Some(folder) = marked() else { return };
        let file = File::open(folder.path().join("made")).unwrap();
        let earlier = whose(&file).unwrap();
        fsetxattr(&file, ATTRIBUTE, earlier.as_bytes(), XattrFlags::empty()).unwrap();
        assert!(!has(&file));
    }
}
