//! When I/Os are to start.

mod process;
mod schedule;
mod steady;
mod timeline;

pub use schedule::Schedule;
pub use steady::Arrivals;
