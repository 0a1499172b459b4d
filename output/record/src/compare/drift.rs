//! Drift: a response time that is still within its limit, and nearer to it than it was.

use super::step::{StepComparison, StepSides};
use super::{Metric, Outcome};
use plimsoll_plan::{Plan, Statistic, default_slos};
use std::collections::BTreeMap;

/// Sentence on a figure that rose and its limit: it drifts before it breaks it. `then` says when it had its value `before`.
pub fn drift(metric: Metric, limit: f64, before: f64, after: f64, then: &str) -> String {
    let [shown, before, now] = [limit, before, after].map(|value| metric.show(value));
    match after > limit {
        true => format!("{now} is past the limit of {shown}."),
        false => format!("{now} is within the limit of {shown}, but {then} it was {before}."),
    }
}

/// Limits that were asked of a run, the tightest of each metric, ns.
pub(super) fn asked_limits(plan: &Plan, run: &str) -> BTreeMap<Metric, f64> {
    let mut limits = BTreeMap::new();
    let slos = plan.slos(run);
    for slo in slos.iter().filter(|_| *slos != *default_slos()) {
        let name = match slo.statistic {
            Statistic::Mean => Metric::ResponseMean.name().to_owned(),
            other => other.to_string(),
        };
        let metric = Metric::ALL.into_iter().find(|metric| metric.name() == name);
        let limit = slo.limit.0 as f64;
        limits.extend(
            metric.map(|metric| (metric, limit.min(*limits.get(&metric).unwrap_or(&limit)))),
        );
    }
    limits
}

/// Sentences on figures that are clearly worse in B and still within the limit that both sides have.
pub(super) fn notes(step: &StepComparison, sides: &StepSides) -> Vec<String> {
    let limit = |runs: Vec<&super::StepFigures>, metric| runs.last()?.limits.get(&metric).copied();
    let worse = step.metrics.iter().filter(|m| m.outcome == Outcome::Worse);
    let of = |m: &super::MetricComparison| {
        limit(sides.of_a(), m.metric)?;
        let limit = limit(sides.of_b(), m.metric).filter(|limit| m.mean_b <= *limit)?;
        let said = drift(m.metric, limit, m.mean_a, m.mean_b, "in A");
        Some(format!("{}: {said}", m.metric))
    };
    worse.filter_map(of).collect()
}
