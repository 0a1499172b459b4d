//! What a step was without the times in which the process did not run.

use crate::series::Series;
use crate::stretches::overlap;
use plimsoll_evidence::Quantity;
use plimsoll_measure::{MeanInterval, ratio_interval};

/// So many samples have to be left, and this share of the time.
const LEAST: usize = 10;
const LEAST_SHARE: f64 = 0.2;
/// Difference of the rest from a run without the pauses, as a share of it: the storage rested meanwhile.
const MODEL: f64 = 0.05;
/// A figure that may be wrong by more of itself is none.
const SURE: f64 = 0.08;
/// Time that is taken together where pauses are in nearly each sample, s.
const STRETCH_S: f64 = 1.0;

/// The clean figure and its half-width, and how long the rest is, s. Of a closed loop, with so many I/Os in flight, it is the rate. On a
/// schedule the rate is what came due, so that it is the mean response. No figure where too little is left, or that is not known to 8 %, so that it is off by less than a tenth.
///
/// What is left is all but the pauses, what was held up by them, and the sample after it: there comes back what was out. Of a closed loop
/// whose pauses leave too few samples whole, it is what it did between them.
pub fn values(
    series: &Series,
    absences: &[(f64, f64)],
    closed: Option<f64>,
) -> Vec<(&'static str, Quantity)> {
    let left = left(series, absences);
    let of = |values: &[f64]| -> Vec<f64> { left.iter().map(|n| values[*n]).collect() };
    let seconds = of(&series.seconds);
    let rest: f64 = seconds.iter().sum();
    let is_enough = left.len() >= LEAST && rest >= LEAST_SHARE * series.seconds.iter().sum::<f64>();
    let figure = match (is_enough, closed) {
        (true, Some(_)) => figure(ratio_interval(&of(&series.ios), &seconds)),
        (true, None) => figure(ratio_interval(&of(&series.response_ns), &of(&series.timed))),
        (false, Some(in_flight)) => return between(series, absences, in_flight),
        (false, None) => None,
    };
    let unit = match closed {
        Some(_) => Quantity::PerSecond,
        None => Quantity::Ns,
    };
    told(rest, figure, unit)
}

/// A mean, and by how much it may be off.
fn figure(interval: Option<MeanInterval>) -> Option<(f64, f64)> {
    let found = interval.filter(|c| c.mean > 0.0)?;
    let half = found.half_width.unwrap_or(found.mean);
    Some((found.mean, half.hypot(MODEL * found.mean)))
}

fn told(
    rest: f64,
    figure: Option<(f64, f64)>,
    unit: fn(f64) -> Quantity,
) -> Vec<(&'static str, Quantity)> {
    let mut values = vec![("left", Quantity::Seconds(rest))];
    if let Some((mean, half)) = figure.filter(|(mean, half)| *half <= SURE * mean) {
        values.extend([("clean", unit(mean)), ("clean_half_width", unit(half))]);
    }
    values
}

/// Figure of a closed loop for the time between pauses. What was in flight when one began was done meanwhile and for nothing, unless it was
/// too short for that: half of it is in doubt.
fn between(
    series: &Series,
    absences: &[(f64, f64)],
    in_flight: f64,
) -> Vec<(&'static str, Quantity)> {
    let (mut ios, mut ran) = (vec![0.0], vec![0.0]);
    let (mut at, mut full) = (series.start_ns as f64 / 1e9, 0.0);
    let all: f64 = series.seconds.iter().sum();
    for (seconds, done) in series.seconds.iter().zip(&series.ios) {
        // What is left over at the end belongs to the last stretch.
        if full + 1e-6 >= STRETCH_S && series.start_ns as f64 / 1e9 + all - at >= STRETCH_S {
            full = 0.0;
            ios.push(0.0);
            ran.push(0.0);
        }
        let (from, to) = (at, at + seconds);
        let over = |until: f64| absences.partition_point(|(_, end)| *end <= until);
        let n = ios.len() - 1;
        ios[n] += done - in_flight * (over(to) - over(from)) as f64;
        ran[n] += seconds - overlap((from, to), absences);
        full += seconds;
        at = to;
    }
    let rest: f64 = ran.iter().sum();
    if ios.len() < LEAST || rest < LEAST_SHARE * all {
        return told(rest, None, Quantity::PerSecond);
    }
    let doubt = in_flight / 2.0 * absences.len() as f64 / rest;
    let figure = figure(ratio_interval(&ios, &ran)).map(|(mean, half)| (mean, half.hypot(doubt)));
    told(rest, figure, Quantity::PerSecond)
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
        let is_absent = overlap((from, to), absences) > 0.0;
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
