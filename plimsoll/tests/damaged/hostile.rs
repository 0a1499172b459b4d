//! Records that were made to do harm, given to the program itself.

use crate::corpus::{self, plimsoll};
use rusqlite::Connection;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Every command that reads a record.
const COMMANDS: [&[&str]; 10] = [
    &["show", "bad.plim"],
    &["show", "--intervals", "bad.plim"],
    &["show", "--json", "bad.plim"],
    &["compare", "bad.plim", "--", "run.plim"],
    &["compare", "--json", "run.plim", "--", "bad.plim"],
    &["export", "--csv", "bad.plim"],
    &["export", "--csv", "--rows", "intervals", "bad.plim"],
    &["export", "--json", "bad.plim"],
    &["export", "--hdr", "bad.plim"],
    &["report", "bad.plim", "-o", "bad.html"],
];

struct TestFolder {
    folder: tempfile::TempDir,
}

impl TestFolder {
    /// With a record of a quick run in it.
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        corpus::write_run(folder.path());
        TestFolder { folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A copy of a record, changed by SQL as its maker could do it.
    fn made(&self, of: &str, sql: &str) {
        let bad = self.path("bad.plim");
        std::fs::copy(self.path(of), &bad).expect("copied");
        let db = Connection::open(&bad).expect("opens");
        db.execute_batch(sql).expect(sql);
    }

    /// All commands read it: (exit code, standard error) of each. None panics, none changes anything.
    fn read(&self) -> Vec<(i32, String)> {
        let before = files(self.folder.path());
        let done = COMMANDS.map(|words| {
            let done = plimsoll(self.folder.path(), words);
            let errors = String::from_utf8_lossy(&done.stderr).into_owned();
            assert!(!errors.contains("panicked"), "{words:?}: {errors}");
            let code = done.status.code();
            (
                code.unwrap_or_else(|| panic!("{words:?} was killed: {errors}")),
                errors,
            )
        });
        let _ = std::fs::remove_file(self.path("bad.html"));
        assert_eq!(before, files(self.folder.path()), "reading changes nothing");
        done.to_vec()
    }

    /// Every command refuses it, and names the file and the cause.
    fn refused(&self, cause: &str) {
        for ((code, errors), words) in self.read().into_iter().zip(COMMANDS) {
            assert_eq!(code, 2, "{words:?}: {errors}");
            assert!(
                errors.contains("bad.plim is damaged: ") && errors.contains(cause),
                "{words:?}: {errors}"
            );
        }
    }
}

/// Name, size, and bytes of all files.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let entries = std::fs::read_dir(folder).expect("the folder");
    entries
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.is_file())
        .map(|path| (path.clone(), std::fs::read(&path).expect("readable")))
        .collect()
}

#[test]
fn what_would_be_run_is_refused_before_it_is_read() {
    let place = TestFolder::new();
    let endless = "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r)";
    for (sql, cause) in [
        (
            format!(
                "DROP TABLE meta; CREATE VIEW meta AS {endless} SELECT n AS key, n AS value FROM r"
            ),
            "a view, a trigger or a virtual table, meta",
        ),
        (
            format!(
                "DROP TABLE findings; CREATE VIEW findings AS {endless} SELECT n AS finding, 'PL1' AS rule, 'note' AS severity, n AS step, '' AS message FROM r"
            ),
            "a view, a trigger or a virtual table, findings",
        ),
        (
            format!("CREATE VIEW more AS {endless} SELECT n FROM r"),
            "a view, a trigger or a virtual table, more",
        ),
        (
            "CREATE TRIGGER t AFTER INSERT ON steps BEGIN DELETE FROM steps; END".into(),
            "a view, a trigger or a virtual table, t",
        ),
        (
            "DROP TABLE samples; CREATE VIRTUAL TABLE samples USING fts5(step, interval, sample)"
                .into(),
            "a view, a trigger or a virtual table, samples",
        ),
        (
            "ALTER TABLE steps ADD COLUMN more TEXT AS (hex(zeroblob(1 << step * 20)))".into(),
            "the column steps.more is computed",
        ),
        (
            "ALTER TABLE steps RENAME TO old; CREATE TABLE steps AS SELECT * FROM old".into(),
            "its table steps is not a record's",
        ),
        (
            "DROP TABLE interval_ops".into(),
            "it has no table interval_ops",
        ),
        (
            // A view that calls itself a table.
            format!(
                "PRAGMA writable_schema=ON; UPDATE sqlite_schema SET sql='CREATE VIEW findings AS {endless} SELECT n FROM r' WHERE name='findings'"
            ),
            "findings",
        ),
    ] {
        place.made("run.plim", &sql);
        place.refused(cause);
    }
}

#[test]
fn numbers_that_contradict_each_other_are_said() {
    let place = TestFolder::new();
    for sql in [
        "UPDATE histograms SET max_ns = 0",
        "UPDATE histograms SET min_ns = -1",
        "UPDATE histograms SET min_ns = max_ns + 1000000",
    ] {
        place.made("run.plim", sql);
        let read = place.read();
        let (code, errors) = &read[0];
        assert_eq!(*code, 2, "{errors}");
        assert!(
            errors.contains("bad.plim is damaged: the histogram all response of step 1")
                && errors.contains("smallest or largest value"),
            "{errors}"
        );
    }
    // A map of 100 MB, for which four times as much was asked.
    place.made(
        "run.plim",
        "UPDATE interval_streams SET heat = zeroblob(60000000)",
    );
    let (code, errors) = &place.read()[1];
    assert_eq!(*code, 2, "{errors}");
    assert!(
        errors.contains("a heat map in it has 60000000 bytes"),
        "{errors}"
    );
}

#[test]
fn a_table_that_leads_back_to_itself_has_an_end() {
    let place = TestFolder::new();
    // Enough findings for an inner page, all of whose children are then the same.
    place.made(
        "run.plim",
        "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r LIMIT 4000)
         INSERT INTO findings (finding, rule, severity, step, message) SELECT n + 1000, 'PL001', 'note', 1, hex(zeroblob(40)) FROM r",
    );
    let bad = place.path("bad.plim");
    let root: u32 = Connection::open(&bad)
        .expect("opens")
        .query_row(
            "SELECT rootpage FROM sqlite_schema WHERE name='findings'",
            [],
            |row| row.get(0),
        )
        .expect("its page");
    let mut bytes = std::fs::read(&bad).expect("readable");
    let page = &mut bytes[(root as usize - 1) * 4096..][..4096];
    assert_eq!(page[0], 5, "an inner page of a table");
    let cells = usize::from(u16::from_be_bytes([page[3], page[4]]));
    let first = usize::from(u16::from_be_bytes([page[12], page[13]]));
    let child: [u8; 4] = page[first..first + 4].try_into().expect("4 bytes");
    for cell in 0..cells {
        let at = usize::from(u16::from_be_bytes([
            page[12 + 2 * cell],
            page[13 + 2 * cell],
        ]));
        page[at..at + 4].copy_from_slice(&child);
    }
    std::fs::write(&bad, bytes).expect("written");
    let read = place.read();
    let (code, errors) = &read[2];
    assert_eq!(*code, 2, "{errors}");
    assert!(
        errors.contains("the rows of its table findings are not in order"),
        "{errors}"
    );
}

#[test]
fn what_lies_beside_a_record_is_neither_used_nor_changed() {
    let place = TestFolder::new();
    let shown = |place: &TestFolder| {
        let done = plimsoll(place.folder.path(), &["show", "--json", "bad.plim"]);
        assert!(done.status.success(), "{done:?}");
        done.stdout
    };
    place.made("run.plim", "SELECT 1");
    let good = shown(&place);
    // A rollback journal that would put a page of its maker into the record: SQLite's own, saved in mid-transaction.
    let maker = place.path("maker.plim");
    std::fs::copy(place.path("run.plim"), &maker).expect("copied");
    let mut db = Connection::open(&maker).expect("opens");
    db.execute_batch("UPDATE steps SET name = 'planted'")
        .expect("changed");
    let change = db.transaction().expect("begun");
    change
        .execute_batch("PRAGMA cache_spill=ON; PRAGMA cache_size=1; UPDATE steps SET name='x'; UPDATE intervals SET ios=1; UPDATE histograms SET count=1")
        .expect("changed");
    let journal = std::fs::read(place.path("maker.plim-journal")).expect("a journal");
    drop(change);
    drop(db);
    std::fs::remove_file(&maker).expect("removed");
    assert!(journal.len() > 4096);
    std::fs::write(place.path("bad.plim-journal"), journal).expect("written");
    for name in ["bad.plim-wal", "bad.plim-shm"] {
        std::fs::write(
            place.path(name),
            "somebody's notes, longer than a log's header of 32 bytes",
        )
        .expect("written");
    }
    for (code, errors) in place.read() {
        assert_eq!(code, 0, "{errors}");
    }
    assert_eq!(shown(&place), good);
}
