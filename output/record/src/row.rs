//! Rows written with each value beside its column's name.

use crate::error::damaged;
use rusqlite::{Connection, ToSql, params_from_iter};

/// A column's name and its value.
pub(crate) type Column<'a> = (&'a str, &'a dyn ToSql);

/// The longest name of a step, bytes: it stands in tables, whose every line is as wide as the widest.
const LONGEST_NAME: usize = 64 << 10;

/// The interval that a row is of, with its step and host.
#[derive(Debug, Clone, Copy)]
pub(crate) struct IntervalPlace {
    pub step: u32,
    /// See [`plimsoll_evidence::Interval::host`].
    pub host: u32,
    pub interval: u32,
}

/// Inserts one row.
pub(crate) fn insert(db: &Connection, table: &str, columns: &[Column]) -> rusqlite::Result<()> {
    let names: Vec<&str> = columns.iter().map(|(name, _)| *name).collect();
    let places = vec!["?"; columns.len()].join(",");
    let sql = format!(
        "INSERT INTO {table} ({}) VALUES ({places})",
        names.join(",")
    );
    let mut statement = db.prepare_cached(&sql)?;
    statement.execute(params_from_iter(columns.iter().map(|(_, value)| value)))?;
    Ok(())
}

/// Changes the row of a key, and returns whether there was one.
pub(crate) fn update(
    db: &Connection,
    table: &str,
    key: Column,
    columns: &[Column],
) -> rusqlite::Result<bool> {
    let sets: Vec<String> = columns
        .iter()
        .map(|(name, _)| format!("{name}=?"))
        .collect();
    let sql = format!("UPDATE {table} SET {} WHERE {}=?", sets.join(","), key.0);
    let mut statement = db.prepare_cached(&sql)?;
    let values = columns
        .iter()
        .chain(std::iter::once(&key))
        .map(|(_, value)| value);
    Ok(statement.execute(params_from_iter(values))? > 0)
}

/// Writes a value of the whole record.
pub(crate) fn set_meta(db: &Connection, key: &str, value: &str) -> rusqlite::Result<()> {
    db.execute(
        "INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)",
        [key, value],
    )?;
    Ok(())
}

/// A name of a reasonable length.
pub(crate) fn check_name(name: &str) -> rusqlite::Result<()> {
    match name.len() {
        length if length > LONGEST_NAME => Err(damaged(format!("a name in it has {length} bytes"))),
        _ => Ok(()),
    }
}
