//! Gates: a rule judged on every step, with three answers.
//!
//! A gate is a test of non-inferiority. It *passes* only where the data excludes that the limit is passed, it *fails* where
//! they show that it is, and it is *undecided* otherwise. All gated comparisons, each step of each rule, are one family: the
//! chance that any pass is wrong, and the chance that any failure is, stays below what the confidence leaves (Holm).

use super::holm::adjusted;
use super::power::{FurtherRuns, detectable, further_runs};
use super::rule::{FailRule, Limit, Side};
use super::step::StepSides;
use super::trouble::{Soundness, soundness};
use super::welch::{Contrast, Runs};
use super::{RUNS_FOR_A_VERDICT, gate_words};
use serde::Serialize;
use std::fmt;

/// Outcome of a gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum GateOutcome {
    /// The data excludes that the limit is passed.
    Passes,
    /// The data shows that the limit is passed, or one side alone has no sound result.
    Fails,
    /// The data allows both.
    Undecided,
}

impl fmt::Display for GateOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            GateOutcome::Passes => "passes",
            GateOutcome::Fails => "fails",
            GateOutcome::Undecided => "undecided",
        })
    }
}

/// A rule judged on all steps.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GateResult {
    /// The rule as it can be written: `iops < -3%`.
    pub gate: String,
    /// The rule.
    pub rule: FailRule,
    /// Outcome of the gate: it fails where a step fails, and passes where all do.
    pub outcome: GateOutcome,
    /// Each step that it was judged on.
    pub steps: Vec<GateStep>,
}

/// A rule judged on one step.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GateStep {
    /// The step's name.
    pub step: String,
    /// Outcome of the gate for the step.
    pub outcome: GateOutcome,
    /// Reason, in a sentence without the outcome's word.
    pub text: String,
    /// The test, where there was one.
    pub test: Option<GateTest>,
    /// Distance from no difference that runs like these would have seen, in percent of A's mean for a rule in percent, else in the metric's
    /// unit; for a limit of the value itself, distance from the limit. `None` where spreads are not known.
    pub detectable: Option<f64>,
    /// Number of further runs that would decide, where the gate is undecided for the runs alone.
    pub further_runs: Option<FurtherRuns>,
}

/// A test of one step against one limit.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct GateTest {
    /// Value that was measured, in the unit of the rule's limit: percent of A's mean, or the metric's own.
    pub measured: f64,
    /// Chance to measure this where the limit is passed: small where the gate passes.
    pub p_pass: f64,
    /// Chance to measure this where the limit is kept: small where the gate fails.
    pub p_fail: f64,
    /// `p_pass`, made larger for the number of tests (Holm).
    pub p_pass_holm: f64,
    /// `p_fail`, made larger for the number of tests (Holm).
    pub p_fail_holm: f64,
}

/// Reason why a step has no verdict, whatever was measured.
pub(super) type Withheld<'a> = &'a dyn Fn(&str) -> Option<String>;

/// State of a rule on a step before the family is judged.
enum Draft {
    /// Outcome that was decided, or cannot be, without a test.
    Said(GateOutcome, String),
    /// Runs too few for a test; with what they show where there are two of each.
    Few(Option<Measured>, usize),
    /// A test.
    Tested(Measured),
}

/// Result of a step's runs.
#[derive(Clone, Copy)]
struct Measured {
    /// Above 0 where the limit is kept.
    kept: Contrast,
    /// Value that was measured, in the limit's unit.
    value: f64,
    /// Divisor of a difference that puts it into the limit's unit.
    scale: f64,
}

/// Judges all rules on all steps. `alpha` is the chance of error that the confidence leaves.
pub(super) fn judge(
    rules: &[FailRule],
    steps: &[StepSides],
    withheld: Withheld,
    alpha: f64,
) -> Vec<GateResult> {
    let drafts: Vec<Vec<Draft>> = rules
        .iter()
        .map(|rule| {
            of_rule(rule, steps)
                .map(|s| draft(rule, s, withheld))
                .collect()
        })
        .collect();
    let family = Family::of(drafts.iter().flatten(), alpha);
    let mut tests = family.tests.iter();
    rules
        .iter()
        .zip(drafts)
        .map(|(rule, drafts)| {
            let judged = of_rule(rule, steps).zip(drafts).map(|(step, draft)| {
                let test = match &draft {
                    Draft::Tested(_) => tests.next().copied(),
                    _ => None,
                };
                finish(rule, step, draft, test, &family)
            });
            let steps: Vec<GateStep> = judged.collect();
            GateResult {
                gate: rule.to_string(),
                rule: *rule,
                outcome: overall(&steps),
                steps,
            }
        })
        .collect()
}

/// Steps that a rule is about: the report of a disturbance and a curve's capacity have figures that no step has, and the other way round.
fn of_rule<'s, 'f>(
    rule: &FailRule,
    steps: &'s [StepSides<'f>],
) -> impl Iterator<Item = &'s StepSides<'f>> {
    let metric = rule.metric;
    steps.iter().filter(move |s| s.kind().has(metric))
}

/// One that fails makes all fail; no step at all decides nothing.
fn overall(steps: &[GateStep]) -> GateOutcome {
    let any = |outcome| steps.iter().any(|s| s.outcome == outcome);
    if any(GateOutcome::Fails) {
        GateOutcome::Fails
    } else if any(GateOutcome::Undecided) || steps.is_empty() {
        GateOutcome::Undecided
    } else {
        GateOutcome::Passes
    }
}

/// All tests of a comparison.
struct Family {
    tests: Vec<GateTest>,
    alpha: f64,
    /// The level at which what is undecided would have to pass, and to fail: Holm's next step, with a test for each step
    /// that has too few runs as yet.
    next: [f64; 2],
}

impl Family {
    fn of<'d>(drafts: impl Iterator<Item = &'d Draft>, alpha: f64) -> Self {
        let mut measured: Vec<Measured> = Vec::new();
        let mut few = 0;
        for draft in drafts {
            match draft {
                Draft::Tested(one) => measured.push(*one),
                Draft::Few(..) => few += 1,
                Draft::Said(..) => {}
            }
        }
        let passes: Vec<f64> = measured.iter().map(|m| m.kept.p_above()).collect();
        let fails: Vec<f64> = measured.iter().map(|m| m.kept.p_below()).collect();
        let (passes_holm, fails_holm) = (adjusted(&passes), adjusted(&fails));
        let next = |adjusted: &[f64]| {
            let left = few + adjusted.iter().filter(|p| **p >= alpha).count();
            alpha / left.max(1) as f64
        };
        let tests = measured.iter().enumerate().map(|(i, m)| GateTest {
            measured: m.value,
            p_pass: passes[i],
            p_fail: fails[i],
            p_pass_holm: passes_holm[i],
            p_fail_holm: fails_holm[i],
        });
        Family {
            tests: tests.collect(),
            alpha,
            next: [next(&passes_holm), next(&fails_holm)],
        }
    }
}

fn draft(rule: &FailRule, step: &StepSides, withheld: Withheld) -> Draft {
    let undecided = |text: String| Draft::Said(GateOutcome::Undecided, text);
    // A step that only one side has was not measured otherwise, it was not measured.
    let withheld = withheld(&step.name).filter(|_| step.is_shared());
    if let Some(why) = withheld {
        return undecided(why);
    }
    match soundness(step, rule) {
        Soundness::OneSided(what) => return Draft::Said(GateOutcome::Fails, what),
        Soundness::BothSides(what) => return undecided(what),
        Soundness::Sound => {}
    }
    if step.is_asked_for(rule.metric) {
        let text = "an open loop reaches what it is asked for, and the sides were asked for different rates";
        return undecided(text.into());
    }
    let [a, b] = step.values(rule.metric).map(|side| {
        let means = side.iter().map(|e| e.mean);
        means.collect::<Vec<f64>>()
    });
    let fewest = match rule.limit {
        Limit::Value(_) => b.len(),
        _ => a.len().min(b.len()),
    };
    match measured(rule, &a, &b) {
        Ok(measured) if fewest >= RUNS_FOR_A_VERDICT => Draft::Tested(measured),
        Ok(measured) => Draft::Few(Some(measured), fewest),
        Err(Some(why)) => undecided(why),
        Err(None) => Draft::Few(None, fewest),
    }
}

/// Result of the runs; an error says why that is nothing, or nothing of itself where there are too few of them.
fn measured(rule: &FailRule, a: &[f64], b: &[f64]) -> Result<Measured, Option<String>> {
    let of_b = Runs::of(b).ok_or(None)?;
    let of_a = || Runs::of(a).ok_or(None);
    let width = |mean: f64| rule.metric.resolution(mean);
    let doubt = width(of_b.mean);
    let (contrast, value, scale) = match rule.limit {
        Limit::Value(limit) => (Contrast::alone(of_b, limit, doubt), of_b.mean, 1.0),
        Limit::Change(limit) => {
            let a = of_a()?;
            let doubt = doubt.max(width(a.mean));
            let contrast = Contrast::new(of_b, a, 1.0, limit, doubt);
            (contrast, of_b.mean - a.mean, 1.0)
        }
        Limit::ChangePercent(percent) => {
            let a = of_a()?;
            if a.mean <= 0.0 {
                return Err(Some(
                    "A's mean is 0, and nothing is a percentage of that".into(),
                ));
            }
            let factor = 1.0 + percent / 100.0;
            let doubt = doubt.max(factor * width(a.mean));
            let contrast = Contrast::new(of_b, a, factor, 0.0, doubt);
            let change = (of_b.mean / a.mean - 1.0) * 100.0;
            (contrast, change, a.mean / 100.0)
        }
    };
    if !(contrast.estimate.is_finite() && value.is_finite()) {
        return Err(Some("its numbers are too large to be compared".into()));
    }
    Ok(Measured {
        kept: match rule.fails {
            Side::Below => contrast,
            Side::Above => contrast.turned(),
        },
        value,
        scale,
    })
}

fn finish(
    rule: &FailRule,
    of: &StepSides,
    draft: Draft,
    test: Option<GateTest>,
    family: &Family,
) -> GateStep {
    let step = of.name.clone();
    let (measured, missing) = match draft {
        Draft::Said(outcome, text) => {
            return GateStep {
                step,
                outcome,
                text,
                test: None,
                detectable: None,
                further_runs: None,
            };
        }
        Draft::Few(measured, runs) => (measured, RUNS_FOR_A_VERDICT - runs),
        Draft::Tested(measured) => (Some(measured), 0),
    };
    let outcome = match test {
        Some(test) if test.p_pass_holm < family.alpha => GateOutcome::Passes,
        Some(test) if test.p_fail_holm < family.alpha => GateOutcome::Fails,
        _ => GateOutcome::Undecided,
    };
    let detectable = measured.map(|m| detectable(&m.kept, family.next[1]) / m.scale);
    let further = || {
        let Some(m) = measured else {
            return FurtherRuns::AtLeast { runs: missing };
        };
        let towards = if m.kept.estimate > 0.0 { 0 } else { 1 };
        further_runs(&m.kept, family.next[towards], missing)
    };
    let further_runs = (outcome == GateOutcome::Undecided).then(further);
    let value = measured.map(|m| m.value);
    let mut text = gate_words::sentence(rule, value, outcome, test, detectable, further_runs);
    if of.of_repeats && outcome != GateOutcome::Undecided {
        text += ", within these sittings alone";
    }
    GateStep {
        text,
        step,
        outcome,
        test,
        detectable,
        further_runs,
    }
}
