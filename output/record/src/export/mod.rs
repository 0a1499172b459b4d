//! A record in other programs' formats: CSV, one JSON document, an HdrHistogram log, InfluxDB's lines.

mod answers;
mod csv;
mod curve;
mod hdr_log;
mod hosts;
mod influx;
mod json;
mod together;

pub use answers::{AnswerRows, answers};
pub use csv::{CsvTable, csv};
pub use hdr_log::hdr;
pub use hosts::hosts;
pub use influx::influx;
pub use json::json;
pub use together::Together;

use crate::RecordError;

/// Reason why an export failed.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The record cannot be read.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// The output cannot be written.
    #[error("the export cannot be written: {0}")]
    Write(#[from] std::io::Error),
    /// Another record's table has other columns.
    #[error("{} has other columns than the records before it; export it alone", .0.display())]
    OtherColumns(std::path::PathBuf),
}
