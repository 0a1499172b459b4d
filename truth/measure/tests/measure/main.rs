//! Statistics against published results, and against series whose truth is known.

mod changing;
mod confidence;
mod coverage;
mod published;
#[path = "../../examples/coverage/series.rs"]
mod series;
mod steadiness;
