//! Histograms as rows: counts as an HdrHistogram blob, the exact figures beside it.

use crate::hdr;
use crate::numbers::{count, int};
use crate::row::insert;
use plimsoll_measure::Histogram;
use rusqlite::{Connection, OptionalExtension, params};

/// Whose histogram it is. 0 means all: interval 0 is the whole step, stream 0 all streams.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Owner<'a> {
    pub step: u32,
    pub interval: u32,
    pub stream: u32,
    /// `read`, `write`, `trim` or [`ALL_OPS`].
    pub op: &'a str,
    pub quantity: &'static str,
}

/// The `op` of a histogram of all operations.
pub(crate) const ALL_OPS: &str = "all";
pub(crate) const RESPONSE: &str = "response";
pub(crate) const SERVICE: &str = "service";
pub(crate) const LATENESS: &str = "lateness";

/// Writes a histogram; an empty one needs no row.
pub(crate) fn write(db: &Connection, owner: Owner, histogram: &Histogram) -> rusqlite::Result<()> {
    let (Some(min), Some(max)) = (histogram.min_ns(), histogram.max_ns()) else {
        return Ok(());
    };
    insert(
        db,
        "histograms",
        &[
            ("step", &owner.step),
            ("interval", &owner.interval),
            ("stream", &owner.stream),
            ("op", &owner.op),
            ("quantity", &owner.quantity),
            ("count", &int(histogram.count())),
            ("sum_ns", &int(histogram.sum_ns())),
            ("sum_squares", &histogram.sum_squares()),
            ("min_ns", &int(min)),
            ("max_ns", &int(max)),
            ("hdr", &hdr::encode(histogram)),
        ],
    )
}

/// Reads a histogram; one without a row is empty.
pub(crate) fn read(db: &Connection, owner: Owner) -> rusqlite::Result<Histogram> {
    let mut statement = db.prepare_cached(
        "SELECT sum_ns, sum_squares, min_ns, max_ns, hdr FROM histograms
         WHERE step=? AND interval=? AND stream=? AND op=? AND quantity=?",
    )?;
    let key = params![
        owner.step,
        owner.interval,
        owner.stream,
        owner.op,
        owner.quantity
    ];
    let histogram = statement
        .query_row(key, |row| {
            let blob = row.get_ref(4)?.as_blob()?;
            let buckets = hdr::decode(blob).map_err(|e| {
                rusqlite::Error::FromSqlConversionFailure(
                    4,
                    rusqlite::types::Type::Blob,
                    Box::new(e),
                )
            })?;
            Ok(Histogram::from_parts(
                buckets,
                count(row.get(0)?),
                row.get(1)?,
                count(row.get(2)?),
                count(row.get(3)?),
            ))
        })
        .optional()?;
    Ok(histogram.unwrap_or_default())
}
