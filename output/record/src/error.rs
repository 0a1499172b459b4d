//! Why a record cannot be written or read.

use crate::Harm;
use std::path::{Path, PathBuf};

/// Reason why a record cannot be written or read. Each text is a whole sentence for the user.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// The file is there and may not be replaced.
    #[error("{} exists already; name another record, or remove it first", path.display())]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// Replacing was allowed, but what is there is no record: it may be anything.
    #[error("{} is not a Plimsoll record and is not overwritten; name another file", path.display())]
    NotOurs {
        /// The file.
        path: PathBuf,
    },
    /// Replacing was allowed, but a run is writing it, or somebody reads it.
    #[error("{} is in use and is not overwritten; name another file", path.display())]
    InUse {
        /// The file.
        path: PathBuf,
    },
    /// Nothing is written there.
    #[error(transparent)]
    Refused(#[from] plimsoll_permit::Refusal),
    /// A file lies beside the record's place that SQLite would take for its own, and that it did not make for this record.
    #[error(
        "{} lies where the record {} would have its log, and is not touched; remove it, or name another record",
        neighbour.display(), path.display()
    )]
    Beside {
        /// The record.
        path: PathBuf,
        /// File that lies beside it.
        neighbour: PathBuf,
    },
    /// A device, a directory, a pipe.
    #[error("{} is not a regular file; a record needs one", path.display())]
    NotAFile {
        /// The path.
        path: PathBuf,
    },
    /// The directory for the new file is missing.
    #[error("the directory of {} does not exist", path.display())]
    NoDirectory {
        /// The file that was to be made.
        path: PathBuf,
    },
    /// The directory or the file may not be written.
    #[error("{} cannot be written: {source}", path.display())]
    ReadOnly {
        /// The file.
        path: PathBuf,
        /// Error of the system.
        source: std::io::Error,
    },
    /// The file system is full. What was written before stays readable.
    #[error("no space is left for the record {}; what was recorded before stays readable", path.display())]
    NoSpace {
        /// The file.
        path: PathBuf,
    },
    /// There is no such file.
    #[error("there is no record {}; a run says at its end where its record is", path.display())]
    Missing {
        /// The file.
        path: PathBuf,
    },
    /// The file is no SQLite database.
    #[error("{} is not a record: it is no SQLite file", path.display())]
    NotSqlite {
        /// The file.
        path: PathBuf,
    },
    /// The file is a SQLite database of another program.
    #[error("{} is a SQLite file, but not a Plimsoll record", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// The file has the format of another version.
    #[error(
        "{} has the record format {found}, and this version reads format {known} only: use the Plimsoll that wrote it",
        path.display()
    )]
    OtherFormat {
        /// The file.
        path: PathBuf,
        /// The number of its format.
        found: i64,
        /// The number of the format that is read.
        known: i64,
    },
    /// The file lacks or garbles what the format promises.
    #[error("{} is damaged: {what}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Damage, in words.
        what: String,
    },
    /// The record was removed, replaced or cut short while it was written, and what it held could not be saved.
    #[error("{harm}, and it could not be saved beside: {why}")]
    Harmed {
        /// Harm to the record.
        harm: Harm,
        /// Reason why it could not be saved.
        why: String,
    },
    /// A value cannot be stored so that it comes back the same.
    #[error("this cannot be recorded: {what}")]
    Unstorable {
        /// Value that cannot be stored, with the reason.
        what: String,
    },
    /// Runs of different things cannot be compared.
    #[error(
        "the two sides have no step in common: A has {a}; B has {b}. Steps are matched by their names: give the same \
         one to what is to be compared"
    )]
    NothingInCommon {
        /// The steps of side A.
        a: String,
        /// The steps of side B.
        b: String,
    },
    /// A rule asks for a figure of a method's answer, and no record has such an answer.
    #[error("`{metric}` is a figure of `plimsoll {method}`, and none of these records is of one")]
    NoAnswer {
        /// The rule's metric.
        metric: &'static str,
        /// The method whose figure it is.
        method: &'static str,
    },
    /// A step that was asked for by name is in no record.
    #[error("no record has a step {step}; there are {known}")]
    NoSuchStep {
        /// The name.
        step: String,
        /// Names that there are.
        known: String,
    },
    /// The system failed to read or write.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Error of the system.
        source: std::io::Error,
    },
    /// SQLite failed in another way.
    #[error("{}: {source}", path.display())]
    Sqlite {
        /// The file.
        path: PathBuf,
        /// Error of SQLite.
        source: rusqlite::Error,
    },
}

impl RecordError {
    /// The error of an operating system call on a record's file.
    pub(crate) fn from_io(path: &Path, source: std::io::Error) -> Self {
        use std::io::ErrorKind as K;
        let path = path.to_path_buf();
        match source.kind() {
            K::NotFound => RecordError::NoDirectory { path },
            K::AlreadyExists => RecordError::Exists { path },
            K::PermissionDenied | K::ReadOnlyFilesystem => RecordError::ReadOnly { path, source },
            K::StorageFull | K::QuotaExceeded => RecordError::NoSpace { path },
            _ => RecordError::Io { path, source },
        }
    }

    /// The error of a SQLite call on a record's file.
    pub(crate) fn from_sqlite(path: &Path, source: rusqlite::Error) -> Self {
        use rusqlite::ErrorCode as C;
        let path = path.to_path_buf();
        let what = match (&source, source.sqlite_error_code()) {
            (_, Some(C::DiskFull)) => return RecordError::NoSpace { path },
            (_, Some(C::NotADatabase)) => return RecordError::NotSqlite { path },
            (_, Some(C::DatabaseCorrupt)) => source.to_string(),
            (_, Some(C::TooBig)) => "a value in it is larger than any that a record has".into(),
            (_, Some(C::OperationInterrupted)) => {
                "to read it takes longer than any file of its size can need".into()
            }
            (rusqlite::Error::FromSqlConversionFailure(_, _, what), _) => what.to_string(),
            (rusqlite::Error::InvalidColumnType(_, name, found), _) => {
                format!("the column {name} holds a value of the type {found}")
            }
            (rusqlite::Error::IntegralValueOutOfRange(..) | rusqlite::Error::Utf8Error(..), _) => {
                source.to_string()
            }
            _ => return RecordError::Sqlite { path, source },
        };
        RecordError::Damaged { path, what }
    }
}

/// Error for data that are not what a record holds, of SQLite's type for where that is expected.
pub(crate) fn damaged(what: impl Into<String>) -> rusqlite::Error {
    let what: Box<dyn std::error::Error + Send + Sync> = what.into().into();
    rusqlite::Error::FromSqlConversionFailure(0, rusqlite::types::Type::Null, what)
}
