//! Why something is not written.

use std::path::PathBuf;

/// Why a file or device is not written, and what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}: {why}; {remedy}", path.display())]
pub struct Refusal {
    /// The file or device as it was given.
    pub path: PathBuf,
    /// What was seen; one sentence without a full stop.
    pub why: String,
    /// What to do or to type; one sentence without a full stop.
    pub remedy: String,
}
