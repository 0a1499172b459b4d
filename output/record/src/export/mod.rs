//! A record in other programs' formats: CSV, Parquet, one JSON document, an HdrHistogram log, InfluxDB's lines.

mod answers;
mod csv;
mod curve;
mod hdr_log;
mod hosts;
mod influx;
mod json;
mod parquet;
mod stored;
mod table;

pub use csv::{Csv, csv};
pub use hdr_log::hdr;
pub use influx::influx;
pub use json::json;
pub use parquet::Parquet;
pub use table::{Cell, Column, Kind, Rows, Sink, Together, table};

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
    /// A file of Parquet cannot be made.
    #[error("the export cannot be written as Parquet: {0}")]
    Parquet(#[from] ::parquet::errors::ParquetError),
    /// A column holds something else where a number or a text belongs.
    #[error("the column {0} holds a value of another kind")]
    OtherKind(String),
}
