//! Writing a record while the run goes on.

mod custody;
mod harm;
mod rescue;
mod resume;

pub use harm::{Harm, HarmKind};
pub use rescue::Rescue;
pub(crate) use rescue::copy_all;
pub use resume::RESUMED;

use crate::place::RecordPermit;
use crate::reading::LONGEST_VALUE;
use crate::row::{check_name, insert, set_meta};
use crate::{
    DefinitionText, RecordError, RunStatus, definition_rows, environment_rows, finding_rows,
    interval_rows, schema, step_json, step_rows,
};
use custody::Custody;
use plimsoll_evidence::{Environment, Finding, Interval, StepEvidence, Verdict};
use plimsoll_permit::output::Rules;
use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use rusqlite::{Connection, OpenFlags};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// A record that is being written.
///
/// Every method that adds something is one transaction: once it has returned, the addition survives the death of this
/// process. There is no fsync inside a step, so a power failure can lose what came after the last
/// [`Recorder::between_steps`].
///
/// An error leaves all that was written before readable; further calls may be tried.
///
/// A record that is removed, replaced or cut short meanwhile is noticed by the next method that adds something. All that
/// was recorded is then copied to a new file beside it, and the recorder goes on there: see [`Recorder::take_rescue`].
#[derive(Debug)]
pub struct Recorder {
    db: Connection,
    path: PathBuf,
    custody: Custody,
    started_unix_ns: String,
    /// Number of intervals that were added.
    intervals: u64,
    /// The length of the log, bytes, at which it is moved into the file.
    log_limit: u64,
    rescue: Option<Rescue>,
    /// An index that was lengthened again: to close it would drop SQLite's locks on it.
    _mended: Option<File>,
}

/// Number of bytes that a log may grow by inside a step.
const LOG_BYTES: u64 = 64 << 20;

impl Recorder {
    /// Makes a new record. A file that is there is an error unless it is empty.
    pub fn create(
        path: &Path,
        environment: &Environment,
        plan_json: &str,
    ) -> Result<Self, RecordError> {
        let permit = RecordPermit::ask(path, &Rules::default())?;
        Self::begin(permit, environment, plan_json)
    }

    /// Makes a new record where it is permitted.
    pub fn begin(
        permit: RecordPermit,
        environment: &Environment,
        plan_json: &str,
    ) -> Result<Self, RecordError> {
        let started_unix_ns = now_unix_ns().to_string();
        let started = started_unix_ns.clone();
        Self::write_on(permit, started_unix_ns, 0, |db| {
            schema::create(db)?;
            let transaction = db.transaction()?;
            set_meta(&transaction, "plan", plan_json)?;
            set_meta(&transaction, "started_unix_ns", &started)?;
            set_status(&transaction, &RunStatus::Running)?;
            environment_rows::write(&transaction, environment)?;
            transaction.commit()
        })
    }

    /// A record of which `fill` writes the beginning, `intervals` of them, into an empty database.
    fn write_on(
        permit: RecordPermit,
        started_unix_ns: String,
        intervals: u64,
        fill: impl FnOnce(&mut Connection) -> rusqlite::Result<()>,
    ) -> Result<Self, RecordError> {
        let path = permit.path().to_path_buf();
        let failed = |e| RecordError::from_sqlite(&path, e);
        // In the log's mode from the start, so that what has no room for a log takes no name.
        let real = permit.make(|new| {
            let mut db = connect(new).map_err(failed)?;
            fill(&mut db).map_err(failed)?;
            // Whatever happens from here on, the file itself says what it is.
            checkpoint(&db, "TRUNCATE").map_err(failed)?;
            db.close().map_err(|(_, e)| failed(e))
        })?;
        let db = connect(&real).map_err(failed)?;
        use_once(&db).map_err(failed)?;
        // SQLite's log and index lie beside the file itself. Where the name is no link, it is the one that people know.
        let kept = if path.is_symlink() { &real } else { &path };
        let custody =
            Custody::new(kept, &started_unix_ns).map_err(|e| RecordError::from_io(&path, e))?;
        Ok(Recorder {
            db,
            path,
            custody,
            started_unix_ns,
            intervals,
            log_limit: LOG_BYTES,
            rescue: None,
            _mended: None,
        })
    }

    /// The record's file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Adds what the plan was read from, before the first step; of very long texts the beginning.
    pub fn keep_definition(&mut self, texts: &[DefinitionText]) -> Result<(), RecordError> {
        self.transaction(|db| definition_rows::write(db, texts))
    }

    /// Announces a step before its first interval: its number (from 1), its name, its run, and its definition as JSON.
    pub fn begin_step(
        &mut self,
        number: u32,
        name: &str,
        run: &str,
        step_json: &str,
    ) -> Result<(), RecordError> {
        self.transaction(|db| {
            check_name(name)?;
            insert(
                db,
                "steps",
                &[
                    ("step", &number),
                    ("name", &name),
                    ("run", &run),
                    ("begun_unix_ns", &now_unix_ns()),
                    ("definition", &step_json),
                ],
            )
        })
    }

    /// Adds a finished interval.
    pub fn append_interval(&mut self, interval: &Interval) -> Result<(), RecordError> {
        self.transaction(|db| interval_rows::write(db, interval))?;
        self.intervals += 1;
        self.bound_log()
    }

    /// A step of days would have a log of many GiB: what is in it moves to the file when it has grown by so much. That is
    /// one sync for each [`LOG_BYTES`]. Where somebody reads the record just now, it waits until it has grown as much again.
    fn bound_log(&mut self) -> Result<(), RecordError> {
        if self.custody.log_bytes() < self.log_limit {
            return Ok(());
        }
        self.checkpoint("TRUNCATE")?;
        self.log_limit = self.custody.log_bytes() + LOG_BYTES;
        Ok(())
    }

    /// Adds what a begun step came to, and what was found in it. Evidence with a number that is none (NaN, infinity) is refused: it could not be
    /// read again.
    pub fn finish_step(&mut self, step: &StepEvidence) -> Result<(), RecordError> {
        let body = step_json::detach(step).map_err(|e| RecordError::Unstorable {
            what: format!("the evidence of step {}: {e}", step.number),
        })?;
        let known = self.transaction(|db| step_rows::write(db, step, &body, now_unix_ns()))?;
        if known {
            return Ok(());
        }
        Err(RecordError::Unstorable {
            what: format!("step {} was not begun", step.number),
        })
    }

    /// Adds a method's conclusion, and what was found in it.
    pub fn add_verdict(&mut self, verdict: &Verdict) -> Result<(), RecordError> {
        let unstorable = |e: serde_json::Error| RecordError::Unstorable {
            what: format!("a verdict: {e}"),
        };
        let body = serde_json::to_string(verdict).map_err(unstorable)?;
        serde_json::from_str::<Verdict>(&body).map_err(unstorable)?;
        let value: serde_json::Value = serde_json::from_str(&body).map_err(unstorable)?;
        let (kind, run) = (
            value["kind"].as_str().unwrap_or_default(),
            value["run"].as_str(),
        );
        self.transaction(|db| {
            insert(
                db,
                "verdicts",
                &[("kind", &kind), ("run", &run), ("body", &body)],
            )?;
            let mut found = verdict.findings().iter();
            found.try_for_each(|finding| finding_rows::write(db, finding))
        })
    }

    /// Adds what a rule found that is in no step's evidence and in no verdict.
    pub fn add_finding(&mut self, finding: &Finding) -> Result<(), RecordError> {
        self.transaction(|db| finding_rows::write(db, finding))
    }

    /// Replaces the environment: a backend was chosen, a note was added.
    pub fn update_environment(&mut self, environment: &Environment) -> Result<(), RecordError> {
        self.transaction(|db| environment_rows::write(db, environment))
    }

    /// Moves what was written from the log into the file and syncs it. Only between steps: it costs I/O.
    pub fn between_steps(&mut self) -> Result<(), RecordError> {
        self.look_after()?;
        self.checkpoint("PASSIVE")
    }

    /// Looks whether the record is still where it was, and goes on beside it where it is not. Everything that adds
    /// something does so first.
    ///
    /// # Errors
    /// [`RecordError::Harmed`] where the record could not be saved.
    pub fn look_after(&mut self) -> Result<(), RecordError> {
        match self.custody.harm() {
            None => Ok(()),
            Some(harm) => self.go_on_beside(harm),
        }
    }

    /// Rescue that made the record go on under another name, returned once.
    pub fn take_rescue(&mut self) -> Option<Rescue> {
        self.rescue.take()
    }

    /// States how the run ended, and leaves one plain file; with its log beside it where somebody reads the record just now.
    ///
    /// # Errors
    /// [`RecordError::Harmed`] where the record is gone: [`Recorder::look_after`] before it saves what can be saved.
    pub fn finish(mut self, status: RunStatus) -> Result<(), RecordError> {
        let gone = |harm| RecordError::Harmed {
            harm,
            why: "the run has just ended".into(),
        };
        if let Some(harm) = self.custody.harm() {
            self.never_write_the_log();
            return Err(gone(harm));
        }
        self.commit(|db| {
            set_meta(db, "finished_unix_ns", &now_unix_ns().to_string())?;
            set_status(db, &status)
        })?;
        self.checkpoint("TRUNCATE")?;
        // Refused while somebody reads the record: then the log stays, and belongs to it.
        let _ = self.db.pragma_update(None, "journal_mode", "DELETE");
        self.db
            .close()
            .map_err(|(_, e)| RecordError::from_sqlite(&self.path, e))?;
        self.custody
            .harm_of_the_file()
            .map_or(Ok(()), |harm| Err(gone(harm)))
    }

    /// The log may no longer belong to what is in the file's place: to close the database must not move it there.
    fn never_write_the_log(&self) {
        let _ = self
            .db
            .set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true);
    }

    /// Leaves the files that were harmed as they are, and goes on in a new one with all that was recorded.
    fn go_on_beside(&mut self, harm: Harm) -> Result<(), RecordError> {
        self.never_write_the_log();
        let unsaved = |why: RecordError| RecordError::Harmed {
            harm: harm.clone(),
            why: why.to_string(),
        };
        let mended = self.custody.mend_index();
        self._mended = mended.map_err(|e| unsaved(RecordError::from_io(&self.path, e)))?;
        let to = rescue::copy_beside(&self.db, &self.path, self.intervals).map_err(unsaved)?;
        let failed = |e| unsaved(RecordError::from_sqlite(&to, e));
        let db = connect(&to).map_err(failed)?;
        use_once(&db).map_err(failed)?;
        let custody = Custody::new(&to, &self.started_unix_ns)
            .map_err(|e| unsaved(RecordError::from_io(&to, e)))?;
        drop(std::mem::replace(&mut self.db, db));
        // Beside another file they would be taken for its own.
        self.custody.remove_own_neighbours();
        self.custody = custody;
        self._mended = None;
        self.path.clone_from(&to);
        self.rescue = Some(Rescue { harm, to });
        Ok(())
    }

    fn checkpoint(&mut self, mode: &str) -> Result<(), RecordError> {
        checkpoint(&self.db, mode).map_err(|e| RecordError::from_sqlite(&self.path, e))?;
        self.custody.written(true);
        Ok(())
    }

    fn transaction<T>(
        &mut self,
        write: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, RecordError> {
        self.look_after()?;
        self.commit(write)
    }

    fn commit<T>(
        &mut self,
        write: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, RecordError> {
        let committed = self.try_commit(write);
        // One that found no room has written a part of itself to the log, too.
        self.custody.logged();
        let value = committed.map_err(|e| RecordError::from_sqlite(&self.path, e))?;
        self.custody.written(false);
        Ok(value)
    }

    fn try_commit<T>(
        &mut self,
        write: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> rusqlite::Result<T> {
        let transaction = self.db.transaction()?;
        let value = write(&transaction)?;
        transaction.commit()?;
        Ok(value)
    }
}

fn checkpoint(db: &Connection, mode: &str) -> rusqlite::Result<()> {
    db.query_row(&format!("PRAGMA wal_checkpoint({mode})"), [], |_| Ok(()))
}

/// The first use makes the log and its index. All pages are read, so that SQLite holds them should the file be cut.
fn use_once(db: &Connection) -> rusqlite::Result<()> {
    db.query_row("PRAGMA quick_check(1)", [], |_| Ok(()))
}

fn connect(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_NO_MUTEX
        | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    let db = Connection::open_with_flags(path, flags)?;
    db.busy_timeout(Duration::from_secs(5))?;
    db.set_prepared_statement_cache_capacity(32);
    // What could not be read is not written.
    db.set_limit(Limit::SQLITE_LIMIT_LENGTH, LONGEST_VALUE)?;
    db.pragma_update(None, "journal_mode", "WAL")?;
    db.pragma_update(None, "synchronous", "NORMAL")?;
    // A checkpoint reads, writes and syncs: not in the middle of a measurement.
    db.pragma_update(None, "wal_autocheckpoint", 0)?;
    Ok(db)
}

fn set_status(db: &Connection, status: &RunStatus) -> rusqlite::Result<()> {
    set_meta(db, "status", status.word())?;
    match status {
        RunStatus::Failed(reason) => set_meta(db, "status_reason", reason),
        _ => Ok(()),
    }
}

/// The wall clock, ns since 1970.
fn now_unix_ns() -> i64 {
    let since = SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)
        .unwrap_or_default();
    i64::try_from(since.as_nanos()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Record;
    use plimsoll_evidence::Phase;
    use plimsoll_measure::IntervalStats;

    fn interval(number: u32) -> Interval {
        Interval::new(
            1,
            number,
            0..1_000_000_000,
            Phase::Counted,
            IntervalStats::new(8),
        )
    }

    #[test]
    fn a_long_steps_log_is_moved_into_the_file_as_it_goes() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("run.plim");
        let mut recorder = Recorder::create(&path, &Environment::default(), "{}").unwrap();
        recorder.begin_step(1, "s", "s", "{}").unwrap();
        recorder.log_limit = 1 << 20;
        let log = dir.path().join("run.plim-wal");
        let (mut longest, mut moved) = (0, 0);
        for n in 1..=400 {
            recorder.append_interval(&interval(n)).unwrap();
            let length = std::fs::metadata(&log).unwrap().len();
            moved += u32::from(length < longest);
            longest = longest.max(length);
            recorder.log_limit = recorder.log_limit.min(1 << 20);
        }
        assert!(moved >= 1 && longest < 2 << 20, "{moved} {longest}");
        // What is killed now has all of them.
        let read = Record::open(&path).unwrap();
        assert_eq!(read.intervals(1).unwrap().len(), 400);
    }

    #[test]
    fn a_full_record_says_so_and_keeps_what_it_has() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("run.plim");
        let mut recorder = Recorder::create(&path, &Environment::default(), "{}").unwrap();
        recorder.begin_step(1, "rd1", "rd1", "{}").unwrap();
        // SQLite then fails as it does on a full disk.
        recorder
            .db
            .pragma_update(None, "max_page_count", 40)
            .unwrap();
        let mut kept = 0;
        let error = loop {
            match recorder.append_interval(&interval(kept + 1)) {
                Ok(()) => kept += 1,
                Err(e) => break e,
            }
        };
        assert!(matches!(error, RecordError::NoSpace { .. }), "{error}");
        assert!(kept > 0);
        recorder
            .db
            .pragma_update(None, "max_page_count", 1_000_000)
            .unwrap();
        recorder.append_interval(&interval(kept + 1)).unwrap();
        recorder.finish(RunStatus::Completed).unwrap();
        assert_eq!(
            Record::open(&path).unwrap().interval_count(1).unwrap(),
            kept + 1
        );
    }

    #[test]
    fn nothing_is_synced_or_checkpointed_while_a_step_goes_on() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("run.plim");
        let mut recorder = Recorder::create(&path, &Environment::default(), "{}").unwrap();
        recorder.between_steps().unwrap();
        recorder.begin_step(1, "rd1", "rd1", "{}").unwrap();
        let before = std::fs::metadata(&path).unwrap().len();
        for number in 1..=600 {
            recorder.append_interval(&interval(number)).unwrap();
        }
        assert_eq!(
            std::fs::metadata(&path).unwrap().len(),
            before,
            "all of it is in the log"
        );
        recorder.between_steps().unwrap();
        assert!(std::fs::metadata(&path).unwrap().len() > before);
    }
}
