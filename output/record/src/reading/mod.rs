//! How a file that may come from anywhere is opened: it is not changed, nor is anything beside it, and nothing in it is
//! run.

mod bounds;
mod neighbours;
mod order;
mod shape;

pub(crate) use bounds::{LONGEST_VALUE, Room, Work};
pub(crate) use neighbours::beside;
pub(crate) use order::Ascending;

use crate::{RecordError, schema};
use neighbours::{Log, log_of, may_use_index};
use rusqlite::{Connection, OpenFlags};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::TempDir;

/// A record's database, open for reading.
#[derive(Debug)]
pub(crate) struct Source {
    pub db: Connection,
    /// Bound on the cost of a query.
    pub work: Work,
    /// Folder of the copy that is read instead of a file which SQLite could not open in its place.
    pub copy: Option<TempDir>,
}

/// Opens a record. With its log, where it has one: of a run that goes on, or that was killed.
///
/// A rollback journal beside it is not looked at. No run leaves one that matters: all was in the file before it was made.
pub(crate) fn open(path: &Path) -> Result<Source, RecordError> {
    // The log of a record that was named by a link lies beside the file itself.
    let file = std::fs::canonicalize(path).map_err(|source| RecordError::Io {
        path: path.into(),
        source,
    })?;
    let log = log_of(&file);
    if log == Log::None {
        return open_at(&file, path, "immutable=1", None);
    }
    if may_use_index(&file) {
        match open_at(&file, path, "readonly_shm=1", None) {
            // What lies beside the file is not as SQLite needs it.
            Err(RecordError::Sqlite { .. } | RecordError::NoSpace { .. }) => {}
            done => return done,
        }
    }
    match log {
        Log::Full => open_copy(&file, path),
        _ => open_at(&file, path, "immutable=1", None),
    }
}

/// True for a whole record that began at this time, as its file alone says.
pub(crate) fn is_whole_record_of(path: &Path, started_unix_ns: &str) -> bool {
    let Ok(file) = std::fs::canonicalize(path) else {
        return false;
    };
    let Ok(source) = open_at(&file, path, "immutable=1", None) else {
        return false;
    };
    let one =
        |sql: &str| -> rusqlite::Result<String> { source.db.query_row(sql, [], |row| row.get(0)) };
    source.work.renew();
    one("SELECT value FROM meta WHERE key='started_unix_ns'").is_ok_and(|s| s == started_unix_ns)
        && one("PRAGMA quick_check(1)").is_ok_and(|said| said == "ok")
}

/// Reads a copy of the file and its log: SQLite makes an index beside the log, and the user's folder is left alone.
fn open_copy(file: &Path, path: &Path) -> Result<Source, RecordError> {
    let copied = || -> std::io::Result<(TempDir, PathBuf)> {
        let directory = TempDir::new()?;
        let copy = directory.path().join("record.plim");
        std::fs::copy(file, &copy)?;
        std::fs::copy(beside(file, "-wal"), beside(&copy, "-wal"))?;
        Ok((directory, copy))
    };
    let (directory, copy) = copied().map_err(|source| RecordError::Io {
        path: path.into(),
        source,
    })?;
    open_at(&copy, path, "mode=ro", Some(directory))
}

fn open_at(
    file: &Path,
    path: &Path,
    how: &str,
    copy: Option<TempDir>,
) -> Result<Source, RecordError> {
    let failed = |e| RecordError::from_sqlite(path, e);
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
        | OpenFlags::SQLITE_OPEN_NO_MUTEX
        | OpenFlags::SQLITE_OPEN_URI;
    let mut db = Connection::open_with_flags(uri(file, how), flags).map_err(failed)?;
    db.busy_timeout(Duration::from_secs(5)).map_err(failed)?;
    let work = bounds::set(&mut db, size_of(file)).map_err(failed)?;
    schema::check(&db, path)?;
    shape::check(&db, path)?;
    db.set_prepared_statement_cache_capacity(32);
    Ok(Source { db, work, copy })
}

/// Bytes of the file with its log.
fn size_of(file: &Path) -> u64 {
    let size = |path: &Path| std::fs::metadata(path).map_or(0, |there| there.len());
    size(file).saturating_add(size(&beside(file, "-wal")))
}

/// The file's name as SQLite reads it with options behind.
fn uri(file: &Path, how: &str) -> String {
    let mut uri = String::from("file:");
    for byte in file.as_os_str().as_bytes() {
        match byte {
            b'/' | b'.' | b'-' | b'_' | b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' => {
                uri.push(char::from(*byte));
            }
            other => uri.push_str(&format!("%{other:02X}")),
        }
    }
    uri.push('?');
    uri + how
}
