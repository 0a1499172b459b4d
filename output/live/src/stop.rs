//! Stopping a run that goes on here, by its record: as the first interrupt (Ctrl-C) in its terminal does.

use plimsoll_witness::Root;
use plimsoll_witness::occupancy::{Subject, Use};
use plimsoll_witness::openers::{self, Key};
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
use std::path::Path;

/// Reason why a run was not stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotStopped {
    /// No run of this user on this host writes the record: it has ended, or goes on elsewhere.
    NotHere,
    /// The record is an agent's part: the run is another host's.
    Agent,
    /// The run cannot be told to stop yet, or not from here.
    Deaf,
    /// The system did not let it be done.
    Refused(rustix::io::Errno),
}

impl std::fmt::Display for NotStopped {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            NotStopped::NotHere => f.write_str(
                "no run of yours on this host writes this record: it has ended, or it goes on elsewhere",
            ),
            NotStopped::Agent => f.write_str(
                "this is an agent's part of a run: stop it on the host that leads it",
            ),
            NotStopped::Deaf => f.write_str(
                "the run has only just begun, or its version can be stopped in its own terminal alone: try again, or press Ctrl-C there",
            ),
            NotStopped::Refused(why) => write!(f, "the run cannot be stopped: {why}"),
        }
    }
}

/// Signal that stops a run at the end of its interval, however often it comes. An interrupt stops one at once where it comes twice.
pub const STOP: i32 = Signal::USR2.as_raw();

/// Stops the run that writes a record, with [`STOP`].
///
/// # Errors
/// Nobody here writes the record, or the writer is no run that takes the signal.
pub fn stop(record: &Path) -> Result<(), NotStopped> {
    let pid = writer(record).ok_or(NotStopped::NotHere)?;
    let process = i32::try_from(pid).ok().and_then(Pid::from_raw);
    // From here on the number can be of no other process.
    let process = pidfd_open(process.ok_or(NotStopped::NotHere)?, PidfdFlags::empty());
    let process = process.map_err(NotStopped::Refused)?;
    let words = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    if words.split(|byte| *byte == 0).nth(1) == Some(b"agent") {
        return Err(NotStopped::Agent);
    }
    if writer(record) != Some(pid) {
        return Err(NotStopped::NotHere);
    }
    // It would kill a process that has no handler for it: an older version, or a run that only begins.
    if !catches_stop(pid) {
        return Err(NotStopped::Deaf);
    }
    pidfd_send_signal(process, Signal::USR2).map_err(NotStopped::Refused)
}

/// True where a process has a handler for [`STOP`]: `SigCgt` of its status, a bit a signal.
fn catches_stop(pid: u32) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let mask = status.lines().find_map(|l| l.strip_prefix("SigCgt:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask & (1 << (STOP - 1)) != 0)
}

/// The process of this program that has a record open to write it; readers have it open to read.
fn writer(record: &Path) -> Option<u32> {
    let metadata = std::fs::symlink_metadata(record).ok()?;
    let own = std::fs::read_to_string("/proc/self/comm").ok()?;
    let wanted = [(Key::file(&metadata), Subject::itself("record"))];
    let users = openers::of(&Root::system(), &wanted).into_iter();
    let mut runs = users.filter_map(|used| match used {
        Use::Opened { program, pid, .. } if program.trim() == own.trim() => Some(pid),
        _ => None,
    });
    runs.next()
}
