//! Why a step ended.

use serde::{Deserialize, Serialize};

/// Reason for the end of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum End {
    /// The step's time was up.
    Elapsed,
    /// A limit of bytes or I/Os was reached, every stream made its one pass, or the method had seen enough.
    Limit,
    /// The user interrupted it.
    Interrupted,
    /// Too many errors.
    Errors,
    /// I/Os did not come back by the drain deadline.
    Hung,
}
