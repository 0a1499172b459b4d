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

/// Line at which the made part of the page begins.
const MARK: &str = "<!-- Written from output/record/src/schema.sql: PLIMSOLL_UPDATE=1 cargo test -p plimsoll-record -->\n\n";

/// The tables of the page, from the comments of the schema.
fn tables(schema: &str) -> String {
    let (mut text, mut names, mut about) = (String::new(), Vec::new(), "");
    for line in schema.lines() {
        if let Some(table) = line.strip_prefix("CREATE TABLE ") {
            let (name, intro) = table.split_once(" (").expect("a table's columns");
            let intro = intro.trim_start_matches(" -- ");
            text += &format!("### `{name}`\n\n{intro}\n\n").replace("\n\n\n", "\n");
            text += "| column | meaning |\n|---|---|\n";
            continue;
        }
        let column = line.trim_start().split(' ').next().unwrap_or_default();
        let ends = line.starts_with(')') || column == "--" || column == "PRIMARY";
        if ends && !names.is_empty() {
            assert!(!about.is_empty(), "{names:?} has no comment");
            text += &format!("| {} | {about} |\n", names.join(", "));
            names.clear();
        }
        match column {
            "--" => about = line.trim_start().trim_start_matches("-- "),
            _ if line.starts_with(')') => {
                text.push('\n');
                about = "";
            }
            _ if line.starts_with(' ') && !ends => names.push(format!("`{column}`")),
            _ => {}
        }
    }
    text.trim_end().to_string() + "\n"
}

#[test]
fn the_tables_of_the_documentation_are_the_schemas() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/record.md");
    let text = std::fs::read_to_string(&page).unwrap();
    let (written, _) = text.split_once(MARK).expect("the made part begins");
    let schema = include_str!("../../src/schema.sql");
    let (_, schema) = schema.split_once("\n\n").expect("the tables begin");
    let made = format!("{written}{MARK}{}", tables(schema));
    if std::env::var_os("PLIMSOLL_UPDATE").is_some() {
        return std::fs::write(&page, made).unwrap();
    }
    assert!(
        text == made,
        "docs/record.md is not what the schema says; run PLIMSOLL_UPDATE=1 cargo test -p plimsoll-record"
    );
}
