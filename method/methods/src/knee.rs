//! The knee of a latency curve: Kneedle (Satopaa, Albrecht, Irwin, Raghavan 2011), for a curve that bends upwards.

use crate::isotonic::isotonic;
use crate::reading::Reading;
use plimsoll_evidence::Estimate;

/// Fewest points that can show a bend: both ends and two between.
pub const MIN_POINTS: usize = 4;
/// The response must rise by this share of its lowest for a bend in it to mean anything.
pub const MIN_RISE: f64 = 0.25;

/// Why there is no knee to be seen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum NoKnee {
    /// So many points with different rates; [`MIN_POINTS`] are needed.
    TooFew(usize),
    /// The response rises by this share over all points, which is less than [`MIN_RISE`] or no more than its
    /// uncertainty.
    Flat(f64),
    /// It rises without a bend that so few points could show.
    Straight,
}

/// The knee among unsaturated points in the order of their rates: its rate, give or take the gap to the farther
/// neighbour, for the true one may lie anywhere up to there.
///
/// Rates and responses are scaled to 0..1, the responses made to rise first; the knee is where the curve lies farthest
/// below the diagonal. With Kneedle's sensitivity of 1 it counts where that distance is more than the mean gap
/// `1 / (n - 1)` between points: the distance falls to 0 at the last point, and must fall by that much.
pub fn knee(points: &[Reading]) -> Result<Estimate, NoKnee> {
    let mut distinct = points.to_vec();
    distinct.dedup_by(|b, a| b.rate.mean <= a.rate.mean);
    let n = distinct.len();
    if n < MIN_POINTS {
        return Err(NoKnee::TooFew(n));
    }
    let values: Vec<f64> = distinct.iter().map(|p| p.value_ns).collect();
    let y = isotonic(&values);
    let x: Vec<f64> = distinct.iter().map(|p| p.rate.mean).collect();
    let (width, height) = (x[n - 1] - x[0], y[n - 1] - y[0]);
    let unsure = distinct[0].half_width.unwrap_or(0.0) + distinct[n - 1].half_width.unwrap_or(0.0);
    if y[0] <= 0.0 || height < MIN_RISE * y[0] || height <= unsure {
        return Err(NoKnee::Flat(if y[0] > 0.0 { height / y[0] } else { 0.0 }));
    }
    let below = |i: usize| (x[i] - x[0]) / width - (y[i] - y[0]) / height;
    let (at, distance) = (0..n)
        .map(|i| (i, below(i)))
        .max_by(|a, b| a.1.total_cmp(&b.1))
        .ok_or(NoKnee::TooFew(0))?;
    if distance <= 1.0 / (n - 1) as f64 {
        return Err(NoKnee::Straight);
    }
    // At either end the distance is 0, so that the farthest point has two neighbours.
    Ok(Estimate {
        mean: x[at],
        half_width: Some((x[at] - x[at - 1]).max(x[at + 1] - x[at])),
        batches: 0,
    })
}
