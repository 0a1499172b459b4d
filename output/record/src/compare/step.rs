//! One step of both sides.

use super::holm::adjusted;
use super::remarks::{self, Remark};
use super::welch::welch;
use super::{Metric, PRACTICAL, RUNS_FOR_A_VERDICT, RunFigures, StepFigures, StepKind, offered};
use plimsoll_evidence::Estimate;
use serde::Serialize;
use std::collections::{HashMap, HashSet};
use std::fmt;

/// One step that both sides have.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StepComparison {
    /// Name of the step, with its loop values.
    pub name: String,
    /// Metrics that both sides have.
    pub metrics: Vec<MetricComparison>,
    /// Notes to bear in mind, one sentence each.
    pub notes: Vec<String>,
    /// Remarks of the runs on the step.
    pub remarks: Vec<Remark>,
}

/// One metric of one step. Times ns, rates per second, bytes per second.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct MetricComparison {
    /// Metric that is compared.
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
    /// Basis of the interval.
    pub basis: Basis,
    /// Chance of a difference this large where there is none; `None` without a test between runs.
    pub p: Option<f64>,
    /// The same, made larger for the number of tests (Holm); `None` where there is no verdict.
    pub p_holm: Option<f64>,
    /// The verdict.
    pub outcome: Outcome,
}

/// Basis of an interval of a difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Basis {
    /// The spread between runs (Welch).
    BetweenRuns,
    /// The spread between runs, some of which are repeats of one sitting: what changes from one sitting to the next is not in it.
    BetweenRepeats,
    /// The spread inside the runs only: how far repeats would lie apart is not known.
    WithinRuns,
}

/// A verdict on one metric.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Too few runs.
    NoVerdict,
    /// The sides did not measure the same.
    NotAlike,
    /// One run stands on both sides, or one that draws the same random numbers.
    SameRun,
    /// A run was found invalid as a whole.
    InvalidRun,
    /// The rate of an open loop that was asked for another one on each side.
    AskedFor,
    /// None was shown.
    NoDifference,
    /// There is one, and it is estimated as too small to matter.
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
            Outcome::NotAlike => "no verdict (not the same measurement)",
            Outcome::SameRun => "no verdict (one run on both sides)",
            Outcome::InvalidRun => "no verdict (an invalid run)",
            Outcome::AskedFor => "no verdict (the rate was asked for)",
            Outcome::NoDifference => "no difference shown",
            Outcome::Negligible => "different, estimated below 2 %",
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
struct StepName {
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
fn names(runs: &[RunFigures]) -> Vec<StepName> {
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

/// One step in all runs of both sides; `None` in a run that lacks it.
pub(super) struct StepSides<'f> {
    /// Name of the step, with its loop values.
    pub(super) name: String,
    pub(super) a: Vec<Option<&'f StepFigures>>,
    pub(super) b: Vec<Option<&'f StepFigures>>,
    /// True where some of the runs are repeats of one sitting.
    pub(super) of_repeats: bool,
}

impl<'f> StepSides<'f> {
    /// The steps that any run has: those of A in its order, then what only B has.
    pub(super) fn all(a: &'f [RunFigures], b: &'f [RunFigures]) -> Vec<Self> {
        let mut seen = HashSet::new();
        let all = names(a).into_iter().chain(names(b));
        let of_repeats = a.iter().chain(b).any(|run| run.repeat.is_some());
        all.filter(|name| seen.insert(name.clone()))
            .map(|name| StepSides {
                a: find(a, &name),
                b: find(b, &name),
                name: name.to_string(),
                of_repeats,
            })
            .collect()
    }

    /// A's runs that have it.
    pub(super) fn of_a(&self) -> Vec<&'f StepFigures> {
        self.a.iter().flatten().copied().collect()
    }

    /// B's runs that have it.
    pub(super) fn of_b(&self) -> Vec<&'f StepFigures> {
        self.b.iter().flatten().copied().collect()
    }

    /// True where a run of each side has it.
    pub(super) fn is_shared(&self) -> bool {
        self.a.iter().any(Option::is_some) && self.b.iter().any(Option::is_some)
    }

    /// Kind of step: a step proper, or an answer of a method.
    pub(super) fn kind(&self) -> StepKind {
        let mut both = self.a.iter().chain(&self.b).flatten();
        both.next().map_or(StepKind::Measured, |step| step.kind)
    }

    /// The values of a metric, A's and B's.
    pub(super) fn values(&self, metric: Metric) -> [Vec<Estimate>; 2] {
        [self.of_a(), self.of_b()].map(|side| {
            let value = |step: &StepFigures| step.values.get(&metric).copied();
            side.into_iter().filter_map(value).collect()
        })
    }

    /// True where a metric is a rate that was asked for, and not the same one on both sides.
    pub(super) fn is_asked_for(&self, metric: Metric) -> bool {
        metric.more_is_better() && !offered::is_alike(&self.of_a(), &self.of_b())
    }
}

fn find<'f>(runs: &'f [RunFigures], name: &StepName) -> Vec<Option<&'f StepFigures>> {
    let of = |run: &'f RunFigures| {
        let mut steps = run.steps.iter().filter(|s| s.name == name.name);
        steps.nth(name.nth)
    };
    runs.iter().map(of).collect()
}

/// Compares one step, without its verdicts: [`judge`] gives them.
pub(super) fn compare(step: &StepSides) -> StepComparison {
    let metrics = Metric::ALL
        .into_iter()
        .filter_map(|m| compare_metric(m, step))
        .collect();
    let (a, b) = (step.of_a(), step.of_b());
    let notes_of = |side: &[Option<&StepFigures>]| -> Vec<Vec<String>> {
        let of = |step: &Option<&StepFigures>| step.map_or(vec![], |s| s.notes.clone());
        side.iter().map(of).collect()
    };
    StepComparison {
        name: step.name.clone(),
        metrics,
        notes: notes(&a, &b),
        remarks: remarks::grouped(&notes_of(&step.a), &notes_of(&step.b)),
    }
}

fn compare_metric(metric: Metric, step: &StepSides) -> Option<MetricComparison> {
    let saturated = |s: &&StepFigures| s.saturated;
    if metric.is_response()
        && (step.of_a().iter().any(saturated) || step.of_b().iter().any(saturated))
    {
        return None;
    }
    let [a, b] = step.values(metric);
    if a.is_empty() || b.is_empty() {
        return None;
    }
    let means = |side: &[Estimate]| side.iter().map(|e| e.mean).collect::<Vec<f64>>();
    let mean = |side: &[Estimate]| means(side).iter().sum::<f64>() / side.len() as f64;
    let (mean_a, mean_b) = (mean(&a), mean(&b));
    let test = welch(&means(&a), &means(&b));
    Some(MetricComparison {
        metric,
        runs_a: a.len(),
        runs_b: b.len(),
        mean_a,
        mean_b,
        difference: mean_b - mean_a,
        half_width: test.map_or_else(|| within_runs(&a, &b), |t| Some(t.half_width)),
        basis: match (test, step.of_repeats) {
            (None, _) => Basis::WithinRuns,
            (Some(_), true) => Basis::BetweenRepeats,
            (Some(_), false) => Basis::BetweenRuns,
        },
        p: test.map(|t| t.p),
        p_holm: None,
        outcome: match step.is_asked_for(metric) {
            true => Outcome::AskedFor,
            false => Outcome::NoVerdict,
        },
    })
}

/// Gives every metric of every step its verdict, where there are runs enough and nothing has `barred` one on the step. All
/// of them are one family of tests.
pub(super) fn judge(
    steps: &mut [StepComparison],
    barred: impl Fn(&str) -> Option<Outcome>,
    alpha: f64,
) {
    let mut judged: Vec<(&mut MetricComparison, f64)> = Vec::new();
    for step in steps {
        let barred = barred(&step.name);
        for metric in &mut step.metrics {
            if let Some(barred) = barred {
                metric.outcome = barred;
            } else if let Some(p) = metric.p
                && metric.outcome == Outcome::NoVerdict
                && metric.runs_a.min(metric.runs_b) >= RUNS_FOR_A_VERDICT
            {
                judged.push((metric, p));
            }
        }
    }
    let chances: Vec<f64> = judged.iter().map(|(_, p)| *p).collect();
    for ((metric, _), p) in judged.into_iter().zip(adjusted(&chances)) {
        metric.p_holm = Some(p);
        metric.outcome = if p >= alpha {
            Outcome::NoDifference
        } else if metric.difference.abs() < PRACTICAL * metric.mean_a.abs() {
            Outcome::Negligible
        } else if (metric.difference > 0.0) == metric.metric.more_is_better() {
            Outcome::Better
        } else {
            Outcome::Worse
        };
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
    let count = |steps: &[&StepFigures], is: fn(&StepFigures) -> bool| {
        steps.iter().filter(|s| is(s)).count()
    };
    let counts = |is: fn(&StepFigures) -> bool| {
        let (in_a, in_b) = (count(a, is), count(b, is));
        (in_a + in_b > 0).then(|| {
            format!(
                "in {in_a} of {} runs of A and {in_b} of {} of B",
                a.len(),
                b.len()
            )
        })
    };
    let mut notes = Vec::new();
    if let Some(counts) = counts(|s| s.saturated) {
        notes.push(format!(
            "Saturated {counts}: response times are not compared."
        ));
    }
    if let Some(counts) = counts(|s| s.errors > 0) {
        notes.push(format!("I/Os failed {counts}."));
    }
    if let Some(counts) = counts(|s| s.cut_short) {
        notes.push(format!("Ended before its time {counts}."));
    }
    if !offered::is_alike(a, b) {
        notes.push(
            "The offered rates differ: a higher rate is what was asked for, and times at different loads are compared."
                .into(),
        );
    }
    notes
}
