//! What can be done to an array while it works: by hand, or by a script with times.

mod script;
mod words;

pub use script::{FaultScript, ScriptError};
pub use words::FaultWordsError;

use crate::io::IoKind;
use crate::journal::Journal;
use crate::span::Span;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Something that happens to the array.
///
/// Where a fault has `for`, it is over after that time; else it stays until the opposite is injected.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "fault", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Fault {
    /// A path goes down.
    PathDown {
        /// Number of the path, from 0.
        path: u32,
        /// Requests vanish, as behind a pulled cable in a switch; else they are refused at once.
        #[serde(default)]
        silent: bool,
        /// Until it's up again.
        #[serde(rename = "for", default, skip_serializing_if = "Option::is_none")]
        lasts: Option<Span>,
    },
    /// A path is slow.
    PathSlow {
        /// Number of the path, from 0.
        path: u32,
        /// Time added to each request.
        by: Span,
        /// Until it's as before.
        #[serde(rename = "for", default, skip_serializing_if = "Option::is_none")]
        lasts: Option<Span>,
    },
    /// A path is up, and as fast as ever.
    PathUp {
        /// Number of the path, from 0.
        path: u32,
    },
    /// A controller goes out, and the paths to its ports are down; the cores of the others take its slices.
    ControllerFailover {
        /// Number of the controller.
        controller: u32,
        /// Time that its slices wait until they are taken over.
        pause: Span,
        /// Until it has its slices back.
        #[serde(rename = "for", default, skip_serializing_if = "Option::is_none")]
        lasts: Option<Span>,
    },
    /// A controller has its slices and its ports back.
    ControllerBack {
        /// Number of the controller.
        controller: u32,
    },
    /// Requests fail.
    IoErrors {
        /// The share of the requests that fail, 0 to 1.
        #[serde(default = "always")]
        rate: f64,
        /// Only of this LUN.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        lun: Option<u32>,
        /// Only requests that touch bytes from here…
        #[serde(default)]
        from: u64,
        /// …up to here.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        to: Option<u64>,
        /// Only these.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        op: Option<IoKind>,
        /// Until they succeed again.
        #[serde(rename = "for", default, skip_serializing_if = "Option::is_none")]
        lasts: Option<Span>,
    },
    /// No request fails any more.
    IoErrorsOver {},
    /// The journal has no room beyond what it holds: others fill it as fast as it drains.
    JournalFull {
        /// The share of the drain that is left for these LUNs, 0 to 1.
        #[serde(default = "tenth")]
        drain: f64,
        /// Until it has its size again.
        #[serde(rename = "for", default, skip_serializing_if = "Option::is_none")]
        lasts: Option<Span>,
    },
    /// The journal has its size again.
    JournalFreed {},
    /// The cache is empty.
    CacheLoss {},
    /// Snapshots of every LUN at once.
    SnapshotStorm {
        /// Snapshots of each LUN.
        #[serde(default = "one")]
        of_each: u32,
    },
    /// A snapshot of every LUN by copy-on-write, as older arrays and LVM have it: the first write to each chunk waits until its
    /// owner has copied what was there. It is deleted when this is over.
    SnapshotCopy {
        /// Time that the owner is busy with the copy of a chunk.
        copy: Span,
        /// Until it is deleted.
        #[serde(rename = "for", default, skip_serializing_if = "Option::is_none")]
        lasts: Option<Span>,
    },
    /// The snapshot by copy-on-write is deleted.
    SnapshotCopied {},
    /// Other clients of the array take a share of every core, whatever these LUNs ask for.
    Neighbours {
        /// Share that they take, 0 to [`FaultError::MOST_TAKEN`].
        taken: f64,
        /// Until they are gone.
        #[serde(rename = "for", default, skip_serializing_if = "Option::is_none")]
        lasts: Option<Span>,
    },
    /// The other clients are gone.
    NeighboursGone {},
}

fn one() -> u32 {
    1
}

fn tenth() -> f64 {
    Journal::LEFT_WHEN_FULL
}

fn always() -> f64 {
    1.0
}

/// Reason that a fault cannot happen to an array.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FaultError {
    /// No such path.
    #[error("there is no path {path}; the array has {paths}, counted from 0")]
    NoPath {
        /// Number of the path asked for.
        path: u32,
        /// Paths that the array has.
        paths: u32,
    },
    /// No such controller.
    #[error("there is no controller {controller}; the array has {}", counted(*.controllers))]
    NoController {
        /// Number of the controller asked for.
        controller: u32,
        /// Controllers that the array has.
        controllers: u32,
    },
    /// No such LUN.
    #[error("there is no LUN {lun}; the array has {luns}, counted from 0")]
    NoLun {
        /// Number of the LUN asked for.
        lun: u32,
        /// LUNs that the array has.
        luns: u32,
    },
    /// The array has no journal.
    #[error("the array has no journal")]
    NoJournal,
    /// The array has no cache.
    #[error("the array has no cache")]
    NoCache,
    /// A storm of no snapshots, or of more than an array would take.
    #[error("a storm of {0} snapshots of each LUN cannot be")]
    NoStorm(u32),
    /// No room for another: as many have happened or are to happen as the array keeps.
    #[error("there are {most} {what} already, and an array has no more")]
    Full {
        /// Of what.
        what: &'static str,
        /// The limit.
        most: usize,
    },
    /// A parameter is no share.
    #[error("{0} is a share, between 0 and 1")]
    Share(&'static str),
    /// A range that begins at its end or after it.
    #[error("no request touches bytes from {from} up to {to}")]
    Range {
        /// Start of the range, bytes.
        from: u64,
        /// End of the range, bytes.
        to: u64,
    },
    /// The array has no cores that something could keep busy.
    #[error("the array has no cores, so nothing keeps them busy")]
    NoCores,
    /// Nothing, or next to nothing, would be left of the cores.
    #[error(
        "taken is the share of each core that others take, from 0 to {}",
        Self::MOST_TAKEN
    )]
    Taken,
    /// A copy that takes no time, or far too much.
    #[error("a copy takes longer than nothing and at most {}", Self::LONGEST_COPY)]
    Copy,
}

fn counted(count: u32) -> String {
    match count {
        0 => "none".to_owned(),
        n => format!("{n}, counted from 0"),
    }
}

impl FaultError {
    /// The most snapshots of each LUN in a storm.
    pub const STORM: u32 = 1000;
    /// The most of each core that others can take.
    pub const MOST_TAKEN: f64 = 0.999;
    /// The longest that the copy of a chunk may take.
    pub const LONGEST_COPY: Span = Span(10_000_000_000);

    /// Advice on what to do about the error.
    pub fn remedy(&self) -> String {
        let one_of = |what: &str, count: u32| match count {
            0 => "leave the fault out, or take another array".to_owned(),
            1 => format!("there is only {what} 0"),
            n => format!("name a {what} from 0 to {}", n - 1),
        };
        match self {
            FaultError::NoPath { paths, .. } => one_of("path", *paths),
            FaultError::NoController { controllers, .. } => one_of("controller", *controllers),
            FaultError::NoLun { luns, .. } => one_of("LUN", *luns),
            FaultError::NoJournal | FaultError::NoCache | FaultError::NoCores => one_of("", 0),
            FaultError::NoStorm(_) => format!("write a number from 1 to {}", Self::STORM),
            FaultError::Full { .. } => "let some be over first".to_owned(),
            FaultError::Share(_) => "write a number such as 0.1".to_owned(),
            FaultError::Range { .. } => "let `from` be less than `to`".to_owned(),
            FaultError::Taken => "write a number such as 0.9".to_owned(),
            FaultError::Copy => "write a time such as 10ms".to_owned(),
        }
    }
}

/// A share as people write it: 7, not 7.000000000000001.
fn percent(share: f64) -> f64 {
    (share * 1e8).round() / 1e6
}

/// In words, for a log: `path 1 down, silent, for 30s`.
impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::PathDown { path, silent, .. } => {
                write!(
                    f,
                    "path {path} down{}",
                    if *silent { ", silent" } else { "" }
                )
            }
            Fault::PathSlow { path, by, .. } => write!(f, "path {path} slow by {by}"),
            Fault::PathUp { path } => write!(f, "path {path} up"),
            Fault::ControllerFailover {
                controller, pause, ..
            } => {
                write!(f, "controller {controller} out, taken over after {pause}")
            }
            Fault::ControllerBack { controller } => write!(f, "controller {controller} back"),
            Fault::IoErrors {
                rate,
                lun,
                from,
                to,
                op,
                ..
            } => {
                let what = match op {
                    Some(IoKind::Read) => "reads",
                    Some(IoKind::Write) => "writes",
                    Some(IoKind::Trim) => "trims",
                    Some(IoKind::Zero) => "writes of zeros",
                    Some(IoKind::Flush) => "flushes",
                    None => "requests",
                };
                write!(f, "{} % of the {what}", percent(*rate))?;
                if let Some(lun) = lun {
                    write!(f, " to LUN {lun}")?;
                }
                match (from, to) {
                    (0, None) => {}
                    (from, None) => write!(f, " from byte {from} on")?,
                    (from, Some(to)) => write!(f, " from byte {from} to {to}")?,
                }
                write!(f, " fail")
            }
            Fault::IoErrorsOver {} => write!(f, "requests succeed again"),
            Fault::JournalFull { drain, .. } => {
                write!(f, "journal full, {} % of the drain left", percent(*drain))
            }
            Fault::JournalFreed {} => write!(f, "journal freed"),
            Fault::CacheLoss {} => write!(f, "cache lost"),
            Fault::SnapshotStorm { of_each } => write!(f, "{of_each} snapshots of each LUN"),
            Fault::SnapshotCopy { copy, .. } => {
                write!(f, "a snapshot of each LUN, {copy} to copy a chunk")
            }
            Fault::SnapshotCopied {} => write!(f, "snapshot deleted"),
            Fault::Neighbours { taken, .. } => {
                write!(f, "others take {} % of each core", percent(*taken))
            }
            Fault::NeighboursGone {} => write!(f, "others gone"),
        }?;
        match self.lasts() {
            Some(span) => write!(f, ", for {span}"),
            None => Ok(()),
        }
    }
}

impl Fault {
    fn lasts(&self) -> Option<Span> {
        match self {
            Fault::PathDown { lasts, .. }
            | Fault::PathSlow { lasts, .. }
            | Fault::ControllerFailover { lasts, .. }
            | Fault::IoErrors { lasts, .. }
            | Fault::JournalFull { lasts, .. }
            | Fault::SnapshotCopy { lasts, .. }
            | Fault::Neighbours { lasts, .. } => *lasts,
            _ => None,
        }
    }
}

/// A fault at a time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ScheduledFault {
    /// Time of the fault, from the array's start.
    pub at: Span,
    /// Fault to inject.
    #[serde(flatten)]
    pub fault: Fault,
}
