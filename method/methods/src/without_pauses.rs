//! What a step was without the times in which the process did not run.

use crate::series::Series;
use plimsoll_evidence::Quantity;
use plimsoll_measure::{MeanInterval, ratio_interval};

/// So many samples have to be left, and this share of the time.
const LEAST: usize = 10;
const LEAST_SHARE: f64 = 0.2;
/// What the rest may differ by from a run without the pauses, of itself: the storage rested meanwhile.
const MODEL: f64 = 0.05;
/// A figure that may be wrong by more of itself is none.
const SURE: f64 = 0.08;

/// The clean figure and its half-width, and how long the rest is, s. Of a closed loop it is the rate. On a schedule the rate is what came
/// due, so that it is the mean response. No figure where too little is left, or that is not known to 8 %, so that it is off by less than a tenth.
///
/// What is left is all but the pauses, what was held up by them, and the sample after it: there comes back what was out.
pub fn values(
    series: &Series,
    absences: &[(f64, f64)],
    is_open: bool,
) -> Vec<(&'static str, Quantity)> {
    let left = left(series, absences);
    let of = |values: &[f64]| -> Vec<f64> { left.iter().map(|n| values[*n]).collect() };
    let seconds = of(&series.seconds);
    let rest: f64 = seconds.iter().sum();
    let mut values = vec![("left", Quantity::Seconds(rest))];
    if left.len() < LEAST || rest < LEAST_SHARE * series.seconds.iter().sum::<f64>() {
        return values;
    }
    let (clean, unit): (_, fn(f64) -> Quantity) = match is_open {
        true => (
            ratio_interval(&of(&series.response_ns), &of(&series.timed)),
            Quantity::Ns,
        ),
        false => (
            ratio_interval(&of(&series.ios), &seconds),
            Quantity::PerSecond,
        ),
    };
    let Some(MeanInterval {
        mean, half_width, ..
    }) = clean.filter(|c| c.mean > 0.0)
    else {
        return values;
    };
    let half = half_width.unwrap_or(mean).hypot(MODEL * mean);
    if half <= SURE * mean {
        values.extend([("clean", unit(mean)), ("clean_half_width", unit(half))]);
    }
    values
}

/// The numbers of the samples that are left. On a schedule a pause is over when no more is out than there was in the mean before it.
fn left(series: &Series, absences: &[(f64, f64)]) -> Vec<usize> {
    let mut at = series.start_ns as f64 / 1e9;
    let (mut out, mut usual) = (0.0, 0.0);
    let (mut is_held_up, mut after) = (false, false);
    let mut left = Vec::new();
    for (n, (seconds, asked)) in series.seconds.iter().zip(&series.asked).enumerate() {
        let (from, to) = (at, at + seconds);
        at = to;
        out += f64::from(asked.due) - f64::from(asked.done);
        let is_absent = absences.iter().any(|(a, b)| *a < to && *b > from);
        let was_held_up = is_held_up;
        is_held_up = is_absent || (is_held_up && asked.due > 0 && out > usual);
        if !is_held_up && !was_held_up && !after {
            left.push(n);
            usual += (out - usual) / left.len() as f64;
        }
        // What was out comes back in the sample after it.
        after = was_held_up && !is_held_up;
    }
    left
}

#[cfg(test)]
mod tests;
