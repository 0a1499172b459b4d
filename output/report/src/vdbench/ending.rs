//! How an execution ended, in Vdbench's words.

use super::errors;
use plimsoll_evidence::End;
use std::path::Path;

/// End of an execution.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ending {
    /// Completed as asked.
    Completed,
    /// Nothing was run: it was only to be said what would be.
    Simulated,
    /// By the user.
    Interrupted,
    /// With the error of this number, which `data_errors=` names: in the middle of a run.
    TooManyErrors(u64),
    /// After a run that had so many errors. Vdbench begins no other then, however many `data_errors=` names.
    Errors(u64),
    /// Failure, with its reason: the run could not go on.
    Failed(String),
}

impl Ending {
    /// A failure, of which a report has one line however many problems its words name.
    pub fn failure(why: &str) -> Self {
        Ending::Failed(why.lines().collect::<Vec<_>>().join("; "))
    }

    /// Ending of a run that did not end well, in Vdbench's terms, by how its last run ended: `errors` I/Os failed, of which `data_errors=`
    /// allows fewer than `max_errors`.
    pub fn unwell(last: Option<End>, errors: u64, max_errors: u64, why: &str) -> Self {
        match last {
            Some(End::Errors) => Ending::TooManyErrors(max_errors),
            Some(End::Hung) | None => Ending::failure(why),
            Some(_) => Ending::Errors(errors),
        }
    }

    /// The last lines; `run` is the name of the run that began last.
    pub(super) fn lines(&self, folder: &Path, run: &str) -> Vec<String> {
        let ended = |what: &str, how: &str| {
            let folder = folder.display();
            vec![format!("Vdbench {what} {how}. Output directory: {folder}")]
        };
        match self {
            Ending::Completed => ended("execution", "completed successfully"),
            Ending::Simulated => ended("simulation", "completed successfully"),
            Ending::Interrupted => ended("execution", "was interrupted"),
            Ending::Failed(why) => ended(
                "execution",
                &format!("failed: {}", why.trim_end_matches('.')),
            ),
            Ending::TooManyErrors(limit) => vec![errors::aborted(*limit, run)],
            Ending::Errors(count) => errors::terminated(*count),
        }
    }

    /// Reason why it ended before all was done; nothing where it did not, or the user wanted it.
    pub(super) fn abort(&self, run: &str) -> Option<String> {
        match self {
            Ending::Completed | Ending::Simulated | Ending::Interrupted => None,
            Ending::Failed(why) => Some(why.clone()),
            Ending::TooManyErrors(limit) => Some(errors::aborted(*limit, run)),
            Ending::Errors(_) => Some(errors::TERMINATING.to_owned()),
        }
    }
}
