//! Why a curve's verdict may not be trusted, or what it lacks.

use crate::knee::{MIN_POINTS, NoKnee};
use crate::measured::{Measured, latency_curve};
use crate::reading::Reading;
use plimsoll_evidence::{
    Finding, Quantity, SaturationCause, Severity, SloStatistic, StepEvidence, more_than_needed,
};
use plimsoll_plan::Statistic;

/// A point that reaches this much more than the maximum shows that the maximum was none.
const MORE_THAN_MAXIMUM: f64 = 1.01;
/// A response that falls by less than this from one point to the next is not worth a word.
const MIN_FALL: f64 = 0.05;

/// `points` by rising offered rate; `curve` the mean response of the unsaturated ones.
pub fn doubts(
    maximum: &StepEvidence,
    points: &[Measured],
    curve: &[Reading],
    no_knee: Option<NoKnee>,
    limits: &[(SloStatistic, u64)],
) -> Vec<Finding> {
    let slots = Quantity::Count(maximum.slots);
    let mut found = vec![note("closed-loop-maximum", [("slots", slots)])];
    found.extend(more_in_flight(maximum, points));
    found.extend(failures(maximum, points));
    found.extend(maximum_was_none(maximum, points));
    found.extend(equal_targets(points));
    found.extend(saturated_points(points));
    found.extend(no_knee.map(|why| knee_missing(why, points)));
    found.extend(falling_response(curve));
    found.extend(unsupported(points, limits));
    found.extend(without_interval(maximum, points));
    found
}

/// Note on a curve: something to be known of it.
pub(crate) fn note<'a>(
    rule: &str,
    values: impl IntoIterator<Item = (&'a str, Quantity)>,
) -> Finding {
    Finding::of_method(rule, Severity::Note, values)
}

/// Finding that puts a curve in doubt.
pub(crate) fn suspect<'a>(
    rule: &str,
    values: impl IntoIterator<Item = (&'a str, Quantity)>,
) -> Finding {
    Finding::of_method(rule, Severity::Suspect, values)
}

/// A step by its name.
pub(crate) fn named(step: &StepEvidence) -> (&'static str, Quantity) {
    ("step", Quantity::Text(step.name.clone()))
}

fn failures(maximum: &StepEvidence, points: &[Measured]) -> Option<Finding> {
    let steps = std::iter::once(maximum).chain(points.iter().map(|p| p.step));
    let failing: Vec<&StepEvidence> = steps.filter(|s| s.errors > 0).collect();
    let count: u64 = failing.iter().map(|s| s.errors).sum();
    let values = std::iter::once(("ios", Quantity::Count(count)));
    // Each of the steps has a finding of its own that says how bad it is.
    (count > 0).then(|| {
        suspect(
            "curve-ios-failed",
            values.chain(failing.into_iter().map(named)),
        )
    })
}

/// The least in flight that carried nearly as much as the maximum, where that is far less.
fn more_in_flight(maximum: &StepEvidence, points: &[Measured]) -> Option<Finding> {
    let most = maximum.depth_mean;
    let share = |p: &Measured| p.step.rate.mean / maximum.rate.mean;
    let carries = points.iter().filter(|p| {
        let is_carried = !p.saturated && maximum.rate.mean > 0.0;
        is_carried && more_than_needed(share(p), p.step.depth_mean, most)
    });
    let least = carries.min_by(|a, b| a.step.depth_mean.total_cmp(&b.step.depth_mean))?;
    Some(note(
        "more-in-flight-than-needed",
        [
            named(least.step),
            ("most", Quantity::Number(most)),
            ("in_flight", Quantity::Number(least.step.depth_mean)),
            ("share", Quantity::Share(share(least))),
        ],
    ))
}

fn maximum_was_none(maximum: &StepEvidence, points: &[Measured]) -> Option<Finding> {
    let best = points
        .iter()
        .max_by(|a, b| a.step.rate.mean.total_cmp(&b.step.rate.mean))?
        .step;
    let top = maximum.rate.mean + maximum.rate.half_width.unwrap_or(0.0);
    let low = best.rate.mean - best.rate.half_width.unwrap_or(0.0);
    (best.rate.mean > MORE_THAN_MAXIMUM * maximum.rate.mean && low > top).then(|| {
        suspect(
            "maximum-exceeded",
            [
                named(best),
                ("reached", Quantity::PerSecond(best.rate.mean)),
                ("maximum", Quantity::PerSecond(maximum.rate.mean)),
            ],
        )
    })
}

fn equal_targets(points: &[Measured]) -> Option<Finding> {
    let same = points.windows(2).find(|w| {
        w[0].percent != w[1].percent
            && w[0].step.offered.is_some()
            && w[0].step.offered == w[1].step.offered
    })?;
    Some(suspect(
        "same-rate-twice",
        same.iter().map(|p| named(p.step)),
    ))
}

fn saturated_points(points: &[Measured]) -> Option<Finding> {
    let saturated: Vec<&Measured> = points.iter().filter(|p| p.saturated).collect();
    let grows = |p: &Measured| {
        let cause = p.step.saturation.and_then(|s| s.cause);
        cause == Some(SaturationCause::BacklogGrows)
    };
    if saturated.is_empty() {
        return None;
    }
    if saturated.len() == points.len() {
        return Some(suspect("all-points-saturated", []));
    }
    let all_grow = saturated.iter().all(|p| grows(p));
    let growth = all_grow.then(|| ("backlog", Quantity::Text("grows".into())));
    let names = saturated.iter().map(|p| named(p.step));
    Some(note("points-saturated", names.chain(growth)))
}

fn knee_missing(why: NoKnee, points: &[Measured]) -> Finding {
    let step_up = points
        .windows(2)
        .find(|w| !w[0].saturated && w[1].saturated)
        .map(|w| {
            let rate = Quantity::PerSecond(w[0].step.rate.mean);
            [named(w[0].step), named(w[1].step), ("sound_rate", rate)]
        });
    match why {
        NoKnee::TooFew(n) => note(
            "no-knee-too-few",
            [
                ("points", Quantity::Count(n as u64)),
                ("needed", Quantity::Count(MIN_POINTS as u64)),
            ],
        ),
        NoKnee::Flat(rise) => {
            let rise = ("rise", Quantity::Share(rise));
            note(
                "no-knee-flat",
                std::iter::once(rise).chain(step_up.into_iter().flatten()),
            )
        }
        NoKnee::Straight => note("no-knee-straight", []),
    }
}

fn falling_response(curve: &[Reading]) -> Option<Finding> {
    let fall = curve.windows(2).find(|w| {
        let unsure = w[0].half_width.unwrap_or(0.0) + w[1].half_width.unwrap_or(0.0);
        let by = w[0].value_ns - w[1].value_ns;
        by > unsure && by > MIN_FALL * w[0].value_ns
    })?;
    Some(suspect(
        "response-falls",
        fall.iter().flat_map(|reading| {
            [
                ("response", Quantity::Ns(reading.value_ns)),
                ("rate", Quantity::PerSecond(reading.rate.mean)),
            ]
        }),
    ))
}

fn unsupported(points: &[Measured], limits: &[(SloStatistic, u64)]) -> Vec<Finding> {
    let mut statistics: Vec<SloStatistic> = Vec::new();
    for (statistic, _) in limits {
        if !statistics.contains(statistic) {
            statistics.push(*statistic);
        }
    }
    let unsaturated = points.iter().filter(|p| !p.saturated).count();
    statistics
        .into_iter()
        .filter_map(|statistic| {
            let supported = latency_curve(points, statistic).len();
            (supported < unsaturated).then(|| {
                let without = (unsaturated - supported) as u64;
                note(
                    "percentile-unsupported",
                    [
                        ("points", Quantity::Count(without)),
                        ("unsaturated", Quantity::Count(unsaturated as u64)),
                        ("statistic", Quantity::Text(name_of(statistic))),
                    ],
                )
            })
        })
        .collect()
}

fn name_of(statistic: SloStatistic) -> String {
    match statistic {
        SloStatistic::Mean => Statistic::Mean,
        SloStatistic::Quantile(q) => Statistic::Quantile(q),
    }
    .to_string()
}

fn without_interval(maximum: &StepEvidence, points: &[Measured]) -> Option<Finding> {
    let open = points.iter().filter(|p| !p.saturated).map(|p| p.step);
    let mut without = std::iter::once(maximum)
        .filter(|m| m.rate.half_width.is_none())
        .chain(
            open.filter(|s| s.rate.half_width.is_none() || s.response_mean_ns.half_width.is_none()),
        )
        .map(named)
        .peekable();
    without.peek()?;
    Some(note("interval-missing", without))
}
