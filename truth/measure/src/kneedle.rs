//! The knee of a curve: Kneedle (Satopaa, Albrecht, Irwin, Raghavan 2011, "Finding a 'kneedle' in a haystack") on the
//! isotonic curve.

use crate::isotonic::isotonic;

/// Fewest points that can show a bend: both ends and two between.
pub const MIN_POINTS: usize = 4;
/// The curve must rise by this share of its lowest value for a bend in it to mean anything.
pub const MIN_RISE: f64 = 0.25;

/// Bend of a rising curve.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bend {
    /// Flat at first, then steep: a response time over the load.
    Upwards,
    /// Steep at first, then flat: a throughput over the concurrency.
    Level,
}

/// Point where a curve bends most.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Knee {
    /// Place of the knee on the x axis.
    pub x: f64,
    /// The gap to the farther neighbour: the true one may lie anywhere up to there.
    pub give_or_take: f64,
}

/// Reason why there is no knee to be seen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum NoKnee {
    /// So many points; [`MIN_POINTS`] are needed.
    TooFew(usize),
    /// The curve rises by this share over all points, which is less than [`MIN_RISE`] or no more than its
    /// uncertainty.
    Flat(f64),
    /// Rise without a bend that so few points could show.
    Straight,
}

/// The knee of points of (x, y) in the order of x, no two with the same; `unsure` is what the rise from the first to the
/// last may be by chance alone.
///
/// The values are made to rise first, and both axes scaled to 0..1; the knee is where the curve lies farthest from the
/// diagonal, on the side to which it bends. With Kneedle's sensitivity of 1 it counts where that distance is more than the
/// mean gap `1 / (n - 1)` between points: the distance falls to 0 at the last point, and must fall by that much.
pub fn kneedle(points: &[(f64, f64)], bend: Bend, unsure: f64) -> Result<Knee, NoKnee> {
    let n = points.len();
    if n < MIN_POINTS {
        return Err(NoKnee::TooFew(n));
    }
    let x: Vec<f64> = points.iter().map(|p| p.0).collect();
    let y = isotonic(&points.iter().map(|p| p.1).collect::<Vec<f64>>());
    let (width, height) = (x[n - 1] - x[0], y[n - 1] - y[0]);
    // A curve from 0 rises by more than any share of it.
    let flat = match bend {
        Bend::Upwards => y[0] <= 0.0,
        Bend::Level => false,
    };
    if flat || height <= 0.0 || height < MIN_RISE * y[0] || height <= unsure {
        return Err(NoKnee::Flat(if y[0] > 0.0 { height / y[0] } else { 0.0 }));
    }
    let away = |i: usize| {
        let below = (x[i] - x[0]) / width - (y[i] - y[0]) / height;
        match bend {
            Bend::Upwards => below,
            Bend::Level => -below,
        }
    };
    let (at, distance) = (0..n)
        .map(|i| (i, away(i)))
        .max_by(|a, b| a.1.total_cmp(&b.1))
        .ok_or(NoKnee::TooFew(0))?;
    if distance.is_nan() || distance <= 1.0 / (n - 1) as f64 {
        return Err(NoKnee::Straight);
    }
    // At either end the distance is 0, so that the farthest point has two neighbours.
    Ok(Knee {
        x: x[at],
        give_or_take: (x[at] - x[at - 1]).max(x[at + 1] - x[at]),
    })
}
