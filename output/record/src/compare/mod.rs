//! Two groups of runs compared: A against B, step by step.
//!
//! A difference between two runs says nothing as long as nobody knows how far two runs of the same thing lie apart. So a
//! verdict needs at least [`RUNS_FOR_A_VERDICT`] runs on each side and rests on Welch's t test of the runs' means. With
//! one run on a side the intervals are those inside the runs, and there is no verdict. Nor is there one between runs that
//! did not measure the same, unless it is asked for ([`Terms::different`]).

mod answer;
mod asked;
mod control;
mod drift;
mod environment_facts;
mod facts;
mod figures;
mod gate;
mod gate_words;
mod holm;
mod metric;
mod offered;
mod order;
mod power;
mod remarks;
mod repeats;
mod rule;
mod step;
mod table;
mod terms;
mod trouble;
mod welch;

pub use drift::drift;
pub use facts::{Fact, FactDifference, MeasuredDifference};
pub use figures::{RunFigures, StepFigures, StepKind};
pub use gate::{GateOutcome, GateResult, GateStep, GateTest};
pub use metric::Metric;
pub use power::{FurtherRuns, POWER};
pub use remarks::{Remark, lines as remark_lines};
pub use rule::{FailRule, Limit, RuleError, Side};
pub use step::{Basis, MetricComparison, Outcome, StepComparison};
pub use table::steps_of;
pub use terms::{Confidence, ConfidenceError, Terms};
pub use welch::Welch;

use crate::{Record, RecordError, RunStatus};
use plimsoll_evidence::Environment;
use serde::Serialize;
use step::StepSides;

/// Runs on each side that a verdict needs.
pub const RUNS_FOR_A_VERDICT: usize = 5;

/// A difference of less than this part of A's mean is too small to matter.
pub const PRACTICAL: f64 = 0.02;

/// Result of comparing two groups of runs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// Records of side A; of one that holds repeats also how many.
    pub a: Vec<String>,
    /// Records of side B.
    pub b: Vec<String>,
    /// Number of runs of A: each repeat in a record is one.
    pub runs_a: usize,
    /// Number of runs of B.
    pub runs_b: usize,
    /// Sides of the runs, by start: `ABBA`.
    pub order: String,
    /// Confidence of a verdict, percent.
    pub confidence_percent: Confidence,
    /// Differences of what was measured, which is not the same in all runs. Without leave to compare all the same there is no verdict on
    /// it.
    pub measured: Vec<MeasuredDifference>,
    /// True where runs that differ in what was measured have verdicts all the same.
    pub different: bool,
    /// Reason why there is no verdict at all; `None` where there may be some.
    pub withheld: Option<String>,
    /// Other differences: build, host and targets.
    pub environment: Vec<FactDifference>,
    /// The steps that both sides have, in A's order.
    pub steps: Vec<StepComparison>,
    /// Steps that B lacks.
    pub only_in_a: Vec<String>,
    /// Steps that A lacks.
    pub only_in_b: Vec<String>,
    /// The rules that were asked for.
    pub gates: Vec<GateResult>,
    /// Number of tests that the gates made, over all rules and steps; the family that Holm's method is about.
    pub gate_tests: usize,
    /// Notes to bear in mind, one sentence each.
    pub notes: Vec<String>,
    /// Remarks of the runs on themselves as a whole.
    pub remarks: Vec<Remark>,
}

impl Comparison {
    /// Outcome of all gates together: one that fails makes all fail, and all have to pass. `None` where there is no gate.
    pub fn outcome(&self) -> Option<GateOutcome> {
        let any = |outcome| self.gates.iter().any(|gate| gate.outcome == outcome);
        let wanted = [
            GateOutcome::Fails,
            GateOutcome::Undecided,
            GateOutcome::Passes,
        ];
        wanted.into_iter().find(|outcome| any(*outcome))
    }
}

/// Compares records: `a` is the base, `b` what is judged.
///
/// # Errors
/// Where a record cannot be read, where the sides have no step in common, and where neither has a step that is named.
pub fn compare(a: &[Record], b: &[Record], terms: &Terms) -> Result<Comparison, RecordError> {
    let figures = |records: &[Record]| {
        let each: Result<Vec<_>, _> = records.iter().map(RunFigures::each_of).collect();
        each.map(|runs| runs.concat())
    };
    compare_runs(&figures(a)?, &figures(b)?, terms)
}

/// Compares runs, whatever they were taken from: `a` is the base, `b` what is judged.
///
/// # Errors
/// Where the sides have no step in common, and where neither has a step that is named.
pub fn compare_runs(
    a: &[RunFigures],
    b: &[RunFigures],
    terms: &Terms,
) -> Result<Comparison, RecordError> {
    let comparison = compare_figures(a, b, terms);
    let names = comparison.steps.iter().map(|step| &step.name);
    let lone = comparison.only_in_a.iter().chain(&comparison.only_in_b);
    let known: Vec<&String> = names.chain(lone).collect();
    if let Some(unknown) = terms.steps.iter().find(|name| !known.contains(name)) {
        return Err(RecordError::NoSuchStep {
            step: unknown.clone(),
            known: listed(&all_names(a, b)),
        });
    }
    let has = |metric: Metric, runs: &[RunFigures]| {
        let mut steps = runs.iter().flat_map(|run| &run.steps);
        steps.any(|step| step.kind.has(metric))
    };
    let mut of_answers = terms.rules.iter().map(|rule| rule.metric);
    let lacking = of_answers.find(|m| m.kind() != StepKind::Measured && !has(*m, a) && !has(*m, b));
    if let Some(metric) = lacking {
        return Err(RecordError::NoAnswer {
            metric: metric.name(),
            method: match metric.kind() {
                StepKind::Capacity => "curve",
                _ => "disturb",
            },
        });
    }
    // A side that finished nothing has lost its steps, and a gate has something to say of that.
    let none = |runs: &[RunFigures]| runs.iter().all(|run| run.steps.is_empty());
    let lost = !terms.rules.is_empty() && none(a) != none(b);
    match comparison.steps.is_empty() && terms.steps.is_empty() && !lost {
        true => Err(RecordError::NothingInCommon {
            a: listed(&comparison.only_in_a),
            b: listed(&comparison.only_in_b),
        }),
        false => Ok(comparison),
    }
}

/// Differences between the hosts and the targets of two runs, whatever they measured. Targets are those of one name; where the runs have
/// none in common, those of one place.
pub fn compare_places(a: &Record, b: &Record) -> Vec<FactDifference> {
    let (mut a, mut b) = (a.environment().clone(), b.environment().clone());
    let names = |of: &Environment| of.targets.iter().map(|t| t.name.clone()).collect();
    let (of_a, of_b): (Vec<String>, Vec<String>) = (names(&a), names(&b));
    let common: Vec<&String> = of_a.iter().filter(|name| of_b.contains(name)).collect();
    let mut found = Vec::new();
    if !common.is_empty() {
        if of_a.iter().any(|n| !of_b.contains(n)) || of_b.iter().any(|n| !of_a.contains(n)) {
            found.push(FactDifference {
                name: "targets".into(),
                a: vec![of_a.join(", ")],
                b: vec![of_b.join(", ")],
            });
        }
        for side in [&mut a, &mut b] {
            let all = std::mem::take(&mut side.targets);
            let named = |name: &&String| all.iter().find(|t| t.name == **name).cloned();
            side.targets = common.iter().filter_map(named).collect();
        }
    }
    let facts = [&a, &b].map(|side| {
        let mut all = environment_facts::of_place(side);
        all.extend(environment_facts::of_identity(side));
        all
    });
    found.extend(facts::of_places(&[&facts[0]], &[&facts[1]]));
    found
}

fn all_names(a: &[RunFigures], b: &[RunFigures]) -> Vec<String> {
    let steps = StepSides::all(a, b).into_iter();
    steps.map(|step| step.name).collect()
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
pub fn compare_figures(a: &[RunFigures], b: &[RunFigures], terms: &Terms) -> Comparison {
    let (a, again_a) = repeats::distinct(a);
    let (b, again_b) = repeats::distinct(b);
    let (a, b) = (a.as_slice(), b.as_slice());
    let mut sides = StepSides::all(a, b);
    sides.retain(|step| terms.steps.is_empty() || terms.steps.contains(&step.name));
    let (shared, lone): (Vec<_>, Vec<_>) = sides.iter().partition(|step| step.is_shared());
    let measured = facts::of_measurement(a, b, &shared);
    let withheld = withheld(a, b, &measured, terms);
    let all_barred = withheld.as_ref().map(|(outcome, _)| *outcome);
    let withheld = withheld.map(|(_, why)| why);
    let of_step = |name: &str| withheld.clone().or_else(|| unlike(name, &measured, terms));
    let barred = |name: &str| all_barred.or(of_step(name).is_some().then_some(Outcome::NotAlike));
    let alpha = terms.confidence.alpha();
    let halves = control::Halves::of(a);
    let of_both = |sides: &&StepSides| {
        let mut step = step::compare(sides);
        step.notes
            .extend(halves.as_ref().and_then(|h| h.note(sides)));
        step
    };
    let mut steps: Vec<StepComparison> = shared.iter().map(of_both).collect();
    step::judge(&mut steps, barred, alpha);
    for (step, sides) in steps.iter_mut().zip(&shared) {
        step.notes.extend(drift::notes(step, sides));
    }
    let gates = gate::judge(&terms.rules, &sides, &of_step, alpha);
    let judged = gates.iter().flat_map(|gate| &gate.steps);
    let said = |runs: &[RunFigures]| -> Vec<Vec<String>> {
        runs.iter().map(|run| run.notes.clone()).collect()
    };
    let only = |is: fn(&StepSides) -> bool| -> Vec<String> {
        let lone = lone.iter().filter(|step| is(step));
        lone.map(|step| step.name.clone()).collect()
    };
    let order = order::order(a, b);
    let mut notes = notes(a, b, &order);
    notes.extend(again_a.into_iter().chain(again_b));
    notes.extend(withheld.as_ref().map(|why| format!("No verdict: {why}.")));
    Comparison {
        a: repeats::records(a),
        b: repeats::records(b),
        runs_a: a.len(),
        runs_b: b.len(),
        order,
        confidence_percent: terms.confidence,
        different: terms.different,
        environment: facts::of_environment(a, b),
        steps,
        only_in_a: only(|step| !step.of_a().is_empty()),
        only_in_b: only(|step| !step.of_b().is_empty()),
        gate_tests: judged.filter(|step| step.test.is_some()).count(),
        gates,
        notes,
        remarks: remarks::grouped(&said(a), &said(b)),
        measured,
        withheld,
    }
}

/// Notes on the runs, one sentence each.
fn notes(a: &[RunFigures], b: &[RunFigures], order: &str) -> Vec<String> {
    let both = || a.iter().chain(b);
    let mut notes = few_runs(a.len(), b.len());
    match both().all(|run| run.simulated) {
        // Virtual time does not drift.
        true => notes.push("All runs are simulated: nothing real was measured.".into()),
        false => notes.extend(order::note(order)),
    }
    if both().any(|run| run.repeat.is_some()) {
        notes.push(
            "Repeats inside one record count as runs: what changes from one sitting to the next is not in their spread, so that a verdict \
             holds for these sittings alone."
                .into(),
        );
    }
    notes.extend(
        repeats::weights('A', a)
            .into_iter()
            .chain(repeats::weights('B', b)),
    );
    notes.extend(both().flat_map(|run| run.left_out.clone()));
    let ended = both().filter(|run| run.status != RunStatus::Completed);
    notes.extend(ended.map(|run| format!("{} is {}.", run.name(), run.status)));
    notes
}

/// Reason why there is no verdict on one step: its runs were asked to do different things.
fn unlike(step: &str, measured: &[MeasuredDifference], terms: &Terms) -> Option<String> {
    let of_step = measured
        .iter()
        .filter(|d| d.steps.iter().any(|name| name == step));
    let names: Vec<&str> = of_step.map(|d| d.fact.name.as_str()).collect();
    (!terms.different && !names.is_empty()).then(|| not_the_same(&names))
}

/// Reason why there is no verdict on any step.
fn withheld(
    a: &[RunFigures],
    b: &[RunFigures],
    measured: &[MeasuredDifference],
    terms: &Terms,
) -> Option<(Outcome, String)> {
    if let Some(run) = a
        .iter()
        .find(|run| b.iter().any(|other| repeats::is_one_run(run, other)))
    {
        let why = format!(
            "{} is on both sides, and a run is no repeat of itself",
            run.name()
        );
        return Some((Outcome::SameRun, why));
    }
    let pairs = || {
        a.iter()
            .flat_map(|one| b.iter().map(move |other| (one, other)))
    };
    if let Some((one, other)) = pairs().find(|(one, other)| repeats::is_replay(one, other)) {
        let why = format!(
            "{} is the same simulated run as {}, with the same seed ({}), so the sides are not independent: give each run its own",
            one.name(),
            other.name(),
            one.seed
        );
        return Some((Outcome::SameRun, why));
    }
    if let Some(run) = a.iter().chain(b).find(|run| run.invalid) {
        let why = format!("{} was found invalid as a whole", run.label);
        return Some((Outcome::InvalidRun, why));
    }
    let of_runs = measured.iter().filter(|d| d.steps.is_empty());
    let names: Vec<&str> = of_runs.map(|d| d.fact.name.as_str()).collect();
    (!terms.different && !names.is_empty()).then(|| (Outcome::NotAlike, not_the_same(&names)))
}

fn not_the_same(facts: &[&str]) -> String {
    format!(
        "the sides did not measure the same: {} (--different compares all the same)",
        facts.join(", ")
    )
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
