//! Histograms, interval counters and heat maps, and statistics on them.
//!
//! Everything here is plain data that merges by addition, so that workers never share.
//! Times are nanoseconds (`_ns`), sizes bytes. The statistics take plain series with equal steps in the order of time;
//! `docs/statistics.md` says of each what it is and how often it was right.

pub mod batch;
pub mod change;
pub mod collapse;
pub mod confidence;
pub mod correlation;
pub mod histogram;
pub mod interval;
pub mod isotonic;
pub mod kneedle;
pub mod order;
pub mod quantile;
pub mod rank_sum;
pub mod sequential;
pub mod steady;
pub mod steady_state;
pub mod theil_sen;
pub mod trend;
pub mod warm_up;

mod moments;
mod ranks;

pub use batch::{MeanInterval, mean_interval, ratio_interval, student_t};
pub use change::{Change, Segment, Segments, segments};
pub use collapse::{Collapse, LEFT as COLLAPSED, collapse, fell_before, shows_collapse};
pub use confidence::{Confidence, NoConfidence, mean_confidence, ratio_confidence};
pub use correlation::CorrelationTime;
pub use histogram::{BUCKETS, Histogram};
pub use interval::{Demand, HEAT_COLUMNS, IntervalStats, OpStats, Sample, StreamStats, total};
pub use isotonic::isotonic;
pub use kneedle::{Bend, Knee, NoKnee, kneedle};
pub use order::{Ranks, order_ranks};
pub use plimsoll_operation::{Counted, NAME_OP_COUNT, OP_COUNT, Op};
pub use quantile::{FineQuantile, effective_count, fine_quantile, quantile_interval};
pub use rank_sum::{RankSum, rank_sum};
pub use sequential::{Decision, Stopping};
pub use steady::{SteadyWindow, snia_window};
pub use steady_state::{Episode, SteadyState, steady_episodes, steady_state};
pub use theil_sen::{Trend, theil_sen};
pub use trend::Line;
pub use warm_up::{WarmUp, mser5, warm_up};
