//! Statistics against published results, and against series whose truth is known.

mod changing;
mod confidence;
mod coverage;
mod published;
mod steadiness;
