//! A run while it goes on, made of its growing record: what a terminal, a page and metrics show of it.
//!
//! [`Source`] follows a record and reads what is new, [`Live`] is what it knows: plain data of a bounded size, whatever the run's length.

mod history;
mod metrics;
mod model;
mod newest;
mod parts;
mod planned;
mod source;
mod stop;
mod writer;

pub use history::{History, Point};
pub use metrics::{OPEN_METRICS, open_metrics};
pub use model::{Current, Doubt, Limit, Live, Part, Progress, Span, State, StepResult};
pub use newest::newest_running;
pub use source::Source;
pub use stop::{NotStopped, STOP, stop};
