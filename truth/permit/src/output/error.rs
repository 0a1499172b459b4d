//! Why something cannot be written.

use crate::Refusal;
use rustix::io::Errno;
use std::io;
use std::path::{Path, PathBuf};

/// Why something cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum OutputError {
    /// It would be wrong.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The system does not let it be done.
    #[error("cannot write {}: {source}; {}", path.display(), remedy(source))]
    System {
        /// What was to be written.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl OutputError {
    pub(crate) fn system(path: &Path, source: impl Into<io::Error>) -> Self {
        OutputError::System {
            path: path.into(),
            source: source.into(),
        }
    }

    pub(crate) fn refused(path: &Path, why: impl Into<String>, remedy: impl Into<String>) -> Self {
        OutputError::Refused(Refusal {
            path: path.into(),
            why: why.into(),
            remedy: remedy.into(),
        })
    }
}

fn remedy(source: &io::Error) -> &'static str {
    match source.kind() {
        io::ErrorKind::NotFound => "make its folder first, or name another",
        io::ErrorKind::NotADirectory => "name a file in a folder",
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            "make room there, or name a place with more"
        }
        _ if source.raw_os_error() == Some(Errno::BUSY.raw_os_error()) => {
            "something is mounted on it; name another file"
        }
        _ => "name a place that may be written",
    }
}
