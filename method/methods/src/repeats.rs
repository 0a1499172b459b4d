//! Verdict over the repeats of a plan: what their spread says.
//!
//! What changes slowly with time changes rounds, and not the steps of one round. Each repeat keeps its steps and verdicts under names
//! of its own (`rd1#2`), so that nothing else needs to know of repeats; the verdict over all of them comes last.

mod figures;
mod words;

use crate::method::ran_its_time;
use crate::over_repeats::drift;
use figures::{Repeated, of_steps, of_verdicts};
use plimsoll_evidence::{Figure, MethodVerdict, Quantity, REPEATS, StepEvidence, Verdict};
use plimsoll_plan::{Item, Plan, name_without_repeat, repeat_name, repeat_of};
use std::collections::BTreeSet;

/// The verdict over the repeats of a plan that is through; `None` where it repeats nothing.
pub(crate) fn verdict(
    plan: &Plan,
    completed: &[StepEvidence],
    verdicts: &[Verdict],
) -> Option<Verdict> {
    let (round, times) = plan.round()?;
    let over = Over::of(&round, times, completed, verdicts);
    let drift = drift(over.groups.iter().map(|(_, steps)| steps.as_slice()));
    let mut runs: Vec<String> = Vec::new();
    for run in round.items.iter().filter_map(|i| i.steps().first()) {
        if !runs.contains(&run.run) {
            runs.push(run.run.clone());
        }
    }
    // One that was cut off is no repeat of the others.
    let whole = times - over.cut.len() as u32;
    let class = match (whole < times, drift.is_some()) {
        (true, _) => "incomplete",
        (false, true) => "drifting",
        (false, false) => "complete",
    };
    let count = Quantity::Count(times.into());
    let mut all = vec![Figure::new(REPEATS, "repeats", count)];
    all.extend(over.figures.iter().map(Repeated::figure));
    Some(Verdict::Method(MethodVerdict {
        method: REPEATS.into(),
        run: match runs.as_slice() {
            [run] => run.clone(),
            _ => REPEATS.into(),
        },
        class: class.into(),
        decided: whole == times,
        sentence: words::sentence((whole, times), &runs, &over.figures),
        figures: all,
        tables: words::table(&over.groups).into_iter().collect(),
        charts: Vec::new(),
        findings: drift.into_iter().collect(),
    }))
}

/// Steps of one name, one of each repeat.
type Group<'s> = (String, Vec<&'s StepEvidence>);

/// All that stands in every repeat, side by side.
struct Over<'s> {
    figures: Vec<Repeated>,
    groups: Vec<Group<'s>>,
    /// Numbers of the repeats that did not come to their end.
    cut: BTreeSet<u32>,
}

impl<'s> Over<'s> {
    fn of(round: &Plan, times: u32, completed: &'s [StepEvidence], verdicts: &[Verdict]) -> Self {
        let ended_early = completed.iter().filter(|s| !s.fill && !ran_its_time(s));
        let numbers = ended_early.filter_map(|s| Some(repeat_of(&s.run)?.1));
        let mut over = Over {
            figures: Vec::new(),
            groups: Vec::new(),
            cut: numbers.filter(|n| *n <= times).collect(),
        };
        for item in &round.items {
            let Some(base) = item.steps().first() else {
                continue;
            };
            match item {
                Item::Step(_) => {
                    let steps = named(completed, &base.run, &base.name, times);
                    over.figures.extend(of_steps(&base.name, &steps));
                    over.groups.push((base.name.clone(), steps));
                }
                Item::Curve(_) | Item::Method(_) => {
                    let of_repeat = |number: u32| {
                        let run = repeat_name(&base.run, number);
                        verdicts.iter().find(|v| v.run() == run)
                    };
                    let whole = (1..=times).filter(|n| !over.cut.contains(n));
                    let own: Vec<&Verdict> = whole.filter_map(of_repeat).collect();
                    over.figures.extend(of_verdicts(&base.run, &own));
                    over.groups.extend(points(completed, &own, times));
                }
            }
        }
        over.groups.retain(|(_, steps)| !steps.is_empty());
        over
    }
}

/// A step in each of its repeats that ran its time.
fn named<'s>(
    completed: &'s [StepEvidence],
    run: &str,
    name: &str,
    times: u32,
) -> Vec<&'s StepEvidence> {
    let in_repeat = |number: u32| {
        let run = repeat_name(run, number);
        let is = |s: &&StepEvidence| {
            !s.fill && s.run == run && name_without_repeat(&s.name, &s.run) == name
        };
        completed.iter().find(is).filter(|s| ran_its_time(s))
    };
    (1..=times).filter_map(in_repeat).collect()
}

/// The points of curves that every repeat has: points that are chosen as the curve shows them may differ.
fn points<'s>(
    completed: &'s [StepEvidence],
    verdicts: &[&Verdict],
    times: u32,
) -> Vec<(String, Vec<&'s StepEvidence>)> {
    let Some(Verdict::Curve(first)) = verdicts.first() else {
        return Vec::new();
    };
    let run = repeat_of(&first.run).map_or("", |(run, _)| run);
    let of_all = |name: &str| {
        let name = name_without_repeat(name, &first.run);
        let steps = named(completed, run, &name, times);
        (steps.len() >= verdicts.len()).then_some((name, steps))
    };
    let points = first.points.iter();
    points.filter_map(|p| of_all(&p.name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use plimsoll_evidence::{End, Estimate};
    use plimsoll_plan::{Load, Nanos, Step};

    fn plan(names: &[&str]) -> Plan {
        let step =
            |name: &&str| Item::Step(Step::new(*name, vec![], vec![], Load::Max, Nanos::secs(1)));
        Plan::new(vec![], names.iter().map(step).collect())
    }

    fn done(number: u32, name: &str, rate: f64) -> StepEvidence {
        StepEvidence {
            rate: Estimate::bare(rate),
            counted_s: 1.0,
            ios: rate as u64,
            ..StepEvidence::new(number, name)
        }
    }

    fn over(plan: &Plan, steps: &[StepEvidence]) -> Option<MethodVerdict> {
        match verdict(plan, steps, &[])? {
            Verdict::Method(method) => Some(method),
            Verdict::Curve(_) => None,
        }
    }

    #[test]
    fn rounds_follow_each_other_and_every_step_has_its_repeats_and_their_interval() {
        let plan = plan(&["a", "b"]).repeated(3);
        let names: Vec<&str> = plan.steps().map(|s| s.name.as_str()).collect();
        assert_eq!(names, ["a#1", "b#1", "a#2", "b#2", "a#3", "b#3"]);
        let rates = [100.0, 10.0, 102.0, 10.0, 98.0, 10.0];
        let steps = (1u32..).zip(names).zip(rates);
        let steps: Vec<_> = steps.map(|((n, name), rate)| done(n, name, rate)).collect();
        let verdict = over(&plan, &steps).unwrap();
        let figure = verdict.figures.iter().find(|f| f.name == "a.rate").unwrap();
        assert_eq!(figure.quantity, Some(Quantity::PerSecond(100.0)));
        // Standard deviation 2, so 4.303 * 2 / sqrt(3).
        let (low, high) = figure.interval.unwrap();
        assert!((high - 104.968).abs() < 0.01 && (low - 95.032).abs() < 0.01);
        assert_eq!(verdict.tables[0].rows.len(), 6);
        assert_eq!(verdict.class, "complete");
        assert!(
            verdict.sentence.contains("2.0% at most, at a"),
            "{}",
            verdict.sentence
        );
    }

    #[test]
    fn a_target_that_changes_from_repeat_to_repeat_is_told() {
        let plan = plan(&["a"]).repeated(5);
        let steps = (1u32..=5).map(|n| done(n, &format!("a#{n}"), 100.0 + 10.0 * f64::from(n)));
        let verdict = over(&plan, &steps.collect::<Vec<_>>()).unwrap();
        assert_eq!(verdict.class, "drifting");
        assert_eq!(verdict.findings[0].rule, "target-changed");
    }

    #[test]
    fn a_repeat_that_was_cut_off_is_in_no_mean() {
        let plan = plan(&["a"]).repeated(3);
        let mut steps = [
            done(1, "a#1", 100.0),
            done(2, "a#2", 102.0),
            done(3, "a#3", 20.0),
        ];
        steps[2].end = End::Interrupted;
        let verdict = over(&plan, &steps).unwrap();
        let figure = verdict.figures.iter().find(|f| f.name == "a.rate").unwrap();
        assert_eq!(figure.quantity, Some(Quantity::PerSecond(101.0)));
        assert_eq!(
            (verdict.class.as_str(), verdict.decided),
            ("incomplete", false)
        );
        assert!(
            verdict.sentence.starts_with("2 whole of 3 repeats of a"),
            "{}",
            verdict.sentence
        );
    }
}
