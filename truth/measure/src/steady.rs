//! Whether a series has left its warm-up behind, and whether it holds still.

use crate::trend::Line;

/// Samples in one batch of [`mser5`].
const MSER_BATCH: usize = 5;
/// Fewest batches on which a truncation point means anything.
const MSER_MIN_BATCHES: usize = 10;
/// Rounds in a window of [`snia_window`].
pub const WINDOW_ROUNDS: usize = 5;
/// Largest (max - min) / mean in a steady window.
const MAX_RANGE: f64 = 0.20;
/// Largest rise of the fitted line over the window, of the mean.
const MAX_RISE: f64 = 0.10;

/// How many samples to cut from the start, so that the rest has the most precise mean: MSER-5 (White 1997; White,
/// Cobb and Spratt 2000). `None`: fewer than 50 samples, or half of the series would have to go, which means that the
/// warm-up does not end in it.
///
/// With the series averaged in batches of 5, the cut `d` minimises `sum((z_i - mean_d)^2) / (n - d)^2` over the
/// batches that remain.
pub fn mser5(series: &[f64]) -> Option<usize> {
    let z: Vec<f64> = series
        .chunks_exact(MSER_BATCH)
        .map(|batch| batch.iter().sum::<f64>() / MSER_BATCH as f64)
        .collect();
    let n = z.len();
    if n < MSER_MIN_BATCHES {
        return None;
    }
    let overall = z.iter().sum::<f64>() / n as f64;
    // Sums over the batches from d on, centred so that large means cost no digits.
    let (mut sum, mut squares) = (0.0, 0.0);
    let mut best = (f64::INFINITY, 0);
    for d in (0..n).rev() {
        let v = z[d] - overall;
        sum += v;
        squares += v * v;
        let left = (n - d) as f64;
        let score = (squares - sum * sum / left).max(0.0) / (left * left);
        // `<=`: of equal cuts the earlier, which keeps more.
        if d <= n / 2 && score <= best.0 {
            best = (score, d);
        }
    }
    (best.1 < n / 2).then_some(best.1 * MSER_BATCH)
}

/// How still five rounds hold.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SteadyWindow {
    /// (max - min) / mean of the rounds.
    pub range: f64,
    /// Rise of the least-squares line over the window, of the mean; negative where it falls.
    pub rise: f64,
    /// True where the range is at most 20 % and the rise at most 10 %.
    pub steady: bool,
}

/// The steady-state test of SNIA's Solid State Storage Performance Test Specification 2.0: over the last five rounds
/// the values lie within 20 % of their mean, and their least-squares line rises or falls by at most 10 % of it.
/// `None` below five rounds, or where their mean is not above 0.
pub fn snia_window(rounds: &[f64]) -> Option<SteadyWindow> {
    let last = &rounds[rounds.len().checked_sub(WINDOW_ROUNDS)?..];
    let mean = last.iter().sum::<f64>() / WINDOW_ROUNDS as f64;
    if mean.is_nan() || mean <= 0.0 {
        return None;
    }
    let max = last.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let min = last.iter().copied().fold(f64::INFINITY, f64::min);
    let points: Vec<(f64, f64)> = last
        .iter()
        .enumerate()
        .map(|(i, v)| (i as f64, *v))
        .collect();
    let range = (max - min) / mean;
    let rise = Line::through(&points)?.slope * (WINDOW_ROUNDS - 1) as f64 / mean;
    Some(SteadyWindow {
        range,
        rise,
        steady: range <= MAX_RANGE && rise.abs() <= MAX_RISE,
    })
}
