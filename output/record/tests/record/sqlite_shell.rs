//! The examples of `docs/record.md` work in SQLite's own shell.

use crate::sample;
use std::path::Path;
use std::process::Command;

/// The `sql` blocks of the page.
fn examples() -> Vec<String> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/record.md");
    let text = std::fs::read_to_string(page).unwrap();
    let blocks = text.split("```sql\n").skip(1);
    blocks
        .map(|b| b.split("```").next().unwrap_or_default().to_string())
        .collect()
}

#[test]
fn every_sql_example_of_the_documentation_gives_rows() {
    if Command::new("sqlite3").arg("--version").output().is_err() {
        plimsoll_skipped::skipped!("there is no sqlite3 here");
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("run.plim");
    sample::write(&path);
    let examples = examples();
    assert!(!examples.is_empty());
    for sql in examples {
        let done = Command::new("sqlite3")
            .arg("-readonly")
            .arg(&path)
            .arg(&sql)
            .output()
            .unwrap();
        let error = String::from_utf8_lossy(&done.stderr);
        assert!(done.status.success() && error.is_empty(), "{sql}\n{error}");
        assert!(!done.stdout.is_empty(), "no rows from\n{sql}");
    }
}

#[test]
fn every_table_and_column_is_documented() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("run.plim");
    sample::write(&path);
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/record.md");
    let text = std::fs::read_to_string(page).unwrap();
    let db = rusqlite::Connection::open(&path).unwrap();
    let mut statement = db
        .prepare("SELECT t.name, c.name FROM sqlite_schema t, pragma_table_info(t.name) c WHERE t.type = 'table'")
        .unwrap();
    let columns = statement
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))
        .unwrap();
    for column in columns {
        let (table, column): (String, String) = column.unwrap();
        let section = text
            .split("\n## ")
            .find(|s| s.starts_with(&format!("`{table}`")));
        let section = section.unwrap_or_else(|| panic!("docs/record.md has no section `{table}`"));
        assert!(
            section.contains(&format!("`{column}`")),
            "docs/record.md lacks {table}.{column}"
        );
    }
}
