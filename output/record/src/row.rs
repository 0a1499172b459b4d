//! Rows written with each value beside its column's name.

use rusqlite::{Connection, ToSql, params_from_iter};

/// A column's name and its value.
pub(crate) type Column<'a> = (&'a str, &'a dyn ToSql);

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
