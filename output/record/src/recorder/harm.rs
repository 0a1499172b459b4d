//! Harm that others do to the files of a record while it is written.

use std::fmt;
use std::path::PathBuf;

/// Harm that came to a record while it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Harm {
    /// The file: the record itself, its `-wal` or its `-shm`.
    pub file: PathBuf,
    /// The kind of harm.
    pub what: HarmKind,
}

/// Kinds of harm to a file that is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HarmKind {
    /// Nothing is there any more under its name.
    Removed,
    /// Another file is there under its name.
    Replaced,
    /// File shorter than what was written: bytes before, bytes now.
    Truncated(u64, u64),
    /// Another program wrote into it.
    Overwritten,
    /// Name that cannot be looked up, with the reason.
    Unreachable(String),
}

impl fmt::Display for Harm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ", self.file.display())?;
        match &self.what {
            HarmKind::Removed => f.write_str("was removed or renamed while it was written"),
            HarmKind::Replaced => f.write_str("was replaced by another file while it was written"),
            HarmKind::Truncated(before, now) => {
                write!(
                    f,
                    "was cut from {before} to {now} bytes while it was written"
                )
            }
            HarmKind::Overwritten => f.write_str("was overwritten by another program"),
            HarmKind::Unreachable(why) => write!(f, "cannot be reached any more: {why}"),
        }
    }
}
