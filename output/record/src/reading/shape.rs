//! Whether a file holds the tables of a record, and nothing that would be run when they are read.

use crate::{RecordError, schema};
use rusqlite::Connection;
use std::path::Path;

/// Prefixes of the statements that SQLite keeps of tables and indexes. It keeps them in this form, whatever was typed; a view, a trigger or
/// a virtual table begins otherwise.
const HARMLESS: [&str; 3] = ["CREATE TABLE ", "CREATE INDEX ", "CREATE UNIQUE INDEX "];

/// A column of a table.
#[derive(Debug, PartialEq, Eq)]
struct Column {
    name: String,
    kind: String,
    /// Place of the column in the primary key, from 1; 0 where it's none of it.
    key: i64,
    /// True for one that is computed.
    computed: bool,
}

/// Checks a file's tables. Columns that a record does not have are left alone, and so are other tables.
pub(super) fn check(db: &Connection, path: &Path) -> Result<(), RecordError> {
    let failed = |e| RecordError::from_sqlite(path, e);
    let damaged = |what: String| RecordError::Damaged {
        path: path.into(),
        what,
    };
    if let Some(name) = anything_to_run(db).map_err(failed)? {
        return Err(damaged(format!(
            "it holds a view, a trigger or a virtual table, {name}, which no record has; it is not read"
        )));
    }
    let model = schema::empty().map_err(failed)?;
    for table in tables(&model).map_err(failed)? {
        let found = columns(db, &table).map_err(failed)?;
        if found.is_empty() {
            return Err(damaged(format!("it has no table {table}")));
        }
        if let Some(column) = found.iter().find(|c| c.computed) {
            return Err(damaged(format!(
                "the column {table}.{} is computed, which no record's is",
                column.name
            )));
        }
        for column in columns(&model, &table).map_err(failed)? {
            if !found.contains(&column) {
                return Err(damaged(format!(
                    "its table {table} is not a record's: the column {} is missing or another",
                    column.name
                )));
            }
        }
    }
    Ok(())
}

/// The name of the first thing in the schema that is neither a table nor an index. What a row calls itself says nothing:
/// SQLite goes by its statement.
fn anything_to_run(db: &Connection) -> rusqlite::Result<Option<String>> {
    let mut statement = db.prepare("SELECT name, sql FROM sqlite_schema")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        // An index that comes with a primary key has no statement.
        let Some(sql) = row.get::<_, Option<String>>(1)? else {
            continue;
        };
        if !HARMLESS.iter().any(|start| sql.starts_with(start)) {
            return Ok(Some(row.get(0)?));
        }
    }
    Ok(None)
}

fn tables(db: &Connection) -> rusqlite::Result<Vec<String>> {
    db.prepare("SELECT name FROM sqlite_schema WHERE type='table' ORDER BY name")?
        .query_map([], |row| row.get(0))?
        .collect()
}

fn columns(db: &Connection, table: &str) -> rusqlite::Result<Vec<Column>> {
    db.prepare("SELECT name, type, pk, hidden FROM pragma_table_xinfo(?)")?
        .query_map([table], |row| {
            Ok(Column {
                name: row.get(0)?,
                kind: row.get(1)?,
                key: row.get(2)?,
                computed: row.get::<_, i64>(3)? != 0,
            })
        })?
        .collect()
}
