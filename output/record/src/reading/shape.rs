//! Whether a file holds the tables of a record, and nothing that would be run when they are read.

use crate::{RecordError, schema};
use rusqlite::Connection;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::OnceLock;

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

/// Columns of each table, by its name.
type Columns = BTreeMap<String, Vec<Column>>;

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
    let found = columns(db).map_err(failed)?;
    for (table, wanted) in model().map_err(failed)? {
        let Some(found) = found.get(table) else {
            return Err(damaged(format!("it has no table {table}")));
        };
        if let Some(column) = found.iter().find(|c| c.computed) {
            return Err(damaged(format!(
                "the column {table}.{} is computed, which no record's is",
                column.name
            )));
        }
        if let Some(column) = wanted.iter().find(|c| !found.contains(c)) {
            return Err(damaged(format!(
                "its table {table} is not a record's: the column {} is missing or another",
                column.name
            )));
        }
    }
    Ok(())
}

/// Columns of an empty record's tables. They are the same each time, and a shelf opens records by the thousand.
fn model() -> rusqlite::Result<&'static Columns> {
    static MODEL: OnceLock<Columns> = OnceLock::new();
    match MODEL.get() {
        Some(model) => Ok(model),
        None => {
            let model = columns(&schema::empty()?)?;
            Ok(MODEL.get_or_init(|| model))
        }
    }
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

/// All tables of a database, with their columns.
fn columns(db: &Connection) -> rusqlite::Result<Columns> {
    let mut statement = db.prepare(
        "SELECT t.name, c.name, c.type, c.pk, c.hidden FROM sqlite_schema t, pragma_table_xinfo(t.name) c WHERE t.type = 'table'",
    )?;
    let mut rows = statement.query([])?;
    let mut columns = Columns::new();
    while let Some(row) = rows.next()? {
        columns.entry(row.get(0)?).or_default().push(Column {
            name: row.get(1)?,
            kind: row.get(2)?,
            key: row.get(3)?,
            computed: row.get::<_, i64>(4)? != 0,
        });
    }
    Ok(columns)
}
