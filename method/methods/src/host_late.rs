//! Whether what a curve says is its generator's doing, and not its target's.
//!
//! An I/O that a starved host sends late has its lateness in the response time. A little of it is in each result, and a doubt
//! says so. Where it is most of what breaks a limit, the rate that keeps the limit is the host's.

use crate::reading::read;
use crate::series::is_spoiled;
use plimsoll_evidence::{SloStatistic, StepEvidence};

/// From this share on it is the most.
const MOST: f64 = 0.5;

/// True where most of the points have response times that are mostly the generator's lateness, most of their time.
pub(crate) fn is_throughout(points: &[&StepEvidence]) -> bool {
    let is = |p: &&&StepEvidence| is_mostly_spoiled(p) && is_mostly_late(p, SloStatistic::Mean);
    let theirs = points.iter().filter(is).count();
    theirs as f64 > MOST * points.len() as f64
}

/// True where the point of the least rate that breaks this limit, or is not carried, shows the generator and not the target; or the last
/// one below it does, on which the capacity rests as well.
pub(crate) fn breaks(points: &[&StepEvidence], statistic: SloStatistic, limit_ns: u64) -> bool {
    let is_broken = |p: &&&StepEvidence| {
        p.saturation.is_some_and(|s| s.saturated)
            || read(p, statistic).is_some_and(|r| r.value_ns > limit_ns as f64)
    };
    let broken = points.iter().filter(is_broken);
    let least = broken.min_by(|a, b| rate_of(a).total_cmp(&rate_of(b)));
    let Some(least) = least else { return false };
    let below = points.iter().filter(|p| rate_of(p) < rate_of(least));
    let last = below.max_by(|a, b| rate_of(a).total_cmp(&rate_of(b)));
    is_mostly_spoiled(least)
        || is_mostly_late(least, statistic)
        || last.is_some_and(|p| is_mostly_spoiled(p) && is_mostly_late(p, statistic))
}

fn rate_of(point: &StepEvidence) -> f64 {
    point.offered.unwrap_or(point.rate.mean)
}

/// True where the generator was late for too much of what came due, in most of the time.
fn is_mostly_spoiled(point: &StepEvidence) -> bool {
    let spoiled = point.late_by_host.iter().filter(|part| {
        let due = rate_of(point) * part.length_ns as f64 / 1e9;
        is_spoiled(part.ios, due as u64)
    });
    let spoiled_ns: u64 = spoiled.map(|part| part.length_ns).sum();
    spoiled_ns as f64 > MOST * point.counted_s * 1e9
}

/// True where a response statistic is mostly the generator's lateness.
fn is_mostly_late(point: &StepEvidence, statistic: SloStatistic) -> bool {
    let late_ns = match statistic {
        SloStatistic::Mean => point.lateness.mean_ns(),
        SloStatistic::Quantile(q) => point.lateness.supported_quantile_ns(q).map(|ns| ns as f64),
    };
    let response = read(point, statistic).map(|r| r.value_ns);
    late_ns
        .zip(response)
        .is_some_and(|(late, response)| late > MOST * response)
}
