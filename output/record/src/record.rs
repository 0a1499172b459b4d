//! Reading a record.

use crate::reading::{self, Ascending, Source, Work};
use crate::row::check_name;
use crate::{
    Contradiction, DefinitionText, IntervalTotals, OpTotals, RecordError, RunStatus,
    contradictions, definition_rows, finding_rows, host_rows, interval_rows, interval_totals,
    schema, step_json,
};
use plimsoll_evidence::{Environment, Finding, HostInterval, Interval, StepEvidence, Verdict};
use rusqlite::{Connection, OptionalExtension, Row};
use std::io::Read;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A record that is read: of a run that ended, was killed, or still goes on.
#[derive(Debug)]
pub struct Record {
    db: Connection,
    work: Work,
    path: PathBuf,
    environment: Environment,
    plan_json: String,
    status: RunStatus,
    started_unix_ns: i64,
    /// Folder of the copy that is read instead of a file which SQLite could not open in its place.
    _copy: Option<TempDir>,
}

/// A step that was begun; without evidence where the run ended inside it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StartedStep {
    /// Number of the step in the record, from 1.
    pub number: u32,
    /// Name of the step.
    pub name: String,
    /// The run that it belongs to.
    pub run: String,
    /// Definition of the step, JSON.
    pub definition_json: String,
    /// Start of the step, ns since 1970.
    pub begun_unix_ns: i64,
}

impl Record {
    /// True where a file says that it is a record, whatever else may be wrong with it.
    pub fn is_one(path: &Path) -> bool {
        crate::schema::is_marked(path).unwrap_or(false)
    }

    /// Opens a record for reading; neither the file nor anything beside it is ever changed.
    pub fn open(path: &Path) -> Result<Self, RecordError> {
        check_file(path)?;
        let Source { db, work, copy } = reading::open(path)?;
        let failed = |e| RecordError::from_sqlite(path, e);
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
            work,
            db,
        })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Environment of the run: the host and the targets.
    pub fn environment(&self) -> &Environment {
        &self.environment
    }

    /// The plan, as JSON.
    pub fn plan_json(&self) -> &str {
        &self.plan_json
    }

    /// Texts that the plan was read from, as it was written: files, what they include, and what the command line changed. Empty where only
    /// flags said it.
    pub fn definition_texts(&self) -> Result<Vec<DefinitionText>, RecordError> {
        self.query(definition_rows::read)
    }

    /// Status of the run when the record was opened; [`RunStatus::Running`] where it had not ended.
    pub fn status(&self) -> &RunStatus {
        &self.status
    }

    /// Start of the run, ns since 1970.
    pub fn started_unix_ns(&self) -> i64 {
        self.started_unix_ns
    }

    /// A copy of all of it, in a database without a name.
    pub(crate) fn copied(&self) -> Result<Connection, RecordError> {
        let mut copy = Connection::open("").map_err(|e| RecordError::from_sqlite(&self.path, e))?;
        self.query(|db| crate::recorder::copy_all(db, &mut copy))?;
        Ok(copy)
    }

    /// The evidence of all finished steps, by number: of those that are results.
    pub fn steps(&self) -> Result<Vec<StepEvidence>, RecordError> {
        let mut steps = self.all_steps()?;
        steps.retain(|step| step.set_aside.is_none());
        Ok(steps)
    }

    /// The evidence of the finished steps that are no results, by number: [`StepEvidence::set_aside`] says why.
    pub fn steps_set_aside(&self) -> Result<Vec<StepEvidence>, RecordError> {
        let mut steps = self.all_steps()?;
        steps.retain(|step| step.set_aside.is_some());
        Ok(steps)
    }

    pub(crate) fn all_steps(&self) -> Result<Vec<StepEvidence>, RecordError> {
        self.steps_after(0)
    }

    /// The evidence of the finished steps with greater numbers, of those that are no results too.
    pub fn steps_after(&self, number: u32) -> Result<Vec<StepEvidence>, RecordError> {
        let mut room = self.work.room();
        let mut steps = Vec::new();
        self.query(|db| {
            let mut statement = db.prepare_cached(
                "SELECT step, evidence FROM steps WHERE evidence IS NOT NULL AND step>? ORDER BY step",
            )?;
            let mut rows = statement.query([number])?;
            let mut order = Ascending::of("steps");
            while let Some(row) = rows.next()? {
                let number = row.get(0)?;
                order.next(number)?;
                let body = row.get_ref(1)?.as_str()?;
                steps.push(step_json::attach(db, number, body, &mut room)?);
            }
            Ok(())
        })?;
        Ok(steps)
    }

    /// The steps that were begun and not finished: of a run that was killed or goes on. Their intervals are there.
    pub fn started_steps(&self) -> Result<Vec<StartedStep>, RecordError> {
        self.query(|db| started(db, 0, false))
    }

    /// The steps from a number on, finished or not.
    pub fn steps_from(&self, number: u32) -> Result<Vec<StartedStep>, RecordError> {
        self.query(|db| started(db, number, true))
    }

    /// Number and name of every step, finished or not.
    pub fn step_names(&self) -> Result<Vec<(u32, String)>, RecordError> {
        let mut order = Ascending::of("steps");
        self.query(|db| {
            db.prepare_cached("SELECT step, name FROM steps ORDER BY step")?
                .query_map([], |row| {
                    let number = row.get(0)?;
                    order.next(number)?;
                    Ok((number, name(row, 1)?))
                })?
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

    /// Start of a step, ns since 1970; `None` where there is no such step.
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

    /// Number of intervals of a step, the warm-up's too.
    pub fn interval_count(&self, step: u32) -> Result<u32, RecordError> {
        self.query(|db| {
            db.query_row(
                "SELECT count(*) FROM intervals WHERE step=? AND host=0",
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

    /// Hands over the intervals of a step in order, one at a time: those of all hosts together, or of the only one.
    pub fn each_interval(&self, step: u32, each: impl FnMut(Interval)) -> Result<(), RecordError> {
        self.each_interval_of(step, 0, each)
    }

    /// Calls back with each interval of one host; its number is that of [`plimsoll_evidence::Environment::hosts`], from 1.
    pub fn each_interval_of(
        &self,
        step: u32,
        host: u32,
        each: impl FnMut(Interval),
    ) -> Result<(), RecordError> {
        self.query(|db| interval_rows::read_each(db, (step, host), || self.work.room(), each))
    }

    /// Intervals of a step of each of several hosts, host by host, each host's in order; of a run on one host there is none. Histograms and
    /// addresses are not read: of a fleet they are many.
    pub fn each_host_interval(
        &self,
        step: u32,
        each: impl FnMut(HostInterval),
    ) -> Result<(), RecordError> {
        self.query(|db| host_rows::read_each(db, step, each))
    }

    /// Hands over the totals of the intervals of a step behind `after`, in order: of a host by its number, of all together by 0.
    pub fn each_total(
        &self,
        (step, host): (u32, u32),
        after: u32,
        each: impl FnMut(IntervalTotals),
    ) -> Result<(), RecordError> {
        self.query(|db| interval_totals::read_each(db, (step, host), after, each))
    }

    /// Hands over what the streams of a step did in the intervals behind `after`: interval by interval, then by stream.
    pub fn each_op_total(
        &self,
        step: u32,
        after: u32,
        each: impl FnMut(OpTotals),
    ) -> Result<(), RecordError> {
        self.query(|db| interval_totals::read_each_op(db, step, after, each))
    }

    /// The methods' conclusions, in the order in which they were added.
    pub fn verdicts(&self) -> Result<Vec<Verdict>, RecordError> {
        self.query(finding_rows::verdicts)
    }

    /// Findings of rules, in the order in which they were added.
    pub fn findings(&self) -> Result<Vec<Finding>, RecordError> {
        self.query(finding_rows::findings)
    }

    /// A number that grows with each finding that is added; 0 where there is none.
    pub fn last_finding(&self) -> Result<i64, RecordError> {
        self.query(finding_rows::last)
    }

    /// Contradictions between the columns of these steps, their evidence and their intervals: somebody changed them by hand.
    pub fn contradictions(
        &self,
        steps: &[StepEvidence],
    ) -> Result<Vec<Contradiction>, RecordError> {
        self.query(|db| contradictions::of(db, steps))
    }

    pub(crate) fn query<T>(
        &self,
        read: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, RecordError> {
        self.work.renew();
        read(&self.db).map_err(|e| RecordError::from_sqlite(&self.path, e))
    }
}

/// Steps from a number on: all, or those without evidence.
fn started(db: &Connection, from: u32, all: bool) -> rusqlite::Result<Vec<StartedStep>> {
    let mut order = Ascending::of("steps");
    db.prepare_cached(
        "SELECT step, name, run, definition, begun_unix_ns FROM steps
         WHERE step>=?1 AND (?2 OR evidence IS NULL) ORDER BY step",
    )?
    .query_map((from, all), |row| {
        let number = row.get(0)?;
        order.next(number)?;
        Ok(StartedStep {
            number,
            name: name(row, 1)?,
            run: row.get(2)?,
            definition_json: row.get(3)?,
            begun_unix_ns: row.get(4)?,
        })
    })?
    .collect()
}

/// A name in a column.
fn name(row: &Row, column: usize) -> rusqlite::Result<String> {
    let name = row.get_ref(column)?.as_str()?;
    check_name(name)?;
    Ok(name.to_owned())
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
