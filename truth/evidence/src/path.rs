//! The paths to a multipath target, as they did in one step.

use serde::{Deserialize, Serialize};

/// What the paths to one target did.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TargetPaths {
    /// The target's name.
    pub target: String,
    /// In the plan's order.
    pub paths: Vec<PathUse>,
    /// When they went down and came back, in order.
    pub events: Vec<PathEvent>,
    /// Writes that counted as done while an earlier copy of them might still arrive and overwrite what came after.
    pub unconfirmed_writes: u64,
}

/// What one path carried.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PathUse {
    /// Where it leads: `nbd://host:10809/lun0`.
    pub uri: String,
    /// Whether it carried I/O at the step's end.
    pub state: PathState,
    /// I/Os that were answered well, the warm-up's too.
    pub ios: u64,
    /// I/Os that were answered with an error.
    pub errors: u64,
    /// I/Os that were taken off it, and sent again on another path or later.
    pub reissued: u64,
    /// Mean time from a request to its answer, ns; `None` where none was answered.
    pub service_mean_ns: Option<f64>,
}

/// A path that went down or came back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PathEvent {
    /// Time from the step's start, ns.
    pub at_ns: u64,
    /// Which of the target's paths, from 0.
    pub path: u32,
    /// What it was from then on.
    pub state: PathState,
    /// Why it went down; empty where it came back.
    pub why: String,
}

/// Whether a path carries I/O.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PathState {
    /// It does.
    Up,
    /// It does not.
    Down,
}
