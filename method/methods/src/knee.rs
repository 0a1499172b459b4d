//! The knee of a latency curve.

use crate::reading::Reading;
use plimsoll_evidence::Estimate;
use plimsoll_measure::kneedle::{Bend, kneedle};
pub use plimsoll_measure::kneedle::{MIN_POINTS, NoKnee};

/// The knee among unsaturated points in the order of their rates: its rate, give or take the gap to the farther
/// neighbour, for the true one may lie anywhere up to there. A rise that is no more than the uncertainty of the first and
/// the last point has none.
pub fn knee(points: &[Reading]) -> Result<Estimate, NoKnee> {
    let mut distinct = points.to_vec();
    distinct.dedup_by(|b, a| b.rate.mean <= a.rate.mean);
    let unsure = [distinct.first(), distinct.last()]
        .into_iter()
        .flatten()
        .filter_map(|p| p.half_width)
        .sum();
    let curve: Vec<(f64, f64)> = distinct.iter().map(|p| (p.rate.mean, p.value_ns)).collect();
    kneedle(&curve, Bend::Upwards, unsure)
        .map(|knee| Estimate::new(knee.x, Some(knee.give_or_take), 0))
}
