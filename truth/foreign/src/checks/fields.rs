//! Fields of one result that have to agree, whatever was measured.

use super::{Hit, ns};
use crate::model::{Histogram, Latency, Pair, Relation, Row, Run};
use plimsoll_evidence::Quantity;

/// Largest difference between fields that say the same.
const TOLERANCE: f64 = 0.02;

/// The pair that is the furthest from agreeing.
pub(super) fn disagree<'r>(run: &'r Run, row: &Row) -> Option<Hit<'r>> {
    let off = |pair: &Pair| {
        let above = pair.means - pair.said;
        let by = match pair.relation {
            Relation::Same => above.abs(),
            Relation::AtMost => above,
        };
        let allowed = TOLERANCE * pair.means.abs().max(pair.said.abs()) + pair.slack;
        (by > allowed).then(|| by / allowed)
    };
    let wrong = row.pairs.iter().filter_map(|p| Some((off(p)?, p)));
    let (weight, pair) = wrong.max_by(|a, b| a.0.total_cmp(&b.0))?;
    let values = [
        ("one", Quantity::Text(pair.what.clone())),
        ("means", Quantity::Number(pair.means)),
        ("other", Quantity::Text(pair.other.clone())),
        ("said", Quantity::Number(pair.said)),
        ("relation", Quantity::Text(pair.relation.word().to_string())),
    ];
    Some(Hit::new(run, row.at, weight, values))
}

/// Shares by time beside percentiles, where one direction has all I/Os.
pub(super) fn spread_differs<'r>(run: &'r Run, row: &Row) -> Option<Hit<'r>> {
    const APART: f64 = 0.01;
    let of = row.histogram.as_ref()?;
    let latency = row.all.completion.as_ref().unwrap_or(&row.all.latency);
    let rounding = latency.rounding();
    let inner = latency
        .percentiles
        .iter()
        .map(|(q, t)| (*q, t.0 as f64))
        .filter(|(q, t)| *q > 0.0 && *q < 1.0 && *t > 0.0);
    // What has no share may have taken any time: in a short run fio counts what was still out.
    let untold = (1.0 - within(of, |_| true)).max(0.0);
    let wrong = inner.filter_map(|(quantile, at_ns)| {
        // So many are within it for sure, and no more than so many.
        let least = within(of, |b| {
            b.to_ns.is_some_and(|to| to <= (at_ns - rounding) / 1.02)
        });
        let most = within(of, |b| b.from_ns <= at_ns * 1.02 + rounding) + untold;
        let off = (least - quantile).max(quantile - most);
        (off > APART).then_some((off, quantile, at_ns, least, most))
    });
    let (off, quantile, at_ns, least, most) = wrong.max_by(|a, b| a.0.total_cmp(&b.0))?;
    let values = [
        ("percentile", Quantity::Number(quantile)),
        ("value", ns(at_ns)),
        ("least", Quantity::Share(least.max(0.0))),
        ("most", Quantity::Share(most.max(0.0))),
    ];
    Some(Hit::new(run, row.at, off, values))
}

fn within(of: &Histogram, is_in: impl Fn(&crate::model::Bucket) -> bool) -> f64 {
    let chosen = of.buckets.iter().filter(|b| is_in(b));
    chosen.map(|b| b.share).sum()
}

/// The smallest standard deviation that times with these percentiles and this mean can have, ns: of the times between two percentiles
/// each is as near to the mean as these let it be.
pub(super) fn least_spread(of: &Latency) -> Option<f64> {
    let mean = of.mean?.0 as f64;
    let mut points: Vec<(f64, f64)> = of
        .percentiles
        .iter()
        .filter(|(_, t)| !Latency::is_capped(*t))
        .map(|(q, t)| (*q, t.0 as f64))
        .filter(|(q, _)| *q > 0.0 && *q <= 1.0)
        .collect();
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    let rises = points.windows(2).all(|p| p[0].1 <= p[1].1);
    if points.len() < 3 || !rises {
        return None;
    }
    let first = points.first().map(|(q, _)| (*q, 0.0, points[0].1));
    let last = points.last().map(|(q, t)| (1.0 - q, *t, f64::MAX));
    let between = points.windows(2).map(|p| (p[1].0 - p[0].0, p[0].1, p[1].1));
    let parts = between.chain(first).chain(last);
    // A bucket of a histogram is up to 2 % wide.
    let rounding = of.rounding();
    let squares = parts.map(|(share, low, high)| {
        let off = (low * 0.98 - rounding - mean)
            .max(mean - high * 1.02 - rounding)
            .max(0.0);
        share * off * off
    });
    Some(squares.sum::<f64>().sqrt())
}
