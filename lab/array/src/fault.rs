//! What can be done to an array while it works: by hand, or by a script with times.

use crate::io::Op;
use crate::span::Span;
use serde::{Deserialize, Serialize};

/// Something that happens to the array.
///
/// Where a fault has `for`, it is over after that time; else it stays until the opposite is injected.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "fault", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Fault {
    /// A path goes down.
    PathDown {
        /// Which.
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
        /// Which.
        path: u32,
        /// How much longer each request takes.
        by: Span,
        /// Until it's as before.
        #[serde(rename = "for", default, skip_serializing_if = "Option::is_none")]
        lasts: Option<Span>,
    },
    /// A path is up, and as fast as ever.
    PathUp {
        /// Which.
        path: u32,
    },
    /// A controller goes out; the cores of the others take its slices.
    ControllerFailover {
        /// Which.
        controller: u32,
        /// How long its slices wait until they are taken over.
        pause: Span,
        /// Until it has its slices back.
        #[serde(rename = "for", default, skip_serializing_if = "Option::is_none")]
        lasts: Option<Span>,
    },
    /// A controller has its slices back.
    ControllerBack {
        /// Which.
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
        op: Option<Op>,
        /// Until they succeed again.
        #[serde(rename = "for", default, skip_serializing_if = "Option::is_none")]
        lasts: Option<Span>,
    },
    /// No request fails any more.
    IoErrorsOver,
    /// The journal has no room beyond what it holds.
    JournalFull {
        /// Until it has its size again.
        #[serde(rename = "for", default, skip_serializing_if = "Option::is_none")]
        lasts: Option<Span>,
    },
    /// The journal has its size again.
    JournalFreed,
    /// The cache is empty.
    CacheLoss,
    /// Snapshots of every LUN at once.
    SnapshotStorm {
        /// How many of each LUN.
        #[serde(default = "one")]
        of_each: u32,
    },
}

fn one() -> u32 {
    1
}

fn always() -> f64 {
    1.0
}

/// A fault at a time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ScheduledFault {
    /// When, from the array's start.
    pub at: Span,
    /// What.
    #[serde(flatten)]
    pub fault: Fault,
}
