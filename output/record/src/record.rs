//! Reading a record.

use crate::{RecordError, RunStatus, finding_rows, interval_rows, schema, step_json};
use plimsoll_evidence::{Environment, Finding, Interval, StepEvidence, Verdict};
use rusqlite::{Connection, OpenFlags, OptionalExtension};
use std::io::Read;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A record that is read: of a run that ended, was killed, or still goes on.
#[derive(Debug)]
pub struct Record {
    db: Connection,
    path: PathBuf,
    environment: Environment,
    plan_json: String,
    status: RunStatus,
    started_unix_ns: i64,
    /// Where the copy lies that is read instead of a file which SQLite could not open in its place.
    _copy: Option<TempDir>,
}

/// A step that was begun; without evidence where the run ended inside it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StartedStep {
    /// Its number in the record, from 1.
    pub number: u32,
    /// Its name.
    pub name: String,
    /// The run that it belongs to.
    pub run: String,
    /// Its definition, JSON.
    pub definition_json: String,
    /// When it began, ns since 1970.
    pub begun_unix_ns: i64,
}

impl Record {
    /// Opens a record for reading; the file is never changed. Records of older formats are read as if written today.
    pub fn open(path: &Path) -> Result<Self, RecordError> {
        check_file(path)?;
        match Self::open_at(path, path, None) {
            // A log beside the file needs an index in the same directory: impossible on a read-only or full file
            // system. There a copy is read.
            Err(RecordError::Sqlite { .. } | RecordError::NoSpace { .. }) if has_log(path) => {
                let directory = TempDir::new().map_err(|source| RecordError::Io {
                    path: path.into(),
                    source,
                })?;
                let copy =
                    copy_with_log(path, directory.path()).map_err(|source| RecordError::Io {
                        path: path.into(),
                        source,
                    })?;
                Self::open_at(&copy, path, Some(directory))
            }
            other => other,
        }
    }

    fn open_at(file: &Path, path: &Path, copy: Option<TempDir>) -> Result<Self, RecordError> {
        let failed = |e| RecordError::from_sqlite(path, e);
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let db = Connection::open_with_flags(file, flags).map_err(failed)?;
        db.busy_timeout(std::time::Duration::from_secs(5))
            .map_err(failed)?;
        let version = schema::check(&db, path)?;
        let db = schema::migrated(db, version).map_err(failed)?;
        db.set_prepared_statement_cache_capacity(32);

        let damaged = |what: String| RecordError::Damaged {
            path: path.into(),
            what,
        };
        let meta = |key: &str| {
            let value: Option<Option<String>> = db
                .query_row("SELECT value FROM meta WHERE key=?", [key], |row| {
                    row.get(0)
                })
                .optional()
                .map_err(failed)?;
            Ok::<_, RecordError>(value.flatten())
        };
        let needed = |key: &str| meta(key)?.ok_or_else(|| damaged(format!("it has no {key}")));
        let status = RunStatus::from_stored(&needed("status")?, meta("status_reason")?)
            .ok_or_else(|| damaged("its status is unknown".into()))?;
        let environment = serde_json::from_str(&needed("environment")?)
            .map_err(|e| damaged(format!("its environment cannot be read: {e}")))?;
        let started_unix_ns = needed("started_unix_ns")?
            .parse()
            .map_err(|e| damaged(format!("its start cannot be read: {e}")))?;
        Ok(Record {
            plan_json: needed("plan")?,
            path: path.into(),
            environment,
            status,
            started_unix_ns,
            _copy: copy,
            db,
        })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Where and with what it was made.
    pub fn environment(&self) -> &Environment {
        &self.environment
    }

    /// The plan, as JSON.
    pub fn plan_json(&self) -> &str {
        &self.plan_json
    }

    /// How the run ended, when the record was opened; [`RunStatus::Running`] where it did not.
    pub fn status(&self) -> &RunStatus {
        &self.status
    }

    /// When the run began, ns since 1970.
    pub fn started_unix_ns(&self) -> i64 {
        self.started_unix_ns
    }

    /// The evidence of all finished steps, by number.
    pub fn steps(&self) -> Result<Vec<StepEvidence>, RecordError> {
        let bodies: Vec<(u32, String)> = self.query(|db| {
            db.prepare_cached(
                "SELECT step, evidence FROM steps WHERE evidence IS NOT NULL ORDER BY step",
            )?
            .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
            .collect()
        })?;
        let read = |(number, body): (u32, String)| {
            step_json::attach(&self.db, number, &body).map_err(|e| match e {
                step_json::AttachError::Sqlite(e) => self.failed(e),
                step_json::AttachError::Json(e) => RecordError::Damaged {
                    path: self.path.clone(),
                    what: format!("the evidence of step {number} cannot be read: {e}"),
                },
            })
        };
        bodies.into_iter().map(read).collect()
    }

    /// The steps that were begun and not finished: of a run that was killed or goes on. Their intervals are there.
    pub fn started_steps(&self) -> Result<Vec<StartedStep>, RecordError> {
        self.query(|db| {
            db.prepare_cached(
                "SELECT step, name, run, definition, begun_unix_ns FROM steps WHERE evidence IS NULL ORDER BY step",
            )?
            .query_map([], |row| {
                Ok(StartedStep {
                    number: row.get(0)?,
                    name: row.get(1)?,
                    run: row.get(2)?,
                    definition_json: row.get(3)?,
                    begun_unix_ns: row.get(4)?,
                })
            })?
            .collect()
        })
    }

    /// Number and name of every step, finished or not.
    pub fn step_names(&self) -> Result<Vec<(u32, String)>, RecordError> {
        self.query(|db| {
            db.prepare_cached("SELECT step, name FROM steps ORDER BY step")?
                .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
                .collect()
        })
    }

    /// The definition of a step as JSON; `None` where there is no such step.
    pub fn step_json(&self, step: u32) -> Result<Option<String>, RecordError> {
        self.query(|db| {
            db.query_row("SELECT definition FROM steps WHERE step=?", [step], |row| {
                row.get(0)
            })
            .optional()
        })
    }

    /// When a step began, ns since 1970; `None` where there is no such step.
    pub fn step_begun_unix_ns(&self, step: u32) -> Result<Option<i64>, RecordError> {
        self.query(|db| {
            db.query_row(
                "SELECT begun_unix_ns FROM steps WHERE step=?",
                [step],
                |row| row.get(0),
            )
            .optional()
        })
    }

    /// How many intervals a step has, the warm-up's too.
    pub fn interval_count(&self, step: u32) -> Result<u32, RecordError> {
        self.query(|db| {
            db.query_row(
                "SELECT count(*) FROM intervals WHERE step=?",
                [step],
                |row| row.get(0),
            )
        })
    }

    /// The intervals of a step in order, whole: about 40 KB of memory for each histogram.
    pub fn intervals(&self, step: u32) -> Result<Vec<Interval>, RecordError> {
        let mut all = Vec::new();
        self.each_interval(step, |interval| all.push(interval))?;
        Ok(all)
    }

    /// Hands over the intervals of a step in order, one at a time.
    pub fn each_interval(&self, step: u32, each: impl FnMut(Interval)) -> Result<(), RecordError> {
        self.query(|db| interval_rows::read_each(db, step, each))
    }

    /// The methods' conclusions, in the order in which they were added.
    pub fn verdicts(&self) -> Result<Vec<Verdict>, RecordError> {
        self.query(finding_rows::verdicts)
    }

    /// What rules found, in the order in which it was added.
    pub fn findings(&self) -> Result<Vec<Finding>, RecordError> {
        self.query(finding_rows::findings)
    }

    pub(crate) fn query<T>(
        &self,
        read: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, RecordError> {
        read(&self.db).map_err(|e| self.failed(e))
    }

    fn failed(&self, error: rusqlite::Error) -> RecordError {
        match error {
            rusqlite::Error::FromSqlConversionFailure(_, _, what) => RecordError::Damaged {
                path: self.path.clone(),
                what: what.to_string(),
            },
            other => RecordError::from_sqlite(&self.path, other),
        }
    }
}

/// Tells apart what is not there, no file, and no SQLite file.
fn check_file(path: &Path) -> Result<(), RecordError> {
    use std::io::ErrorKind as K;
    let failed = |source: std::io::Error| match source.kind() {
        K::NotFound | K::NotADirectory => RecordError::Missing { path: path.into() },
        _ => RecordError::Io {
            path: path.into(),
            source,
        },
    };
    let there = std::fs::metadata(path).map_err(failed)?;
    if !there.is_file() {
        return Err(RecordError::NotAFile { path: path.into() });
    }
    let mut start = Vec::new();
    std::fs::File::open(path)
        .and_then(|file| file.take(16).read_to_end(&mut start))
        .map_err(failed)?;
    if start != schema::MAGIC {
        return Err(RecordError::NotSqlite { path: path.into() });
    }
    Ok(())
}

fn log_of(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_os_string();
    name.push("-wal");
    name.into()
}

fn has_log(path: &Path) -> bool {
    log_of(path).exists()
}

fn copy_with_log(path: &Path, directory: &Path) -> std::io::Result<PathBuf> {
    let copy = directory.join("record.plim");
    std::fs::copy(path, &copy)?;
    std::fs::copy(log_of(path), log_of(&copy))?;
    Ok(copy)
}
