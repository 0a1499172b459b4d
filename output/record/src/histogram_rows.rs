//! Histograms as rows: counts as an HdrHistogram blob, the exact figures beside it.

use crate::error::damaged;
use crate::hdr;
use crate::numbers::{count, int};
use crate::reading::Room;
use crate::row::{IntervalPlace, insert};
use plimsoll_measure::Histogram;
use plimsoll_measure::histogram::bucket_of;
use rusqlite::types::{Value, ValueRef};
use rusqlite::{Connection, params};

/// Owner of a histogram. 0 means all: interval 0 is the whole step, stream 0 all streams.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Owner<'a> {
    pub place: IntervalPlace,
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
            ("step", &owner.place.step),
            ("host", &owner.place.host),
            ("interval", &owner.place.interval),
            ("stream", &owner.stream),
            ("op", &owner.op),
            ("quantity", &owner.quantity),
            ("count", &int(histogram.count())),
            ("sum_ns", &sum_value(histogram.exact_sum_ns())),
            ("sum_squares", &histogram.sum_squares()),
            ("min_ns", &int(min)),
            ("max_ns", &int(max)),
            ("hdr", &hdr::encode(histogram)),
        ],
    )
}

/// A sum as SQLite has it: its largest whole number is 2^63 - 1, and what is longer is a number of 53 bits.
fn sum_value(sum_ns: u128) -> Value {
    i64::try_from(sum_ns).map_or(Value::Real(sum_ns as f64), Value::Integer)
}

/// Reads a histogram; one without a row is empty.
pub(crate) fn read(db: &Connection, owner: Owner, room: &mut Room) -> rusqlite::Result<Histogram> {
    let mut statement = db.prepare_cached(
        "SELECT sum_ns, sum_squares, min_ns, max_ns, hdr FROM histograms
         WHERE step=? AND host=? AND interval=? AND stream=? AND op=? AND quantity=?",
    )?;
    let key = params![
        owner.place.step,
        owner.place.host,
        owner.place.interval,
        owner.stream,
        owner.op,
        owner.quantity
    ];
    let mut rows = statement.query(key)?;
    let Some(row) = rows.next()? else {
        return Ok(Histogram::empty());
    };
    let garbled = |what: &str| {
        let IntervalPlace { step, interval, .. } = owner.place;
        let (op, of) = (owner.op, owner.quantity);
        damaged(format!(
            "the histogram {op} {of} of step {step}, interval {interval}: {what}"
        ))
    };
    let buckets = hdr::decode(row.get_ref(4)?.as_blob()?).map_err(|e| garbled(&e.to_string()))?;
    let (min, max) = (count(row.get(2)?), count(row.get(3)?));
    let (Some(first), Some(last)) = (buckets.first(), buckets.last()) else {
        return Err(garbled("it is empty"));
    };
    if min > max || bucket_of(min) != bucket_of(first.0) || bucket_of(max) != bucket_of(last.0) {
        return Err(garbled("its smallest or largest value is not in it"));
    }
    let sum_squares: f64 = row.get(1)?;
    if !sum_squares.is_finite() {
        return Err(garbled("its sum of squares is no number"));
    }
    room.take((bucket_of(last.0) as u64 + 1) * 8)?;
    let sum = match row.get_ref(0)? {
        // As SQLite and serde_json read it, below 0 and no number are nothing.
        ValueRef::Real(sum) => sum as u128,
        _ => count(row.get(0)?).into(),
    };
    Ok(Histogram::from_parts(buckets, sum, sum_squares, min, max))
}
