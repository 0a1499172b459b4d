//! A record that lost its file is written on beside it.
//!
//! SQLite still holds the files that it opened, whatever became of their names, and the pages that it wrote last. So all
//! that was recorded can be copied to a new file as long as the process lives, and only then.

use super::harm::Harm;
use crate::RecordError;
use crate::place::RecordPermit;
use plimsoll_permit::output::Rules;
use rusqlite::backup::{Backup, StepResult};
use rusqlite::{Connection, OpenFlags};
use std::fmt;
use std::path::{Path, PathBuf};

/// A record that goes on under another name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rescue {
    /// Harm to the file that it had.
    pub harm: Harm,
    /// The file that it has now; everything so far is in it.
    pub to: PathBuf,
}

impl fmt::Display for Rescue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}; all that was recorded is saved in {}, and the record goes on there",
            self.harm,
            self.to.display()
        )
    }
}

/// Copies all that `db` holds to a new file beside `path`, and returns its name. The copy is whole, with all of
/// `intervals`, or it is not kept.
pub(super) fn copy_beside(
    db: &Connection,
    path: &Path,
    intervals: u64,
) -> Result<PathBuf, RecordError> {
    let permit = permit_beside(path)?;
    let to = permit.path().to_path_buf();
    permit.make(|new| {
        let copy = copy(db, new).map_err(|e| RecordError::from_sqlite(&to, e))?;
        check(&copy, &to, intervals)
    })?;
    Ok(to)
}

/// Leave to make a file of a name that is free: `run-rescued.plim` for `run.plim`, else with a number behind.
fn permit_beside(path: &Path) -> Result<RecordPermit, RecordError> {
    const TRIES: u32 = 1000;
    let part = |part: Option<&std::ffi::OsStr>| part.unwrap_or_default().to_os_string();
    let mut number = 1;
    loop {
        let mut name = part(path.file_stem());
        name.push("-rescued");
        if number > 1 {
            name.push(format!("-{number}"));
        }
        if let Some(extension) = path.extension() {
            name.push(".");
            name.push(extension);
        }
        let to = path.with_file_name(name);
        let is_taken = std::fs::symlink_metadata(&to).is_ok();
        if !is_taken || number == TRIES {
            return RecordPermit::ask(&to, &Rules::default());
        }
        number += 1;
    }
}

fn copy(db: &Connection, to: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut copy = Connection::open_with_flags(to, flags)?;
    // As everywhere inside a step: no waiting for the disk.
    copy.pragma_update(None, "synchronous", "OFF")?;
    copy_all(db, &mut copy)?;
    Ok(copy)
}

/// Copies a whole database.
pub(crate) fn copy_all(db: &Connection, to: &mut Connection) -> rusqlite::Result<()> {
    let backup = Backup::new(db, to)?;
    // Nobody else writes, so one pass is all; anything but its end is a failure.
    let step = backup.step(-1)?;
    drop(backup);
    match step {
        StepResult::Done => Ok(()),
        _ => Err(rusqlite::Error::SqliteFailure(
            rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_BUSY),
            None,
        )),
    }
}

fn check(copy: &Connection, to: &Path, intervals: u64) -> Result<(), RecordError> {
    let failed = |e| RecordError::from_sqlite(to, e);
    let damaged = |what: String| RecordError::Damaged {
        path: to.into(),
        what,
    };
    let said: String = copy
        .query_row("PRAGMA quick_check(1)", [], |row| row.get(0))
        .map_err(failed)?;
    if said != "ok" {
        return Err(damaged(format!("a part of it is gone ({said})")));
    }
    let kept: i64 = copy
        .query_row("SELECT count(*) FROM intervals", [], |row| row.get(0))
        .map_err(failed)?;
    if u64::try_from(kept) != Ok(intervals) {
        return Err(damaged(format!("it has {kept} of {intervals} intervals")));
    }
    Ok(())
}
