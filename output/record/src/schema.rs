//! The record's format: its marks, its version, and how an old one is read.

use crate::RecordError;
use rusqlite::Connection;
use std::io::Read;
use std::path::Path;

/// `PRAGMA application_id`: "Plim" in ASCII.
pub const APPLICATION_ID: i32 = 0x506c_696d;

/// `PRAGMA user_version` of the records that this version writes, and the newest that it reads.
pub const SCHEMA_VERSION: i64 = 9;

/// The first bytes of every SQLite file.
pub(crate) const MAGIC: &[u8; 16] = b"SQLite format 3\0";

/// Format 1. A new file is made of it and of what later formats changed.
const CREATE: &str = include_str!("schema.sql");

/// How to bring format n + 1 out of format n, at index n - 1. On an old file it runs in a private copy, never on the
/// user's file.
const MIGRATIONS: [&str; SCHEMA_VERSION as usize - 1] = [
    include_str!("schema_2.sql"),
    include_str!("schema_3.sql"),
    include_str!("schema_4.sql"),
    include_str!("schema_5.sql"),
    include_str!("schema_6.sql"),
    include_str!("schema_7.sql"),
    include_str!("schema_8.sql"),
    include_str!("schema_9.sql"),
];

/// Makes the tables in an empty database.
pub(crate) fn create(db: &Connection) -> rusqlite::Result<()> {
    let changes = MIGRATIONS.concat();
    db.execute_batch(&format!(
        "BEGIN; PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {SCHEMA_VERSION}; {CREATE} {changes} COMMIT;"
    ))
}

/// A database in memory that has the tables of a format and nothing in them.
pub(crate) fn empty(version: i64) -> rusqlite::Result<Connection> {
    let db = Connection::open_in_memory()?;
    let changes = usize::try_from(version - 1)
        .unwrap_or(0)
        .min(MIGRATIONS.len());
    db.execute_batch(&[&[CREATE], &MIGRATIONS[..changes]].concat().concat())?;
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

/// Checks the marks of an open file, and returns its version.
pub(crate) fn check(db: &Connection, path: &Path) -> Result<i64, RecordError> {
    let number = |pragma: &str| -> Result<i64, RecordError> {
        db.query_row(&format!("PRAGMA {pragma}"), [], |row| row.get(0))
            .map_err(|e| RecordError::from_sqlite(path, e))
    };
    if number("application_id")? != i64::from(APPLICATION_ID) {
        return Err(RecordError::Foreign { path: path.into() });
    }
    let found = number("user_version")?;
    if found > SCHEMA_VERSION {
        return Err(RecordError::Newer {
            path: path.into(),
            found,
            known: SCHEMA_VERSION,
        });
    }
    if found < 1 {
        return Err(RecordError::Damaged {
            path: path.into(),
            what: format!("it says record format {found}"),
        });
    }
    Ok(found)
}

/// Brings an open file of an older `version` to the current one: in a copy of its own, the file itself stays as it is.
pub(crate) fn migrated(db: Connection, version: i64) -> rusqlite::Result<Connection> {
    migrated_by(db, version, &MIGRATIONS)
}

fn migrated_by(db: Connection, version: i64, migrations: &[&str]) -> rusqlite::Result<Connection> {
    let missing = &migrations[(version as usize - 1).min(migrations.len())..];
    if missing.is_empty() {
        return Ok(db);
    }
    // A database without a name: SQLite keeps what is large of it in a temporary file that nobody else sees.
    let mut copy = Connection::open("")?;
    rusqlite::backup::Backup::new(&db, &mut copy)?.run_to_completion(
        1024,
        std::time::Duration::ZERO,
        None,
    )?;
    for (step, sql) in missing.iter().enumerate() {
        copy.execute_batch(sql)?;
        copy.pragma_update(None, "user_version", version + step as i64 + 1)?;
    }
    Ok(copy)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_old_file_is_brought_up_step_by_step_in_a_copy() {
        let db = Connection::open_in_memory().unwrap();
        db.execute_batch("PRAGMA user_version = 2; CREATE TABLE t (x); INSERT INTO t VALUES (1);")
            .unwrap();
        let migrations = [
            "not run: the file is past it",
            "ALTER TABLE t ADD COLUMN y",
            "UPDATE t SET y = x + 1",
        ];
        let new = migrated_by(db, 2, &migrations).unwrap();
        assert_eq!(
            new.query_row("SELECT y FROM t", [], |r| r.get::<_, i64>(0))
                .unwrap(),
            2
        );
        let version = new.query_row("PRAGMA user_version", [], |r| r.get::<_, i64>(0));
        assert_eq!(version.unwrap(), 4);
    }
}
