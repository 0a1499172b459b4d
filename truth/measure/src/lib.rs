//! Histograms, interval counters and heat maps, and statistics on them.
//!
//! Everything here is plain data that merges by addition, so that workers never share.
//! Times are nanoseconds (`_ns`), sizes bytes.

pub mod histogram;
pub mod interval;

pub use histogram::Histogram;
pub use interval::{HEAT_COLUMNS, IntervalStats, OP_COUNT, Op, OpStats, Sample, StreamStats};
