//! Whether the last five rounds hold still.

use crate::trend::Line;

/// Rounds in a window of [`snia_window`].
pub const WINDOW_ROUNDS: usize = 5;
/// Largest (max - min) / mean in a steady window.
const MAX_RANGE: f64 = 0.20;
/// Largest rise of the fitted line over the window, of the mean.
const MAX_RISE: f64 = 0.10;

/// Spread and rise of five rounds.
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
