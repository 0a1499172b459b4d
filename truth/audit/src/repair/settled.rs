//! When the cache has done what it will do.

use super::{Repair, Repaired};

/// A bracket that is wider than this, of its middle, is no answer.
const WIDE: f64 = 0.15;

/// A closed loop's mean service is its depth over its rate (Little's law), and it is a line of the share that no medium was asked for:
/// hits take one time, misses another. The line is fitted to the parts of the step; where the share will end is not known, but it
/// is between the last third's and one. The answer is the middle of the two rates, where they lie close together.
///
/// `parts` are (share without a medium, I/Os per second); `last` is the mean share of the last third.
pub(crate) fn settled(parts: &[(f64, f64)], last: f64, depth: f64, closed: bool) -> Repair {
    const WHAT: &str = "Warmed up";
    const HOW: &str = "service as a line of the hits' share, between the last share and all";
    if !closed {
        return Err("the load was on schedule, so its rate was not the array's");
    }
    if fell(parts) {
        return Err("the rate fell meanwhile, which hits do not do");
    }
    let points: Vec<(f64, f64)> = parts
        .iter()
        .filter(|(_, rate)| *rate > 0.0)
        .map(|(share, rate)| (*share, depth / rate))
        .collect();
    let Some((slope, middle)) = line(&points) else {
        return Err("the share did not change enough to see what it is worth");
    };
    // More hits never make it slower: a slope upwards is chance.
    let slope = slope.min(0.0);
    let service = |share: f64| middle.1 + slope * (share - middle.0);
    let (slowest, fastest) = (service(last), service(1.0));
    if fastest <= 0.0 {
        return Err("the course is no line that could be followed");
    }
    let (low, high) = (depth / slowest, depth / fastest);
    let (value, half) = ((low + high) / 2.0, (high - low) / 2.0);
    if 2.0 * half > WIDE * value {
        return Err("where the share will end is not known, and too much depends on it");
    }
    Repaired::by_model(WHAT, value, half / value, HOW)
}

/// Whether the rate of the last third is below that of the first by more than hits that come and go make of it.
pub(crate) fn fell(course: &[(f64, f64)]) -> bool {
    let third = course.len() / 3;
    let mean =
        |of: &[(f64, f64)]| of.iter().map(|(_, rate)| rate).sum::<f64>() / third.max(1) as f64;
    third > 0 && mean(&course[course.len() - third..]) < FELL * mean(&course[..third])
}

/// What is left of a rate that fell.
const FELL: f64 = 0.95;

/// The slope of the least squares, and the middle through which the line goes.
fn line(points: &[(f64, f64)]) -> Option<(f64, (f64, f64))> {
    let n = points.len() as f64;
    if points.len() < 3 {
        return None;
    }
    let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / n;
    let (x, y) = (mean(|p| p.0), mean(|p| p.1));
    let squares: f64 = points.iter().map(|p| (p.0 - x).powi(2)).sum();
    let products: f64 = points.iter().map(|p| (p.0 - x) * (p.1 - y)).sum();
    (squares > 1e-9).then(|| (products / squares, (x, y)))
}
