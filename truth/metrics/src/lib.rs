//! What a storage array tells of itself while it is measured: its metrics endpoint, in Prometheus' text format, as the same
//! evidence that a simulated array gives.
//!
//! A [`Mapping`] says what an array calls its counters. Each endpoint is asked in a thread of its own, so that one that is
//! slow delays nothing. What it does not tell is not observable, and never zero.

mod belief;
mod course;
mod fetch;
mod flow;
mod look;
pub mod mapping;
mod scraper;
mod text;
mod told;
mod watch;

pub use belief::disbelieve;
pub use fetch::FetchError;
pub use mapping::{Mapping, MappingError};
pub use watch::{ArrayMetrics, Endpoint};
