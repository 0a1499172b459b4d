//! The disturbance: a constant load, something that happens to its target, and what the application noticed of it.

mod cells;
mod charts;
mod dip;
mod doubts;
mod figures;
mod lines;
mod repeat;

use crate::method::{Method, ran_its_time};
use crate::next::Next;
use plimsoll_evidence::{End, MethodVerdict, StepEvidence, Verdict};
use plimsoll_plan::{DisturbSpec, Load, Rate, Step, depth};
use repeat::{Class, Repeat};

/// The state machine of a disturbance.
#[derive(Debug, Clone, PartialEq)]
pub struct Disturb {
    base: Option<Step>,
    spec: DisturbSpec,
}

impl Disturb {
    /// Of the step that is repeated.
    pub fn new(steps: &[Step], spec: &DisturbSpec) -> Self {
        Disturb {
            base: steps.first().cloned(),
            spec: spec.clone(),
        }
    }

    /// The step of a repeat, from 1; `maximum` is what the target carried in the short maximum.
    fn repeat(&self, base: &Step, number: usize, maximum: Option<f64>) -> Step {
        let mut step = Step {
            name: format!("{}_({number})", base.name),
            ..base.clone()
        };
        if let (Load::PercentOfLast { percent, arrival }, Some(rate)) = (&base.load, maximum) {
            let rate = held(rate * percent / 100.0);
            let targets = step.depths.len();
            let largest = step.streams.iter().map(|s| s.size.max()).max();
            let enough = depth::open_slots(rate, largest.unwrap_or_default(), targets);
            for of_target in &mut step.depths {
                of_target.slots = of_target.slots.min(enough);
            }
            step.load = Load::rate(Rate(rate), *arrival);
        }
        step
    }
}

/// A rate with three digits, and more than nothing.
fn held(rate: f64) -> f64 {
    let unit = 10f64.powf(rate.max(1.0).log10().floor() - 2.0).max(1.0);
    ((rate / unit).round() * unit).max(1.0)
}

impl Method for Disturb {
    fn next(&self, completed: &[&StepEvidence]) -> Next {
        let Some(base) = &self.base else {
            return Next::Done(None);
        };
        let finds = self.spec.maximum_of(base);
        let (maximum, repeats) = match (&finds, completed) {
            (Some(step), []) => return Next::Step(Box::new(step.clone())),
            (Some(_), [first, rest @ ..]) => (Some(*first), rest),
            (None, all) => (None, all),
        };
        let goes_on = |done: &&StepEvidence| ran_its_time(done);
        let carried = maximum.is_none_or(|m| goes_on(&m) && m.rate.mean > 0.0);
        let last_well = repeats
            .last()
            .is_none_or(|last| goes_on(last) && repeat::was_done(last));
        if carried && last_well && repeats.len() < self.spec.times as usize {
            let rate = maximum.map(|m| m.rate.mean);
            let step = self.repeat(base, repeats.len() + 1, rate);
            return Next::Step(Box::new(step));
        }
        // Without a single repeat there is nothing to judge.
        let verdict = (!repeats.is_empty()).then(|| Verdict::Method(verdict(base, repeats)));
        Next::Done(verdict)
    }
}

fn verdict(base: &Step, steps: &[&StepEvidence]) -> MethodVerdict {
    let repeats: Vec<Repeat> = steps.iter().map(|step| Repeat::of(base, step)).collect();
    let seen: Vec<&Repeat> = repeats.iter().filter(|r| r.seen.is_some()).collect();
    let worst = seen.iter().filter_map(|r| r.class()).max();
    let findings = doubts::findings(&repeats);
    let blocked = findings
        .iter()
        .any(|f| doubts::UNDECIDED.contains(&f.rule.as_str()));
    // That I/Os failed is an answer, however the step ended.
    let failed = worst.is_some_and(|class| class >= Class::Disruptive)
        && seen.iter().any(|r| r.errors() > 0);
    let cut_off = steps
        .iter()
        .any(|s| !(ran_its_time(s) || s.end == End::Errors && failed));
    let decided = worst.is_some() && !cut_off && (failed || !blocked);
    MethodVerdict {
        method: "disturb".into(),
        run: base.run.clone(),
        class: match (decided, worst) {
            (true, Some(class)) => class.name().into(),
            _ => "undecided".into(),
        },
        decided,
        sentence: figures::sentence(&seen, worst.filter(|_| decided), repeats.len()),
        figures: figures::figures(&seen),
        tables: figures::tables(&seen),
        charts: charts::charts(&seen),
        findings,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_that_is_held_has_three_digits() {
        let cases = [
            (0.2, 1.0),
            (45.3, 45.0),
            (1234.5, 1230.0),
            (119_600.0, 120_000.0),
        ];
        for (rate, expected) in cases {
            assert_eq!(held(rate), expected, "{rate}");
        }
    }
}
