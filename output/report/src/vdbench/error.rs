//! Errors of writing Vdbench's report.

use plimsoll_permit::output::OutputError;
use std::path::PathBuf;

/// Reason why a report could not be written.
#[derive(Debug, thiserror::Error)]
pub enum VdbenchError {
    /// The folder or a file of it may not be written.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// A file of the folder.
    #[error("cannot write the report {}: {source}", path.display())]
    Write {
        /// The file or folder.
        path: PathBuf,
        /// Error of the system.
        source: std::io::Error,
    },
    /// An interval or an average came before any run was started.
    #[error("a report needs a run before its intervals")]
    NoRun,
}
