//! Where a record may be made, and what lies beside it.
//!
//! SQLite takes `NAME-wal`, `NAME-shm` and `NAME-journal` for its own, whoever made them: it plays them back, writes over
//! them and removes them. So they are looked at before it is let near.

use crate::{RecordError, schema};
use plimsoll_permit::output::{Found, OutputError, OutputFile, OutputPermit, Precious, Rules};
use rusqlite::{Connection, OpenFlags};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Neighbours that SQLite keeps beside a database, and the bytes that each begins with (https://www.sqlite.org/fileformat.html, 3 and 4;
/// https://www.sqlite.org/walformat.html, 2.1).
const NEIGHBOURS: [(&str, &[&[u8]]); 3] = [
    (
        "-wal",
        &[&[0x37, 0x7f, 0x06, 0x82], &[0x37, 0x7f, 0x06, 0x83]],
    ),
    (
        "-shm",
        &[
            &3_007_000_u32.to_ne_bytes(),
            // Before its first use.
            &[0; 8],
        ],
    ),
    (
        "-journal",
        &[
            &[0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7],
            // A journal that is done with, where it is kept.
            &[0; 8],
        ],
    ),
];

/// Leave to make a record in a place.
#[derive(Debug)]
pub struct RecordPermit {
    output: OutputPermit,
}

impl RecordPermit {
    /// Judges the place; looks only. A file that is there is an error unless it's empty, or `overwrite` is given and it's
    /// a record that nobody uses.
    pub fn ask(path: &Path, rules: &Rules) -> Result<Self, RecordError> {
        let any = Rules {
            overwrite: true,
            ..*rules
        };
        let output = OutputPermit::ask(path, &any).map_err(|e| refused(path, e))?;
        let old = output.replaced().filter(|old| !old.is_empty());
        if old.is_some() && !rules.overwrite {
            return Err(RecordError::Exists { path: path.into() });
        }
        if let Some(old) = old {
            let failed = |e| RecordError::from_io(path, e);
            if !schema::is_marked(&old.path()).map_err(failed)? {
                return Err(RecordError::NotOurs { path: path.into() });
            }
        }
        let permit = RecordPermit { output };
        permit.check_neighbours(old_log(&permit.output))?;
        Ok(permit)
    }

    /// Path of the record to be, as it was named.
    pub fn path(&self) -> &Path {
        self.output.path()
    }

    /// Removes what programs left beside it that died before their record was whole. How many files went; one that cannot be
    /// removed stays.
    pub fn clear_leftovers(&self) -> usize {
        let all = self.output.leftovers().unwrap_or_default();
        let gone = all.iter().filter(|f| f.remove().is_ok_and(|gone| gone));
        gone.count()
    }

    /// Makes the new record by `fill`, which is given the path of an empty file, and gives it the record's name. Until
    /// then an old record is as it was. Returns the record's path without links.
    pub(crate) fn make(
        mut self,
        fill: impl FnOnce(&Path) -> Result<(), RecordError>,
    ) -> Result<PathBuf, RecordError> {
        let given = self.path().to_path_buf();
        let real = self.output.real_path();
        let has_old = self.output.replaced().is_some_and(|old| !old.is_empty());
        // SQLite knows files by their names only: what was put there meanwhile is kept from it.
        if has_old && self.output.is_current() && is_in_use(&real) {
            return Err(RecordError::InUse { path: given });
        }
        // What was in the old record's log is in the record now, unless it is damaged.
        let accepted = self.output.accept_changes();
        accepted.map_err(|e| RecordError::from_io(&given, e))?;
        let beside = self.check_neighbours(old_log(&self.output))?;
        let new: OutputFile = self.output.open().map_err(|e| refused(&given, e))?;
        fill(&new.temporary_path())?;
        new.publish().map_err(|e| refused(&given, e))?;
        for neighbour in beside {
            neighbour
                .remove()
                .map_err(|e| RecordError::from_io(&given, e))?;
        }
        Ok(real)
    }

    /// Files beside the place under names that SQLite would take for its own. An error where one of them is not what `own` lets be there.
    fn check_neighbours(&self, own: Log) -> Result<Vec<Found>, RecordError> {
        let mut all = Vec::new();
        for (suffix, starts) in NEIGHBOURS {
            let found = self.output.neighbour(suffix);
            let Some(found) = found.map_err(|e| RecordError::from_io(self.path(), e))? else {
                continue;
            };
            if !own.has(suffix) || !begins_with(&found, starts) {
                let mut neighbour = self.path().as_os_str().to_os_string();
                neighbour.push(suffix);
                return Err(RecordError::Beside {
                    path: self.path().into(),
                    neighbour: neighbour.into(),
                });
            }
            all.push(found);
        }
        Ok(all)
    }
}

/// Log that SQLite would have made beside a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Log {
    None,
    Wal,
    Journal,
}

impl Log {
    fn has(self, suffix: &str) -> bool {
        match self {
            Log::None => false,
            // Whoever was killed while it asked whether somebody uses the record, or ended it, was leaving WAL: that takes a journal.
            Log::Wal => true,
            Log::Journal => suffix == "-journal",
        }
    }
}

/// The log that the record that is there has, as it says in its header.
fn old_log(output: &OutputPermit) -> Log {
    let mut header = [0; 20];
    let read = output
        .replaced()
        .filter(|old| !old.is_empty())
        .and_then(|old| old.read().ok())
        .and_then(|mut file| file.read_exact(&mut header).ok());
    match read {
        None => Log::None,
        // The versions that are needed to write and to read it (fileformat.html, 1.3.3): 2 is WAL.
        Some(()) if header[18] == 2 || header[19] == 2 => Log::Wal,
        Some(()) => Log::Journal,
    }
}

/// True for a file that SQLite made: empty, or with its first bytes.
fn begins_with(found: &Found, starts: &[&[u8]]) -> bool {
    if found.file_type() != rustix::fs::FileType::RegularFile {
        return false;
    }
    let mut head = Vec::new();
    let read = found
        .read()
        .and_then(|file| file.take(8).read_to_end(&mut head));
    read.is_ok() && (head.is_empty() || starts.iter().any(|start| head.starts_with(start)))
}

/// True while another connection has the record open. A damaged file cannot tell, and is not in use.
fn is_in_use(path: &Path) -> bool {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    // Leaving WAL needs the file for itself alone.
    let alone = Connection::open_with_flags(path, flags)
        .and_then(|db| db.busy_timeout(Duration::ZERO).map(|()| db))
        .and_then(|db| db.pragma_update(None, "journal_mode", "DELETE"));
    alone.is_err_and(|e| e.sqlite_error_code() == Some(rusqlite::ErrorCode::DatabaseBusy))
}

fn refused(path: &Path, error: OutputError) -> RecordError {
    match error {
        OutputError::System { source, .. } => RecordError::from_io(path, source),
        OutputError::Refused(refusal) => RecordError::Refused(refusal),
    }
}

/// The record, and what SQLite keeps beside it, which is as precious: `what` it is for a command.
pub fn precious(what: &str, record: &Path) -> Vec<Precious> {
    let suffixes = NEIGHBOURS.iter().map(|(suffix, _)| *suffix);
    std::iter::once("")
        .chain(suffixes)
        .map(|suffix| {
            let mut path = record.as_os_str().to_os_string();
            path.push(suffix);
            Precious::new(what, PathBuf::from(path))
        })
        .collect()
}
