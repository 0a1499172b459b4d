//! What a curve's steps say together.

use crate::capacity::capacity;
use crate::doubts::doubts;
use crate::knee::knee;
use crate::measured::{Measured, latency_curve};
use plimsoll_evidence::{CEILING, Capacity, CurvePoint, CurveVerdict, SloStatistic, StepEvidence};
use plimsoll_plan::{Slo, Statistic, default_slos};

/// A definition's response limits as evidence names them: (statistic, ns); the default table where there are none.
pub fn limits(slos: &[Slo]) -> Vec<(SloStatistic, u64)> {
    let table = if slos.is_empty() {
        default_slos()
    } else {
        slos.to_vec()
    };
    table
        .iter()
        .map(|slo| {
            let statistic = match slo.statistic {
                Statistic::Mean => SloStatistic::Mean,
                Statistic::Quantile(q) => SloStatistic::Quantile(q),
            };
            (statistic, slo.limit.0)
        })
        .collect()
}

/// The verdict on a maximum and its points, each with its percentage, in any order.
///
/// Saturated points are marked and are in no latency curve: neither the knee nor a capacity rests on them.
pub fn curve_verdict(
    maximum: &StepEvidence,
    points: &[(u32, &StepEvidence)],
    limits: &[(SloStatistic, u64)],
) -> CurveVerdict {
    let mut sorted = points.to_vec();
    sorted.sort_by(|a, b| {
        rate_asked(a.1)
            .total_cmp(&rate_asked(b.1))
            .then(a.0.cmp(&b.0))
    });
    let measured: Vec<Measured> = sorted
        .iter()
        .map(|(percent, step)| Measured {
            percent: *percent,
            step,
            saturated: is_saturated(step, maximum),
        })
        .collect();
    let readings = latency_curve(&measured, SloStatistic::Mean);
    let bend = knee(&readings);
    let mut curve: Vec<CurvePoint> = measured
        .iter()
        .map(|m| CurvePoint::of(m.step, Some(m.percent), m.saturated))
        .collect();
    curve.push(CurvePoint::of(maximum, None, false));
    CurveVerdict {
        run: maximum.run.clone(),
        decided: true,
        maximum: maximum.rate,
        limit: maximum.limit.clone(),
        points: curve,
        knee: bend.ok(),
        capacities: capacities(&measured, limits),
        findings: doubts(maximum, &measured, &readings, bend.err(), limits),
    }
}

/// The capacity at each limit; a statistic that no unsaturated point supports has none (its doubt says so).
fn capacities(measured: &[Measured], limits: &[(SloStatistic, u64)]) -> Vec<Capacity> {
    let any_unsaturated = measured.iter().any(|m| !m.saturated);
    limits
        .iter()
        .filter_map(|(statistic, limit)| {
            let readings = latency_curve(measured, *statistic);
            (!readings.is_empty() || !any_unsaturated)
                .then(|| capacity(&readings, *statistic, *limit))
        })
        .collect()
}

fn rate_asked(step: &StepEvidence) -> f64 {
    step.offered.unwrap_or(step.rate.mean)
}

fn is_saturated(step: &StepEvidence, maximum: &StepEvidence) -> bool {
    match step.saturation {
        Some(s) => s.saturated,
        None => step.depth_mean >= CEILING * maximum.depth_mean,
    }
}
