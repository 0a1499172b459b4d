//! Uses of devices and files, in words.

use crate::storage::Relation;
use serde::Serialize;
use std::path::PathBuf;

/// A program that holds a lock.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Holder {
    /// Its process.
    pub pid: u32,
    /// Its name.
    pub program: String,
}

/// Device or file that is used, and how it shares storage with the one that was asked about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Subject {
    /// Its kernel name, or its path.
    #[serde(rename = "device")]
    pub name: String,
    /// How it shares the storage.
    pub relation: Relation,
}

impl Subject {
    /// The one that was asked about.
    pub fn itself(name: impl Into<String>) -> Self {
        Subject {
            name: name.into(),
            relation: Relation::Itself,
        }
    }

    fn it(&self) -> String {
        match self.relation {
            Relation::Itself => "it".to_string(),
            _ => self.to_string(),
        }
    }
}

impl std::fmt::Display for Subject {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let name = &self.name;
        match self.relation {
            Relation::Itself | Relation::Above => write!(f, "{name}"),
            Relation::Below => write!(f, "{name} (which it is made of)"),
            Relation::Beside => write!(f, "{name} (the same storage)"),
        }
    }
}

/// One use of a device or file, or of something that shares its storage.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "use", rename_all = "snake_case")]
pub enum Use {
    /// A file system on it is mounted.
    Mounted {
        /// What is mounted.
        #[serde(flatten)]
        of: Subject,
        /// Where.
        at: PathBuf,
    },
    /// It is swapped to.
    Swap {
        /// What is swapped to.
        #[serde(flatten)]
        of: Subject,
    },
    /// It is part of another device.
    Held {
        /// What is part of it.
        #[serde(flatten)]
        of: Subject,
        /// What is built on it.
        by: String,
        /// `dm`, `md`, `multipath`, `loop`…
        by_kind: String,
    },
    /// A program has it open for writing.
    Opened {
        /// What it has open.
        #[serde(flatten)]
        of: Subject,
        /// The program's name.
        program: String,
        /// Its process.
        pid: u32,
    },
    /// A program has it mapped, shared, and may write to it.
    Mapped {
        /// What it has mapped.
        #[serde(flatten)]
        of: Subject,
        /// The program's name.
        program: String,
        /// Its process.
        pid: u32,
    },
    /// A program has it, or a part of it, locked against others.
    Locked {
        /// What it has locked.
        #[serde(flatten)]
        of: Subject,
        /// The program, where it can be seen.
        by: Option<Holder>,
    },
    /// The kernel serves it to other hosts.
    Exported {
        /// What is served.
        #[serde(flatten)]
        of: Subject,
        /// By what.
        by: String,
    },
    /// The kernel says that somebody holds it, and nothing above says who.
    Claimed {
        /// What is held.
        #[serde(flatten)]
        of: Subject,
    },
    /// The kernel counts a writer of the file, and nothing above says who.
    Written,
}

impl std::fmt::Display for Use {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Use::Mounted { of, at } => write!(f, "{of} is mounted at {}", at.display()),
            Use::Swap { of } => write!(f, "{of} is swap space in use"),
            Use::Held { of, by, by_kind } => match of.relation {
                Relation::Below => write!(f, "what it is made of is part of {by} ({by_kind})"),
                _ => write!(f, "{of} is part of {by} ({by_kind})"),
            },
            Use::Opened { of, program, pid } => {
                write!(
                    f,
                    "process {pid} ({program}) has {} open for writing",
                    of.it()
                )
            }
            Use::Mapped { of, program, pid } => {
                write!(
                    f,
                    "process {pid} ({program}) has {} mapped for writing",
                    of.it()
                )
            }
            Use::Locked {
                of,
                by: Some(Holder { pid, program }),
            } => write!(f, "process {pid} ({program}) has {} locked", of.it()),
            Use::Locked { of, by: None } => {
                write!(
                    f,
                    "a process that cannot be seen from here has {} locked",
                    of.it()
                )
            }
            Use::Exported { of, by } => write!(f, "{} is served by {by}", of.it()),
            Use::Claimed { of } => {
                write!(f, "somebody holds {} (an exclusive open fails)", of.it())
            }
            Use::Written => write!(
                f,
                "somebody who cannot be seen from here has it open for writing"
            ),
        }
    }
}
