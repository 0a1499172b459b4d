//! Methods as state machines over completed steps, and the judging of a step.
//!
//! Nothing here does I/O or looks at a clock: a method is a pure function from the steps that are done to the next
//! step or a verdict. Resuming a run is therefore asking the same question again with what the record holds.

pub mod course;
pub mod curve;
pub mod judge;
pub mod method;
pub mod sequence;
pub mod settle;
pub mod throttle;
mod unanswered;
mod verdict;
mod without_pauses;

mod adaptive;
mod amount;
mod average;
mod capacity;
mod carried;
mod completed_steps;
mod disturb;
mod doubts;
mod fingerprint;
mod folded;
mod growth;
mod host_late;
mod knee;
mod latency;
mod measured;
mod next;
mod op_tally;
mod over_repeats;
mod own_flows;
mod pieces;
mod pts;
mod reading;
mod remarks;
mod repeats;
mod saturate;
mod saturation;
mod search;
mod series;
mod silence;
mod slots;
mod soak;
mod stalls;
mod standstill;
mod step_facts;
mod stillness;
mod streams;
mod stretches;
mod sweep;
mod turns;

pub use adaptive::Adaptive;
pub use curve::Curve;
pub use disturb::Disturb;
pub use fingerprint::Fingerprint;
pub use judge::{Judge, judge, load_words};
pub use latency::LatencyDepth;
pub use method::{Method, Observed, Observer, consumed};
pub use next::Next;
pub use pts::Pts;
pub use saturate::Saturate;
pub use sequence::{Progress, observed, progress};
pub use settle::{Activity, settled};
pub use soak::Soak;
pub use step_facts::{Standstill, StepFacts};
pub use sweep::Sweep;
pub use turns::{Side, turns};
pub use verdict::{curve_verdict, limits};
