//! What fio's search for a depth (`latency_target`) has come to.

use super::Samples;
use plimsoll_evidence::OpSummary;
use plimsoll_plan::LatencyGoal;

/// Result of a search for a depth.
#[derive(Debug, Clone)]
pub struct FoundDepth {
    /// Goal of the search.
    pub goal: LatencyGoal,
    /// The depth that was looked at last.
    pub depth: u32,
    /// Window that was looked at last, where the search came to its end: that is the job's result.
    pub last: Option<LastWindow>,
}

/// The window that is the result.
#[derive(Debug, Clone)]
pub struct LastWindow {
    /// All operations of the job in it.
    pub ops: Vec<OpSummary>,
    /// Intervals of the window.
    pub samples: Samples,
}
