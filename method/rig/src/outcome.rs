//! Whether a run counts as clean.

use crate::{RunOptions, RunResult};
use plimsoll_plan::{DEFAULT_MAX_ERRORS, Plan};
use plimsoll_record::RunStatus;

/// What a run is to whoever waits for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// Measured, and nothing failed.
    Clean,
    /// Measured; some failed, and the user had allowed for as many.
    Allowed,
    /// Measured, and I/Os failed, or did not come back.
    IosFailed,
    /// Not all was measured, or not all of it is in the record.
    Unfinished,
}

impl RunResult {
    /// Failed I/Os and fsyncs of all steps, fills and warm-ups too.
    pub fn errors(&self) -> u64 {
        self.steps.iter().map(|s| s.errors).sum()
    }

    /// What it is to whoever waits for it.
    pub fn outcome(&self) -> Outcome {
        match self.status {
            _ if self.record_error.is_some() => Outcome::Unfinished,
            RunStatus::Interrupted | RunStatus::Running => Outcome::Unfinished,
            RunStatus::Failed(_) => Outcome::IosFailed,
            RunStatus::Completed if self.errors() == 0 => Outcome::Clean,
            // It would have ended before, had there been more.
            RunStatus::Completed if self.allowed_errors.is_some() => Outcome::Allowed,
            RunStatus::Completed => Outcome::IosFailed,
        }
    }
}

/// The number of errors that ends the run, where the user raised it: who does that expects some. A smaller number than
/// the usual one asks to end sooner, and a number in a Vdbench file means what it means to Vdbench: one error is failure.
pub(crate) fn allowed_errors(plan: &Plan, options: &RunOptions) -> Option<u64> {
    let of_plan = (plan.dialect != "vdbench").then_some(plan.max_errors);
    let asked = options.max_errors.or(of_plan)?;
    (asked > DEFAULT_MAX_ERRORS).then_some(asked)
}

/// `1 I/O`, `9 I/Os`.
pub(crate) fn failed_ios(count: u64) -> String {
    format!("{count} I/O{}", if count == 1 { "" } else { "s" })
}
