//! Histograms, interval counters and heat maps, and statistics on them.
//!
//! Everything here is plain data that merges by addition, so that workers never share.
//! Times are nanoseconds (`_ns`), sizes bytes.

pub mod batch;
pub mod histogram;
pub mod interval;
pub mod quantile;
pub mod steady;
pub mod trend;

pub use batch::{MeanInterval, mean_interval, ratio_interval, student_t};
pub use histogram::{BUCKETS, Histogram};
pub use interval::{
    Demand, HEAT_COLUMNS, IntervalStats, OP_COUNT, Op, OpStats, Sample, StreamStats, total,
};
pub use quantile::{effective_count, quantile_interval};
pub use steady::{SteadyWindow, mser5, snia_window};
pub use trend::Line;
