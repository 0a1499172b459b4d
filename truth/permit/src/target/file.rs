//! Whether a regular file may be written.

use super::content::Recogniser;
use super::device::signatures;
use super::keeper::Keeper;
use super::names::{destroy_flag, is_file_named};
use super::permit::{Ground, WritePermit};
use super::{Refusal, claims, mark};
use crate::PathHandle;
use plimsoll_witness::locks::{self, Holder};
use plimsoll_witness::occupancy::{self, Use};
use plimsoll_witness::{Root, signature};
use rustix::fs::{SeekFrom, seek};
use rustix::io::Errno;
use std::fs::File;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::sync::Arc;

/// As [`super::assess`], for a regular file.
pub(super) fn assess(
    root: &Root,
    held: PathHandle,
    destroy: &[String],
    is_ours: Recogniser<'_>,
) -> Result<WritePermit, Refusal> {
    match judge(root, &held, destroy, is_ours) {
        Ok((ground, file, keeper)) => Ok(WritePermit {
            held,
            ground,
            keeper,
            guards: vec![file],
            device: None,
        }),
        Err((why, remedy)) => Err(Refusal {
            path: held.path().to_path_buf(),
            why,
            remedy,
        }),
    }
}

/// Why not, and what to do.
type Reason = (String, String);

fn judge(
    root: &Root,
    held: &PathHandle,
    destroy: &[String],
    is_ours: Recogniser<'_>,
) -> Result<(Ground, Arc<File>, Arc<Keeper>), Reason> {
    // Locked first and looked at then, so that no other Plimsoll comes in between.
    let file = claim(root, held)?;
    let uses = occupancy::uses_of_file(root, &file, held.resolved());
    if let Some(used) = uses.first() {
        return Err((format!("it is in use: {used}"), remedy(used)));
    }
    // From here on, where nobody has it open for writing, whoever writes to it is seen.
    let keeper = Keeper::of(held, None).map_err(cannot_look)?;
    let is_named = is_file_named(held, destroy);
    if holds_nothing(&file) {
        return Ok((Ground::NoData, file, keeper));
    }
    let found = found_on(held, &file, is_ours);
    if is_named {
        let is_made = matches!(found, Ok(None));
        let ground = if is_made { Ground::Made } else { Ground::Named };
        return Ok((ground, file, keeper));
    }
    let Some(why) = found.map_err(cannot_look)? else {
        // Without it the next look reads all of it again.
        let _ = keeper.renew();
        return Ok((Ground::Made, file, keeper));
    };
    let flag = destroy_flag(&held.path().display().to_string());
    Err((why, format!("to destroy what is in it, add {flag}")))
}

fn cannot_look(error: io::Error) -> Reason {
    (
        format!("it cannot be looked at before writing: {error}"),
        "run as a user who may read it".to_string(),
    )
}

/// The file, locked so that of several Plimsolls one writes it; on network file systems only opened.
pub(super) fn claim(root: &Root, held: &PathHandle) -> Result<Arc<File>, Reason> {
    let reader = held.open_to_read().map_err(cannot_look)?;
    let holders = || Vec::from_iter(locks::holder(root, &reader));
    let (claimed, holders) = claims::claim_patiently(held, holders);
    match claimed {
        Ok(file) if is_gone(held, &file) => Err((
            "it was removed while it was looked at".to_string(),
            "start again, or name another file".to_string(),
        )),
        Ok(file) => Ok(file),
        Err(error) if claims::is_busy(&error) => Err(locked_by(holders.first())),
        Err(error) => Err(cannot_look(error)),
    }
}

/// True where the file has lost its last name since it was looked up: another Plimsoll that made it has removed it.
fn is_gone(held: &PathHandle, file: &File) -> bool {
    held.metadata().nlink() > 0 && file.metadata().is_ok_and(|now| now.nlink() == 0)
}

/// Reason why a file that somebody has locked is not written, and what to do.
pub(super) fn locked_by(holder: Option<&Holder>) -> Reason {
    match holder {
        Some(Holder { pid, program }) if program == "plimsoll" => (
            format!("it is in use: another Plimsoll (process {pid}) is writing it"),
            "wait until that run has ended, or name another file".to_string(),
        ),
        Some(Holder { pid, program }) => (
            format!("it is in use: process {pid} ({program}) has it locked (flock)"),
            format!("stop process {pid} first, or name another file"),
        ),
        None => (
            "it is in use: a process that cannot be seen from here has it locked (flock), perhaps another Plimsoll that is writing it"
                .to_string(),
            "wait until that run has ended, or name another file".to_string(),
        ),
    }
}

/// What would be lost in a file with data, in words; `None` where Plimsoll made it and nobody else has written to it.
fn found_on(held: &PathHandle, file: &File, is_ours: Recogniser<'_>) -> io::Result<Option<String>> {
    let Some(mark) = mark::of(file) else {
        let why = "it holds data and does not carry the mark of a file that Plimsoll made";
        return Ok(Some(why.to_string()));
    };
    let mut probe = mark::probe(held)?;
    let size = probe.file().metadata()?.len();
    let others = signatures(&signature::scan(&mut probe, size, 0, 0)?, true);
    if !others.is_empty() {
        let others = others.join(", ");
        return Ok(Some(format!("Plimsoll made it, and now it holds {others}")));
    }
    let misfit = mark.misfit(held, file, is_ours)?;
    Ok(misfit.map(|why| format!("Plimsoll made it, and {why}")))
}

/// True where no byte was ever written: an empty file, or one of holes (`truncate -s`, `fallocate`). A file system
/// that doesn't know holes shows data everywhere.
pub(super) fn holds_nothing(file: &File) -> bool {
    matches!(seek(file, SeekFrom::Data(0)), Err(Errno::NXIO))
}

fn remedy(used: &Use) -> String {
    match used {
        Use::Swap { of } => format!("take it out of use first: swapoff {}", of.name),
        Use::Held { by, .. } => {
            format!("test /dev/{by} instead, or detach it first: losetup -d /dev/{by}")
        }
        Use::Opened { pid, .. }
        | Use::Mapped { pid, .. }
        | Use::Locked {
            by: Some(Holder { pid, .. }),
            ..
        } => format!("stop process {pid} first, or name another file"),
        Use::Exported { .. } | Use::Written | Use::Locked { by: None, .. } => {
            "find out who serves or uses it (an iSCSI or NVMe target, a container), or name another file"
                .to_string()
        }
        Use::Mounted { at, .. } => format!(
            "unmount it first (umount {}), or name another file",
            at.display()
        ),
        Use::Claimed { .. } => "take it out of use first".to_string(),
    }
}

#[cfg(test)]
mod tests;
