//! One step of both sides.

use super::welch::{Welch, welch};
use super::{Metric, PRACTICAL, RUNS_FOR_A_VERDICT, RunFigures, SIGNIFICANCE, StepFigures};
use plimsoll_evidence::Estimate;
use serde::Serialize;
use std::collections::{HashMap, HashSet};
use std::fmt;

/// One step that both sides have.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StepComparison {
    /// Its name, with its loop values.
    pub name: String,
    /// Metrics that both sides have.
    pub metrics: Vec<MetricComparison>,
    /// What to bear in mind, one sentence each.
    pub notes: Vec<String>,
}

/// One metric of one step. Times ns, rates per second, bytes per second.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct MetricComparison {
    /// What is compared.
    pub metric: Metric,
    /// Runs of A that have it.
    pub runs_a: usize,
    /// Runs of B that have it.
    pub runs_b: usize,
    /// Mean of A's runs.
    pub mean_a: f64,
    /// Mean of B's runs.
    pub mean_b: f64,
    /// `mean_b - mean_a`.
    pub difference: f64,
    /// Half of the difference's 95 % interval; `None` where it isn't known.
    pub half_width: Option<f64>,
    /// What the interval rests on.
    pub basis: Basis,
    /// Chance of a difference this large where there is none; `None` without a test between runs.
    pub p: Option<f64>,
    /// The verdict.
    pub outcome: Outcome,
}

/// What an interval of a difference rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Basis {
    /// The spread between runs (Welch).
    BetweenRuns,
    /// The spread inside the runs only: how far repeats would lie apart is not known.
    WithinRuns,
}

/// A verdict on one metric.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Too few runs.
    NoVerdict,
    /// None was shown.
    NoDifference,
    /// There is one, but it's too small to matter.
    Negligible,
    /// B is better.
    Better,
    /// B is worse.
    Worse,
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Outcome::NoVerdict => "no verdict",
            Outcome::NoDifference => "no difference shown",
            Outcome::Negligible => "different, but below 2 %",
            Outcome::Better => "better",
            Outcome::Worse => "worse",
        })
    }
}

impl MetricComparison {
    /// The difference in percent of A's mean; `None` where that is 0.
    pub fn change_percent(&self) -> Option<f64> {
        (self.mean_a != 0.0).then(|| self.difference / self.mean_a.abs() * 100.0)
    }

    /// Half of its 95 % interval, in percent of A's mean.
    pub fn half_width_percent(&self) -> Option<f64> {
        self.half_width
            .filter(|_| self.mean_a != 0.0)
            .map(|h| h / self.mean_a.abs() * 100.0)
    }
}

/// A step's name, and its place among the steps of that name in a run.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct StepName {
    name: String,
    nth: usize,
}

impl fmt::Display for StepName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        match self.nth {
            0 => Ok(()),
            n => write!(f, " (no. {})", n + 1),
        }
    }
}

/// All step names of a side, in order.
pub(super) fn names(runs: &[RunFigures]) -> Vec<StepName> {
    let mut all = Vec::new();
    let mut known = HashSet::new();
    for run in runs {
        let mut times: HashMap<&str, usize> = HashMap::new();
        for step in &run.steps {
            let times = times.entry(&step.name).or_default();
            let name = StepName {
                name: step.name.clone(),
                nth: *times,
            };
            *times += 1;
            if known.insert(name.clone()) {
                all.push(name);
            }
        }
    }
    all
}

/// Compares one step.
pub(super) fn compare(name: &StepName, a: &[RunFigures], b: &[RunFigures]) -> StepComparison {
    let (steps_a, steps_b) = (find(a, name), find(b, name));
    let metrics = Metric::ALL
        .into_iter()
        .filter_map(|m| compare_metric(m, &steps_a, &steps_b))
        .collect();
    StepComparison {
        name: name.to_string(),
        metrics,
        notes: notes(&steps_a, &steps_b),
    }
}

fn find<'a>(runs: &'a [RunFigures], name: &StepName) -> Vec<&'a StepFigures> {
    runs.iter()
        .filter_map(|run| {
            run.steps
                .iter()
                .filter(|s| s.name == name.name)
                .nth(name.nth)
        })
        .collect()
}

fn compare_metric(
    metric: Metric,
    a: &[&StepFigures],
    b: &[&StepFigures],
) -> Option<MetricComparison> {
    if metric.is_response() && a.iter().chain(b).any(|s| s.saturated) {
        return None;
    }
    let values = |steps: &[&StepFigures]| -> Vec<Estimate> {
        steps
            .iter()
            .filter_map(|s| s.values.get(&metric).copied())
            .collect()
    };
    let (a, b) = (values(a), values(b));
    if a.is_empty() || b.is_empty() {
        return None;
    }
    let means = |side: &[Estimate]| side.iter().map(|e| e.mean).collect::<Vec<f64>>();
    let mean = |side: &[Estimate]| means(side).iter().sum::<f64>() / side.len() as f64;
    let (mean_a, mean_b) = (mean(&a), mean(&b));
    let test = welch(&means(&a), &means(&b));
    let mut comparison = MetricComparison {
        metric,
        runs_a: a.len(),
        runs_b: b.len(),
        mean_a,
        mean_b,
        difference: mean_b - mean_a,
        half_width: within_runs(&a, &b),
        basis: Basis::WithinRuns,
        p: None,
        outcome: Outcome::NoVerdict,
    };
    if let Some(test) = test {
        comparison.half_width = Some(test.half_width);
        comparison.basis = Basis::BetweenRuns;
        comparison.p = Some(test.p);
        if a.len().min(b.len()) >= RUNS_FOR_A_VERDICT {
            comparison.outcome = judge(metric, mean_a, test);
        }
    }
    Some(comparison)
}

fn judge(metric: Metric, mean_a: f64, test: Welch) -> Outcome {
    if test.p >= SIGNIFICANCE {
        Outcome::NoDifference
    } else if test.difference.abs() < PRACTICAL * mean_a.abs() {
        Outcome::Negligible
    } else if (test.difference > 0.0) == metric.more_is_better() {
        Outcome::Better
    } else {
        Outcome::Worse
    }
}

/// The half-width that the runs' own intervals give the difference; `None` where a run has none.
fn within_runs(a: &[Estimate], b: &[Estimate]) -> Option<f64> {
    let squared = |side: &[Estimate]| -> Option<f64> {
        let sum = side
            .iter()
            .map(|e| e.half_width.map(|h| h * h))
            .sum::<Option<f64>>()?;
        Some(sum / (side.len() * side.len()) as f64)
    };
    Some((squared(a)? + squared(b)?).sqrt())
}

fn notes(a: &[&StepFigures], b: &[&StepFigures]) -> Vec<String> {
    let mut notes = Vec::new();
    let count = |steps: &[&StepFigures], is: fn(&StepFigures) -> bool| {
        steps.iter().filter(|s| is(s)).count()
    };
    let (saturated_a, saturated_b) = (count(a, |s| s.saturated), count(b, |s| s.saturated));
    if saturated_a + saturated_b > 0 {
        notes.push(format!(
            "Saturated in {saturated_a} of {} runs of A and {saturated_b} of {} of B: response times are not compared.",
            a.len(),
            b.len()
        ));
    }
    let (errors_a, errors_b) = (count(a, |s| s.errors > 0), count(b, |s| s.errors > 0));
    if errors_a + errors_b > 0 {
        notes.push(format!(
            "I/Os failed in {errors_a} of {} runs of A and {errors_b} of {} of B.",
            a.len(),
            b.len()
        ));
    }
    let offered = |steps: &[&StepFigures]| {
        let rates: Option<Vec<f64>> = steps.iter().map(|s| s.offered).collect();
        rates.map(|r| r.iter().sum::<f64>() / r.len() as f64)
    };
    match (offered(a), offered(b)) {
        (Some(rate_a), Some(rate_b)) if (rate_b - rate_a).abs() > 0.01 * rate_a => {
            notes.push(format!(
                "The offered rates differ ({}/s and {}/s): times at different loads are compared.",
                Metric::Iops.show(rate_a),
                Metric::Iops.show(rate_b)
            ))
        }
        (Some(_), None) | (None, Some(_)) => {
            notes.push("One side has an open loop and the other has not: their times differ for that alone.".into());
        }
        _ => {}
    }
    notes
}
