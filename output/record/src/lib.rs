//! One run is one SQLite file: written as the run goes, read by anything.
//!
//! [`Recorder`] writes, [`Record`] reads, [`compare`] sets runs side by side, [`export`] writes other formats. The tables are documented in `docs/record.md`.

mod array_rows;
pub mod compare;
mod contradictions;
mod definition_rows;
mod dump;
mod environment_rows;
mod error;
pub mod export;
mod finding_rows;
pub mod hdr;
mod histogram_rows;
mod host_rows;
mod interval_rows;
mod interval_totals;
mod numbers;
mod part_rows;
mod path_rows;
mod place;
mod reading;
mod record;
mod recorder;
mod row;
pub mod schema;
mod status;
mod step_json;
mod step_rows;

pub use contradictions::Contradiction;
pub use definition_rows::DefinitionText;
pub use dump::canonical_dump;
pub use error::RecordError;
pub use interval_totals::{IntervalTotals, OpTotals};
pub use place::{RecordPermit, precious};
pub use record::{Record, StartedStep};
pub use recorder::{Harm, HarmKind, RESUMED, Recorder, Rescue};
pub use status::RunStatus;
