//! A time within which I/Os are to stay, for which a depth is searched.

use crate::units::Nanos;

/// Time within which I/Os are to stay: the depth is searched for with which they do.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LatencyGoal {
    /// The time.
    pub within: Nanos,
    /// So many of a hundred are to stay within it.
    pub percent: f64,
    /// Time for which each depth is looked at.
    pub window: Nanos,
    /// The search goes on for all of the job's time.
    pub goes_on: bool,
    /// The largest depth.
    pub most: u32,
}
