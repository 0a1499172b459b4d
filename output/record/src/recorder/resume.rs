//! A record whose run did not come to its end is gone on with.
//!
//! The record is not written in its place: all that stays of it is copied to a new file, which then takes its name. So
//! whoever is killed meanwhile, at any instant, leaves the one or the other, and both can be resumed.

use super::{Recorder, set_status};
use crate::numbers::count;
use crate::place::RecordPermit;
use crate::{Record, RecordError, RunStatus, environment_rows, finding_rows};
use plimsoll_evidence::Environment;
use rusqlite::Connection;

/// Beginning of the note of a record that was gone on with; the number of the last step that stayed follows.
pub const RESUMED: &str = "resumed behind step";

impl Recorder {
    /// Resumes a record behind its step number `last` (0: before the first), and writes it on under its own name.
    /// Later steps and all verdicts are left out of it: they are made again. Of the findings those of the steps that stay
    /// are kept, each once. `permit` is of the record's
    /// place, with leave to replace what is there.
    ///
    /// # Errors
    /// [`RecordError::InUse`] where its run still goes on, or somebody reads it.
    pub fn resume(
        permit: RecordPermit,
        record: Record,
        last: u32,
        environment: &Environment,
    ) -> Result<Self, RecordError> {
        let path = permit.path().to_path_buf();
        let failed = |e| RecordError::from_sqlite(&path, e);
        let started_unix_ns = record.started_unix_ns().to_string();
        let kept = record.copied()?;
        let mut steps = record.all_steps()?;
        steps.retain(|step| step.number <= last);
        // Its own reader would make it look as if it were in use.
        drop(record);
        cut(&kept, last).map_err(failed)?;
        let mut found = steps.iter().flat_map(|step| &step.findings);
        found
            .try_for_each(|finding| finding_rows::write(&kept, finding))
            .map_err(failed)?;
        let intervals: i64 = kept
            .query_row("SELECT count(*) FROM intervals", [], |row| row.get(0))
            .map_err(failed)?;
        Self::write_on(permit, started_unix_ns, count(intervals), |new| {
            super::rescue::copy_all(&kept, new)?;
            set_status(new, &RunStatus::Running)?;
            new.execute(
                "DELETE FROM meta WHERE key IN ('finished_unix_ns', 'status_reason')",
                [],
            )?;
            environment_rows::write(new, environment)
        })
    }
}

/// Takes out all that is of later steps, and what was concluded.
fn cut(db: &Connection, last: u32) -> rusqlite::Result<()> {
    let tables: Vec<String> = db
        .prepare(
            "SELECT t.name FROM sqlite_schema t, pragma_table_info(t.name) c WHERE t.type='table' AND c.name='step'",
        )?
        .query_map([], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    for table in tables {
        // Names of our own tables, all of them plain words.
        db.execute(&format!("DELETE FROM \"{table}\" WHERE step > ?"), [last])?;
    }
    db.execute_batch("DELETE FROM verdicts; DELETE FROM findings; VACUUM")
}
