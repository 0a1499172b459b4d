//! How numbers stand in columns.

use plimsoll_measure::Histogram;

/// A count as SQLite's signed integer. Counts past 2^63 come out negative and come back whole by [`count`].
pub(crate) fn int(count: u64) -> i64 {
    count.cast_signed()
}

/// The count behind [`int`].
pub(crate) fn count(int: i64) -> u64 {
    int.cast_unsigned()
}

/// Nanoseconds to microseconds.
pub(crate) fn us(ns: f64) -> f64 {
    ns / 1e3
}

/// Whole nanoseconds to microseconds.
pub(crate) fn us_of(ns: Option<u64>) -> Option<f64> {
    ns.map(|ns| us(ns as f64))
}

/// The mean in microseconds; `None` when empty.
pub(crate) fn mean_us(h: &Histogram) -> Option<f64> {
    h.mean_ns().map(us)
}

/// A percentile in microseconds; `None` where the sample cannot support it.
pub(crate) fn quantile_us(h: &Histogram, q: f64) -> Option<f64> {
    us_of(h.supported_quantile_ns(q))
}

/// Events per second over a span of ns; `None` for no span.
pub(crate) fn per_second(events: u64, span_ns: u64) -> Option<f64> {
    (span_ns > 0).then(|| events as f64 * 1e9 / span_ns as f64)
}
