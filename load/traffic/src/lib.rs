//! Pure, seeded streams of addresses, arrivals and operations.
//!
//! - [`StreamSource`]: a workload's I/Os on one target: where, how long, which operation (`address/`, `mix/`).
//! - [`Arrivals`] and [`Schedule`]: when, on an absolute schedule that never loses time (`arrival/`).
//! - [`ThinkTimes`]: the pauses of a closed loop (`think.rs`).
//! - [`Chooser`] and [`Deficit`]: which stream goes next.
//!
//! All of it is a function of its arguments and seed. Nothing here allocates, locks or divides by a variable after
//! construction, save where a distribution needs a logarithm.

mod address;
mod arrival;
mod content;
mod divisor;
mod error;
mod generator;
mod io;
mod mix;
mod permutation;
mod seed;
mod source;
mod stream;
mod think;

pub use arrival::{Arrivals, Schedule};
pub use content::{content_plan, verify_plan};
pub use error::TrafficError;
pub use io::Io;
pub use mix::{Chooser, Deficit};
pub use seed::seed_for;
pub use source::{Recorded, Replayed, SourceReader};
pub use stream::{StreamSource, workers_at_most};
pub use think::ThinkTimes;
