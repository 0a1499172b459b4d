//! Why a curve's verdict may not be trusted, or what it lacks.

use crate::growth::MAX_SHORTFALL;
use crate::knee::{MIN_POINTS, NoKnee};
use crate::reading::Reading;
use crate::verdict::latency_curve;
use plimsoll_evidence::wording::{list, percent, plural, rate, time};
use plimsoll_evidence::{SaturationCause, SloStatistic, StepEvidence};
use plimsoll_plan::Statistic;

/// A point that reaches this much more than the maximum shows that the maximum was none.
const MORE_THAN_MAXIMUM: f64 = 1.01;
/// A response that falls by less than this from one point to the next is not worth a word.
const MIN_FALL: f64 = 0.05;

/// A point of a curve.
#[derive(Debug, Clone, Copy)]
pub struct Measured<'a> {
    /// Percent of the maximum.
    pub percent: u32,
    /// Its evidence.
    pub step: &'a StepEvidence,
    /// True where its latency is not a latency.
    pub saturated: bool,
}

/// One sentence each. `points` by rising offered rate; `curve` the mean response of the unsaturated ones.
pub fn doubts(
    maximum: &StepEvidence,
    points: &[Measured],
    curve: &[Reading],
    no_knee: Option<NoKnee>,
    limits: &[(SloStatistic, u64)],
) -> Vec<String> {
    let mut notes = vec![format!(
        "The maximum's response time is that of a closed loop, its {} slots over its rate, and in no latency curve.",
        maximum.slots
    )];
    notes.extend(failures(maximum, points));
    notes.extend(maximum_was_none(maximum, points));
    notes.extend(equal_targets(points));
    notes.extend(saturated_points(points));
    notes.extend(no_knee.map(|why| knee_missing(why, points)));
    notes.extend(falling_response(curve));
    notes.extend(unsupported(points, limits));
    notes.extend(without_interval(maximum, points));
    notes
}

fn failures(maximum: &StepEvidence, points: &[Measured]) -> Option<String> {
    let steps = std::iter::once(maximum).chain(points.iter().map(|p| p.step));
    let failing: Vec<&StepEvidence> = steps.filter(|s| s.errors > 0).collect();
    let count: u64 = failing.iter().map(|s| s.errors).sum();
    let names: Vec<String> = failing.iter().map(|s| s.name.clone()).collect();
    (count > 0).then(|| {
        format!(
            "{} failed in {}: in no rate and in no response time of this curve. See why before you trust it.",
            plural(count as usize, "I/O"),
            list(&names)
        )
    })
}

fn maximum_was_none(maximum: &StepEvidence, points: &[Measured]) -> Option<String> {
    let best = points
        .iter()
        .max_by(|a, b| a.step.rate.mean.total_cmp(&b.step.rate.mean))?
        .step;
    let top = maximum.rate.mean + maximum.rate.half_width.unwrap_or(0.0);
    let low = best.rate.mean - best.rate.half_width.unwrap_or(0.0);
    (best.rate.mean > MORE_THAN_MAXIMUM * maximum.rate.mean && low > top).then(|| {
        format!(
            "The maximum was not the maximum: {} reached {}, the maximum run {}. Warm up longer, or use more slots.",
            best.name,
            rate(best.rate.mean),
            rate(maximum.rate.mean)
        )
    })
}

fn equal_targets(points: &[Measured]) -> Option<String> {
    let same = points.windows(2).find(|w| {
        w[0].percent != w[1].percent
            && w[0].step.offered.is_some()
            && w[0].step.offered == w[1].step.offered
    })?;
    Some(format!(
        "{} and {} asked for the same rate: the maximum is too small for the rounding of rates.",
        same[0].step.name, same[1].step.name
    ))
}

fn saturated_points(points: &[Measured]) -> Option<String> {
    let saturated: Vec<&Measured> = points.iter().filter(|p| p.saturated).collect();
    let names: Vec<String> = saturated.iter().map(|p| p.step.name.clone()).collect();
    let grows = |p: &Measured| {
        p.step.saturation.is_some_and(|s| match s.cause {
            Some(cause) => cause == SaturationCause::BacklogGrows,
            // Early records don't say.
            None => s.shortfall > MAX_SHORTFALL && s.backlog_growth > 0.0,
        })
    };
    // Where I/Os wait for slots and the rate is kept all the same, nothing grows.
    let growth = match saturated.iter().all(|p| grows(p)) {
        true => " Their backlog grows as long as they run.",
        false => "",
    };
    if names.is_empty() {
        return None;
    }
    Some(if names.len() == points.len() {
        "Every point is saturated: there is no latency to show. Add lower percentages, or more slots.".to_string()
    } else {
        format!(
            "Saturated, and so not in the latency curve: {}.{growth}",
            list(&names)
        )
    })
}

fn knee_missing(why: NoKnee, points: &[Measured]) -> String {
    let step_up = points
        .windows(2)
        .find(|w| !w[0].saturated && w[1].saturated)
        .map(|w| {
            format!(
                " It lies between {} ({}) and {}, where saturation starts.",
                w[0].step.name,
                rate(w[0].step.rate.mean),
                w[1].step.name
            )
        });
    match why {
        NoKnee::TooFew(n) => {
            let points = plural(n, "unsaturated point");
            format!("No knee: {points} with different rates, and at least {MIN_POINTS} are needed.")
        }
        NoKnee::Flat(rise) => format!(
            "No knee among the unsaturated points: their mean response rises by only {}, or by no more than its \
             uncertainty.{}",
            percent(rise),
            step_up.unwrap_or_default()
        ),
        NoKnee::Straight => {
            "No knee: the mean response rises without a bend that these points could show; points at more percentages may."
                .to_string()
        }
    }
}

fn falling_response(curve: &[Reading]) -> Option<String> {
    let fall = curve.windows(2).find(|w| {
        let unsure = w[0].half_width.unwrap_or(0.0) + w[1].half_width.unwrap_or(0.0);
        let by = w[0].value_ns - w[1].value_ns;
        by > unsure && by > MIN_FALL * w[0].value_ns
    })?;
    Some(format!(
        "The response falls with more load, from {} at {} to {} at {}: something warmed up or changed between the \
         points. Repeat the curve with a longer warm-up, or in another order.",
        time(fall[0].value_ns),
        rate(fall[0].rate.mean),
        time(fall[1].value_ns),
        rate(fall[1].rate.mean)
    ))
}

fn unsupported(points: &[Measured], limits: &[(SloStatistic, u64)]) -> Vec<String> {
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
                format!(
                    "{} of {} too few I/Os for {} (10 must lie beyond it) and so no part in its capacity; run longer.",
                    unsaturated - supported,
                    match unsaturated {
                        1 => "1 unsaturated point has".to_string(),
                        n => format!("{n} unsaturated points have"),
                    },
                    name_of(statistic)
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

fn without_interval(maximum: &StepEvidence, points: &[Measured]) -> Option<String> {
    let open = points.iter().filter(|p| !p.saturated).map(|p| p.step);
    let names: Vec<String> = std::iter::once(maximum)
        .filter(|m| m.rate.half_width.is_none())
        .chain(
            open.filter(|s| s.rate.half_width.is_none() || s.response_mean_ns.half_width.is_none()),
        )
        .map(|s| s.name.clone())
        .collect();
    (!names.is_empty()).then(|| {
        format!(
            "Interval not available for {}: the series is too short for its autocorrelation. Run longer.",
            list(&names)
        )
    })
}
