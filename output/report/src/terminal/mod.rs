//! What a terminal shows: lines while a step runs, tables and sentences after it.
//!
//! Everything returns text; the caller prints it and decides about colour, width and characters with a [`Style`].
//! Interval lines have fixed columns and fixed units, so that `grep` and `awk` can work on them; tables and sentences
//! choose units for people.

mod actions;
mod amounts;
mod answer;
mod answer_tables;
mod arrays;
mod audit;
mod bars;
mod cells;
mod chart;
mod curve;
mod devices;
mod environment;
mod errors;
mod frame;
mod hosts;
mod interval_line;
mod live_line;
mod method;
mod parts;
mod paths;
mod plot;
mod records;
mod style;
mod summary;
mod syncs;
mod table;
mod verdict;
mod wrap;

pub use answer::answer;
pub use audit::{audit, audit_in_full};
pub use curve::curve;
pub use environment::{SIMULATED, environment};
pub use errors::{FailuresTold, errors, errors_line};
pub use interval_line::{Context, interval_header, interval_line};
pub use live_line::{Progress, live_line};
pub use records::records;
pub use style::{Paint, Style};
pub use summary::{Detail, StepStart, step_line, step_start, summary};
pub use verdict::verdict;
pub use wrap::wrap;
