//! Two groups of runs compared: A against B, step by step.
//!
//! A difference between two runs says nothing as long as nobody knows how far two runs of the same thing lie apart. So a
//! verdict needs at least [`RUNS_FOR_A_VERDICT`] runs on each side and rests on Welch's t test of the runs' means. With
//! one run on a side the intervals are those inside the runs, and there is no verdict.

mod facts;
mod figures;
mod metric;
mod order;
mod rule;
mod step;
mod table;
mod welch;

pub use facts::FactDifference;
pub use figures::{RunFigures, StepFigures};
pub use metric::Metric;
pub use rule::{FailRule, Limit, RuleError, RuleOutcome, RuleResult, Side};
pub use step::{Basis, MetricComparison, Outcome, StepComparison};
pub use welch::Welch;

use crate::{Record, RecordError, RunStatus};
use serde::Serialize;
use std::collections::HashSet;

/// Runs on each side that a verdict needs.
pub const RUNS_FOR_A_VERDICT: usize = 5;

/// A verdict needs a chance below this that there is no difference; small, for a comparison makes many tests.
pub const SIGNIFICANCE: f64 = 0.01;

/// A difference of less than this part of A's mean is too small to matter.
pub const PRACTICAL: f64 = 0.02;

/// What comparing two groups of runs came to.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// The runs of side A.
    pub a: Vec<String>,
    /// The runs of side B.
    pub b: Vec<String>,
    /// Which side each run was of, by start: `ABBA`.
    pub order: String,
    /// The steps that both sides have, in A's order.
    pub steps: Vec<StepComparison>,
    /// Steps that B lacks.
    pub only_in_a: Vec<String>,
    /// Steps that A lacks.
    pub only_in_b: Vec<String>,
    /// What else is not the same.
    pub environment: Vec<FactDifference>,
    /// What to bear in mind, one sentence each.
    pub notes: Vec<String>,
}

/// Compares records: `a` is the base, `b` what is judged.
///
/// # Errors
/// Where a record cannot be read, and where the sides have no step in common.
pub fn compare(a: &[Record], b: &[Record]) -> Result<Comparison, RecordError> {
    let figures = |records: &[Record]| {
        records
            .iter()
            .map(RunFigures::of)
            .collect::<Result<Vec<_>, _>>()
    };
    let comparison = compare_figures(&figures(a)?, &figures(b)?);
    match comparison.steps.is_empty() {
        true => Err(RecordError::NothingInCommon {
            a: listed(&comparison.only_in_a),
            b: listed(&comparison.only_in_b),
        }),
        false => Ok(comparison),
    }
}

/// The names of a side's steps, and past a few how many more.
fn listed(names: &[String]) -> String {
    const SHOWN: usize = 5;
    match names.len() {
        0 => "no finished step".to_string(),
        n if n > SHOWN + 1 => format!("{} and {} more", names[..SHOWN].join(", "), n - SHOWN),
        _ => names.join(", "),
    }
}

/// Compares what was taken from records. A run that is given twice on a side counts once: it's no repeat.
pub fn compare_figures(a: &[RunFigures], b: &[RunFigures]) -> Comparison {
    let (a, repeated_a) = distinct(a);
    let (b, repeated_b) = distinct(b);
    let (a, b) = (a.as_slice(), b.as_slice());
    let names_a = step::names(a);
    let names_b = step::names(b);
    let in_a: HashSet<_> = names_a.iter().collect();
    let in_b: HashSet<_> = names_b.iter().collect();
    let (shared, only_in_a): (Vec<_>, Vec<_>) =
        names_a.iter().cloned().partition(|n| in_b.contains(n));
    let only_in_b = names_b.iter().filter(|n| !in_a.contains(n));
    let order = order::order(a, b);
    let mut notes = few_runs(a.len(), b.len());
    notes.extend(order::note(&order));
    for run in a
        .iter()
        .chain(b)
        .filter(|r| r.status != RunStatus::Completed)
    {
        notes.push(format!("{} is {}.", run.label, run.status));
    }
    for label in repeated_a.iter().chain(&repeated_b) {
        notes.push(format!(
            "{label} is a run that is given twice; it counts once."
        ));
    }
    for run in a
        .iter()
        .filter(|run| b.iter().any(|other| is_same(run, other)))
    {
        notes.push(format!("{} is on both sides.", run.label));
    }
    let labels = |runs: &[RunFigures]| runs.iter().map(|r| r.label.clone()).collect();
    Comparison {
        a: labels(a),
        b: labels(b),
        order,
        steps: shared
            .iter()
            .map(|name| step::compare(name, a, b))
            .collect(),
        only_in_a: only_in_a.iter().map(ToString::to_string).collect(),
        only_in_b: only_in_b.map(ToString::to_string).collect(),
        environment: facts::differences(a, b),
        notes,
    }
}

/// True for two records of one run: no two runs begin in the same nanosecond.
fn is_same(a: &RunFigures, b: &RunFigures) -> bool {
    a.started_unix_ns == b.started_unix_ns
}

/// The runs of a side, each once, and the labels of those that came again.
fn distinct(runs: &[RunFigures]) -> (Vec<RunFigures>, Vec<String>) {
    let mut once: Vec<RunFigures> = Vec::new();
    let mut again = Vec::new();
    for run in runs {
        if once.iter().any(|other| is_same(run, other)) {
            again.push(run.label.clone());
        } else {
            once.push(run.clone());
        }
    }
    (once, again)
}

fn few_runs(a: usize, b: usize) -> Vec<String> {
    if a.min(b) >= RUNS_FOR_A_VERDICT {
        return vec![];
    }
    let basis = if a.min(b) < 2 {
        "Within-run uncertainty only, no verdict"
    } else {
        "No verdict"
    };
    vec![format!(
        "{basis}: that needs at least {RUNS_FOR_A_VERDICT} runs on each side, there are {a} and {b}."
    )]
}
