//! How a run ended.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Status of the run behind a record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunStatus {
    /// Not finished: it still goes on, or it was killed.
    Running,
    /// All steps were carried out.
    Completed,
    /// The user ended it.
    Interrupted,
    /// Run that could not go on, with the reason.
    Failed(String),
}

impl RunStatus {
    /// The word in the record's `meta` table.
    pub(crate) fn word(&self) -> &'static str {
        match self {
            RunStatus::Running => "running",
            RunStatus::Completed => "completed",
            RunStatus::Interrupted => "interrupted",
            RunStatus::Failed(_) => "failed",
        }
    }

    /// Reads the word and the reason of the `meta` table.
    pub(crate) fn from_stored(word: &str, reason: Option<String>) -> Option<Self> {
        Some(match word {
            "running" => RunStatus::Running,
            "completed" => RunStatus::Completed,
            "interrupted" => RunStatus::Interrupted,
            "failed" => RunStatus::Failed(reason.unwrap_or_default()),
            _ => return None,
        })
    }
}

impl fmt::Display for RunStatus {
    /// For people; a record that is opened while it says `running` was most often killed, so it reads `unfinished`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RunStatus::Running => f.write_str("unfinished"),
            RunStatus::Completed => f.write_str("completed"),
            RunStatus::Interrupted => f.write_str("interrupted"),
            RunStatus::Failed(reason) => write!(f, "failed: {reason}"),
        }
    }
}
