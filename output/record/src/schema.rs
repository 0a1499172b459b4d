//! The record's format: its marks, its version and its tables.

use crate::RecordError;
use rusqlite::Connection;
use std::io::Read;
use std::path::Path;

/// `PRAGMA application_id`: "Plim" in ASCII.
pub const APPLICATION_ID: i32 = 0x506c_696d;

/// `PRAGMA user_version` of the records that this version writes and reads. [docs/record.md](../../../docs/record.md) says what
/// has to come with another number.
pub const SCHEMA_VERSION: i64 = 1;

/// The first bytes of every SQLite file.
pub(crate) const MAGIC: &[u8; 16] = b"SQLite format 3\0";

const TABLES: &str = include_str!("schema.sql");

/// Makes the tables in an empty database.
pub(crate) fn create(db: &Connection) -> rusqlite::Result<()> {
    db.execute_batch(&format!(
        "BEGIN; PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {SCHEMA_VERSION}; {TABLES} COMMIT;"
    ))
}

/// A database in memory that has a record's tables and nothing in them.
pub(crate) fn empty() -> rusqlite::Result<Connection> {
    let db = Connection::open_in_memory()?;
    db.execute_batch(TABLES)?;
    Ok(db)
}

/// True for a SQLite file with our application id in its header, whatever else may be wrong with it.
pub(crate) fn is_marked(path: &Path) -> std::io::Result<bool> {
    let mut start = Vec::new();
    std::fs::File::open(path)?
        .take(72)
        .read_to_end(&mut start)?;
    // The header: 16 bytes of magic; the application id is at 68 (https://www.sqlite.org/fileformat.html, 1.3).
    Ok(start.starts_with(MAGIC) && start.get(68..72) == Some(&APPLICATION_ID.to_be_bytes()[..]))
}

/// Checks the marks of an open file.
pub(crate) fn check(db: &Connection, path: &Path) -> Result<(), RecordError> {
    let number = |pragma: &str| -> Result<i64, RecordError> {
        db.query_row(&format!("PRAGMA {pragma}"), [], |row| row.get(0))
            .map_err(|e| RecordError::from_sqlite(path, e))
    };
    if number("application_id")? != i64::from(APPLICATION_ID) {
        return Err(RecordError::Foreign { path: path.into() });
    }
    match number("user_version")? {
        SCHEMA_VERSION => Ok(()),
        found => Err(RecordError::OtherFormat {
            path: path.into(),
            found,
            known: SCHEMA_VERSION,
        }),
    }
}
