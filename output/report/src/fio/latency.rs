//! What fio's search for a depth (`latency_target`) has come to.

use super::Samples;
use plimsoll_evidence::OpSummary;
use plimsoll_plan::LatencyGoal;

/// What a search has come to.
#[derive(Debug, Clone)]
pub struct FoundDepth {
    /// What was searched for.
    pub goal: LatencyGoal,
    /// The depth that was looked at last.
    pub depth: u32,
    /// What the last window has, where the search came to its end: that is the job's result.
    pub last: Option<LastWindow>,
}

/// The window that is the result.
#[derive(Debug, Clone)]
pub struct LastWindow {
    /// All operations of the job in it.
    pub ops: Vec<OpSummary>,
    /// Its intervals.
    pub samples: Samples,
}
