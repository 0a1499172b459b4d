//! The index: what the shelf knows of each record, in an SQLite file that can be thrown away at any time.

use crate::item::{self, Item, Step};
use crate::scan::Seen;
use crate::search::Search;
use plimsoll_evidence::Severity;
use plimsoll_report::catalogue::Entry;
use rusqlite::{Connection, OpenFlags, OptionalExtension, Row, params, params_from_iter};
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Marks the file as an index.
const APPLICATION: i32 = 0x706c_7368;

const COLUMNS: &str = "path, id, error, started, test, title, tag, note, targets, method, workload, status, answer, trust, worst, findings";

/// An index, in its file or in memory.
pub(crate) struct Index(Connection);

/// A record as it is listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Listed {
    pub path: PathBuf,
    pub id: String,
    /// Reason why the record cannot be read.
    pub error: Option<String>,
    pub started: String,
    pub test: String,
    pub title: Option<String>,
    pub tag: Option<String>,
    pub note: Option<String>,
    /// The targets, a line each.
    pub targets: String,
    pub method: String,
    pub workload: String,
    pub status: String,
    pub answer: String,
    pub trust: String,
    /// Weight of the worst finding, by [`weight`].
    pub worst: i64,
    pub findings: String,
}

/// A record of one test.
#[derive(Debug, Clone)]
pub(crate) struct Run {
    pub listed: Listed,
    pub begun_unix_ns: i64,
    pub steps: Vec<Step>,
}

/// Weight of the worst finding: 0 where nothing was found.
pub(crate) fn weight(worst: Option<Severity>) -> i64 {
    match worst {
        None => 0,
        Some(Severity::Note) => 1,
        Some(Severity::Suspect) => 2,
        Some(Severity::Invalid) => 3,
    }
}

/// The form of the index, by the program's version: another one may read other things in a record. An index of another form is
/// made anew.
fn own_form() -> i32 {
    let digest = Sha256::digest(concat!(env!("CARGO_PKG_VERSION"), ", form 3"));
    let [a, b, c, d, ..]: [u8; 32] = digest.into();
    i32::from_le_bytes([a, b, c, d])
}

impl Listed {
    /// The record's line in a list, or why it cannot be read.
    pub(crate) fn entry(self) -> Result<Entry, String> {
        if let Some(error) = self.error {
            return Err(error);
        }
        const STATUS: [&str; 3] = ["completed", "interrupted", "failed"];
        let status = STATUS.into_iter().find(|status| *status == self.status);
        let all = [Severity::Note, Severity::Suspect, Severity::Invalid];
        Ok(Entry {
            record: self.path,
            started: self.started,
            title: self.title,
            tag: self.tag,
            note: self.note,
            targets: self.targets.lines().map(str::to_owned).collect(),
            method: self.method,
            workload: self.workload,
            status: status.unwrap_or("unfinished"),
            answer: self.answer,
            trust: self.trust,
            worst: all.into_iter().find(|s| weight(Some(*s)) == self.worst),
            findings: self
                .findings
                .split_whitespace()
                .map(str::to_owned)
                .collect(),
        })
    }
}

impl Index {
    /// Opens an index, or makes it. A file that is no index of ours is left alone, and so is an index that another program has locked:
    /// the shelf then keeps what it knows in memory.
    pub(crate) fn open(file: Option<&Path>) -> rusqlite::Result<Self> {
        let kept = file.and_then(|file| Self::in_file(file).ok());
        kept.map_or_else(Self::in_memory, Ok)
    }

    fn in_memory() -> rusqlite::Result<Self> {
        let db = Connection::open_in_memory()?;
        db.execute_batch(include_str!("index.sql"))?;
        Ok(Index(db))
    }

    fn in_file(file: &Path) -> rusqlite::Result<Self> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
            | OpenFlags::SQLITE_OPEN_CREATE
            | OpenFlags::SQLITE_OPEN_NOFOLLOW
            | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let mut db = Connection::open_with_flags(file, flags)?;
        db.busy_timeout(Duration::from_secs(2))?;
        let number =
            |db: &Connection, name: &str| db.pragma_query_value(None, name, |r| r.get::<_, i32>(0));
        let (whose, form) = (number(&db, "application_id")?, number(&db, "user_version")?);
        let empty: bool =
            db.query_row("SELECT count(*) = 0 FROM sqlite_schema", [], |r| r.get(0))?;
        if whose != APPLICATION && !empty {
            return Err(rusqlite::Error::InvalidQuery);
        }
        // Lost with the machine's power it is made again.
        db.pragma_update(None, "synchronous", "off")?;
        if form != own_form() {
            let change = db.transaction()?;
            change.execute_batch("DROP TABLE IF EXISTS records; DROP TABLE IF EXISTS figures")?;
            change.execute_batch(include_str!("index.sql"))?;
            change.pragma_update(None, "application_id", APPLICATION)?;
            change.pragma_update(None, "user_version", own_form())?;
            change.commit()?;
        }
        db.query_row("SELECT count(*) FROM records WHERE begun > 0", [], |r| {
            r.get::<_, i64>(0)
        })?;
        Ok(Index(db))
    }

    /// The stamps of all that is known.
    pub(crate) fn stamps(&self) -> rusqlite::Result<HashMap<PathBuf, String>> {
        let mut statement = self.0.prepare_cached("SELECT path, stamp FROM records")?;
        let rows = statement.query_map([], |row| Ok((path(row)?, row.get(1)?)))?;
        rows.collect()
    }

    /// Adds records that were read, and the reasons why others could not be read.
    pub(crate) fn put(&mut self, read: &[(Seen, Result<Item, String>)]) -> rusqlite::Result<()> {
        let change = self.0.transaction()?;
        for (seen, item) in read {
            put(&change, seen, item)?;
        }
        change.commit()
    }

    /// Forgets what is gone.
    pub(crate) fn forget(&mut self, gone: &[PathBuf]) -> rusqlite::Result<()> {
        let change = self.0.transaction()?;
        for path in gone {
            let bytes = path.as_os_str().as_bytes();
            change.execute("DELETE FROM records WHERE path = ?", [bytes])?;
            change.execute("DELETE FROM figures WHERE id = ?", [item::id(path)])?;
        }
        change.commit()
    }

    /// A page of what is searched, the newest first, and how many there are.
    pub(crate) fn list(
        &self,
        search: &Search,
        from: usize,
        most: usize,
    ) -> rusqlite::Result<(Vec<Listed>, usize)> {
        let (condition, values) = search.condition();
        let sql = format!("SELECT count(*) FROM records WHERE {condition}");
        let all = self
            .0
            .prepare_cached(&sql)?
            .query_row(params_from_iter(&values), |r| r.get::<_, u32>(0))?;
        let sql = format!(
            "SELECT {COLUMNS} FROM records WHERE {condition} ORDER BY begun DESC, path LIMIT {most} OFFSET {from}"
        );
        let mut statement = self.0.prepare_cached(&sql)?;
        let rows = statement.query_map(params_from_iter(&values), listed)?;
        Ok((rows.collect::<Result<_, _>>()?, all as usize))
    }

    /// A record by its name in addresses.
    pub(crate) fn find(&self, id: &str) -> rusqlite::Result<Option<Listed>> {
        let sql = format!("SELECT {COLUMNS} FROM records WHERE id = ?");
        self.0
            .prepare_cached(&sql)?
            .query_row([id], listed)
            .optional()
    }

    /// The last records of a test, the oldest first.
    pub(crate) fn runs_of(&self, test: &str, most: usize) -> rusqlite::Result<Vec<Run>> {
        let sql = format!(
            "SELECT {COLUMNS}, begun, steps FROM records JOIN figures USING (id) WHERE test = ? AND error IS NULL ORDER BY begun DESC LIMIT {most}"
        );
        let mut statement = self.0.prepare_cached(&sql)?;
        let rows = statement.query_map([test], |row| {
            let steps: String = row.get(17)?;
            Ok(Run {
                listed: listed(row)?,
                begun_unix_ns: row.get(16)?,
                // The index is ours; what it cannot read of itself is as good as not there.
                steps: serde_json::from_str(&steps).unwrap_or_default(),
            })
        })?;
        let mut runs: Vec<Run> = rows.collect::<Result<_, _>>()?;
        runs.reverse();
        Ok(runs)
    }

    /// Words that a column has, for people to choose from.
    pub(crate) fn words_of(
        &self,
        column: &'static str,
        most: usize,
    ) -> rusqlite::Result<Vec<String>> {
        let sql = format!(
            "SELECT {column}, count(*) AS times FROM records WHERE {column} <> '' GROUP BY 1 ORDER BY times DESC, 1 LIMIT {most}"
        );
        let mut statement = self.0.prepare_cached(&sql)?;
        statement.query_map([], |row| row.get(0))?.collect()
    }
}

const PUT: &str = "INSERT OR REPLACE INTO records (path, id, stamp, begun, started, test, title, tag, note, targets, method, \
                   workload, status, answer, trust, worst, findings, words) \
                   VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
const PUT_UNREAD: &str =
    "INSERT OR REPLACE INTO records (path, id, stamp, error, words) VALUES (?, ?, ?, ?, ?)";
const PUT_FIGURES: &str = "INSERT OR REPLACE INTO figures (id, steps) VALUES (?, ?)";

fn put(db: &Connection, seen: &Seen, item: &Result<Item, String>) -> rusqlite::Result<()> {
    let (bytes, id) = (seen.path.as_os_str().as_bytes(), item::id(&seen.path));
    let name = seen.path.display().to_string();
    let item = match item {
        Ok(item) => item,
        Err(error) => {
            let words = format!("{name} {error}").to_lowercase();
            db.prepare_cached(PUT_UNREAD)?
                .execute(params![bytes, id, seen.stamp, error, words])?;
            return Ok(());
        }
    };
    let entry = &item.entry;
    let (targets, findings) = (entry.targets.join("\n"), entry.findings.join(" "));
    let of = |text: &Option<String>| text.clone().unwrap_or_default();
    let words = [
        &name,
        &item.test,
        &of(&entry.tag),
        &of(&entry.note),
        &targets,
        &entry.method,
        &entry.workload,
        entry.status,
        &entry.answer,
        &entry.trust,
        &findings,
    ];
    let words = words.map(str::to_lowercase).join("\n");
    db.prepare_cached(PUT)?.execute(params![
        bytes,
        id,
        seen.stamp,
        item.started_unix_ns,
        entry.started,
        item.test,
        entry.title,
        entry.tag,
        entry.note,
        targets,
        entry.method,
        entry.workload,
        entry.status,
        entry.answer,
        entry.trust,
        weight(entry.worst),
        findings,
        words,
    ])?;
    let steps = serde_json::to_string(&item.steps).unwrap_or_else(|_| "[]".to_owned());
    db.prepare_cached(PUT_FIGURES)?.execute([&id, &steps])?;
    Ok(())
}

fn path(row: &Row) -> rusqlite::Result<PathBuf> {
    let bytes = row.get_ref(0)?.as_blob()?;
    Ok(PathBuf::from(OsStr::from_bytes(bytes)))
}

fn listed(row: &Row) -> rusqlite::Result<Listed> {
    Ok(Listed {
        path: path(row)?,
        id: row.get(1)?,
        error: row.get(2)?,
        started: row.get(3)?,
        test: row.get(4)?,
        title: row.get(5)?,
        tag: row.get(6)?,
        note: row.get(7)?,
        targets: row.get(8)?,
        method: row.get(9)?,
        workload: row.get(10)?,
        status: row.get(11)?,
        answer: row.get(12)?,
        trust: row.get(13)?,
        worst: row.get(14)?,
        findings: row.get(15)?,
    })
}
