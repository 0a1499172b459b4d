//! Confidence of a quantile: the order-statistic interval, read from a histogram.

use crate::Histogram;
use crate::order::order_ranks;

const LEVEL: f64 = 0.95;

/// Number of independent values that `count` correlated ones are worth, judged by their mean: values of `std_dev` whose mean has the
/// standard error `mean_error` (from batch means) tell as much as `(std_dev / mean_error)^2` independent ones. Never more than `count`.
pub fn effective_count(count: u64, std_dev: f64, mean_error: f64) -> f64 {
    if mean_error > 0.0 {
        (count as f64).min((std_dev / mean_error).powi(2))
    } else {
        count as f64
    }
}

/// The 95 % interval of quantile `q` (0..1) in ns, low and high, of values worth `effective` independent ones.
///
/// The ranks are those of [`order_ranks`]. They are taken to the outer edges of their buckets, so that the interval holds
/// the histogram's own error too. `None` where a rank lies outside of the sample: it cannot bound the quantile on that
/// side.
pub fn quantile_interval(histogram: &Histogram, q: f64, effective: f64) -> Option<(u64, u64)> {
    let count = histogram.count();
    if count == 0 || !(0.0..1.0).contains(&q) || effective.is_nan() {
        return None;
    }
    let n = effective.clamp(1.0, count as f64).floor();
    let ranks = order_ranks(n as u64, q, LEVEL);
    let (low, high) = (ranks.low? as f64, ranks.high? as f64);
    // From ranks among the effective values to ranks among the counted ones.
    let scale = count as f64 / n;
    let low_rank = ((low * scale).floor() as u64).clamp(1, count);
    let high_rank = ((high * scale).ceil() as u64).clamp(1, count);
    let (min, max) = (histogram.min_ns()?, histogram.max_ns()?);
    let (low_edge, _) = bucket_of_rank(histogram, low_rank)?;
    let (_, high_edge) = bucket_of_rank(histogram, high_rank)?;
    Some((low_edge.max(min), high_edge.min(max)))
}

/// A quantile that is read more finely than a bucket.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FineQuantile {
    /// The value, ns: as if the values of a bucket lay in it evenly.
    pub value: f64,
    /// The ends of its 95 % interval, ns, read in the same way.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// Share of the bucket that the value may be off by, 0 to 1: next to nothing where few of the values beyond the quantile lie in its
    /// bucket, as with anything that varies; all of it where a clock's tick or a constant makes them equal.
    pub blurred: f64,
}

/// Quantile `q` (0..1) of values worth `effective` independent ones, with an interval of [`quantile_interval`]'s ranks that has
/// no part of the buckets' width. `None` as there.
pub fn fine_quantile(histogram: &Histogram, q: f64, effective: f64) -> Option<FineQuantile> {
    let count = histogram.count() as f64;
    if count < 1.0 || !(q > 0.0 && q < 1.0) || effective.is_nan() {
        return None;
    }
    let n = effective.clamp(1.0, count).floor();
    let ranks = order_ranks(n as u64, q, LEVEL);
    let scale = count / n;
    let (value, inside) = at_rank(histogram, q * count)?;
    Some(FineQuantile {
        value,
        low: at_rank(histogram, ranks.low? as f64 * scale)?.0,
        high: at_rank(histogram, ranks.high? as f64 * scale)?.0,
        blurred: (inside / count / q.min(1.0 - q)).min(1.0),
    })
}

/// The value of a rank that need not be whole, ns, and how many values its bucket holds.
fn at_rank(histogram: &Histogram, rank: f64) -> Option<(f64, f64)> {
    let (min, max) = (histogram.min_ns()? as f64, histogram.max_ns()? as f64);
    let rank = rank.clamp(0.0, histogram.count() as f64);
    let mut seen = 0.0;
    histogram.buckets().find_map(|(low, high, count)| {
        let count = count as f64;
        let part = (rank - seen) / count;
        seen += count;
        // What the bucket cannot hold is no part of it.
        let (low, high) = ((low as f64).max(min), (high as f64).min(max));
        (seen >= rank).then(|| (low + (high - low) * part.max(0.0), count))
    })
}

/// Edges of the bucket that holds the value of a rank (from 1).
fn bucket_of_rank(histogram: &Histogram, rank: u64) -> Option<(u64, u64)> {
    let mut seen = 0u64;
    histogram.buckets().find_map(|(low, high, count)| {
        seen = seen.saturating_add(count);
        (seen >= rank).then_some((low, high))
    })
}
