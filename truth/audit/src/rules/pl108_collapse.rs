//! The rate fell during the run and stayed down.

use crate::repair;
use crate::{Answer, Check, INVALID, Page, Part, Rule, RunView, SUSPECT, Seen, Severities};
use plimsoll_evidence::{Quantity, StepEvidence};
use plimsoll_printable::human;

pub const RULE: Rule = Rule {
    number: 108,
    name: "collapse",
    summary: "The rate fell during the run and stayed down.",
    severity: Severities::of([SUSPECT, SUSPECT, INVALID, INVALID, SUSPECT]),
    pitfalls: &[14, 24, 11],
    page: Page {
        why: "What storage gives at first, it may take back: a write cache is full, an SLC window ends, garbage collection \
            begins, burst credits are spent; or the host lost its CPU. The mean over both is a rate that was never there.",
        threshold: "A point from which on the median rate is less than 70 % of that before, with at least a tenth of the time, \
            five intervals and 3 s on each side, and three quarters of the later intervals below three quarters of the \
            earlier ones.",
        source: "SNIA and vendors call a fall of 20 % a cliff; 30 % and the separation are our proposal, to leave out what only \
            scatters. A published run fell from 105,000 to 31,000/s.",
        example: "105,000/s for 20 minutes, then 31,000/s: the mean of 68,000 was at no time the rate.",
        remedy: "Report both levels. Blame the host only where the run shows it (steal, a generator that stood still, a flat \
            service time of the array); else the cause cannot be told. `plimsoll soak` measures such a course.",
    },
    check: Check::Run(check),
};

fn check(view: &RunView<'_>) -> Answer {
    let plain = |s: &&StepEvidence| {
        let windows = s.streams.iter().any(|stream| stream.counted_s.is_some());
        let own = view.verdicts.iter().any(|v| v.run() == s.run);
        s.offered.is_none() && s.actions.is_empty() && !windows && !own
    };
    let steps: Vec<&StepEvidence> = view.measured().filter(plain).collect();
    if steps.is_empty() {
        return Answer::NotApplicable;
    }
    let known = |s: &&StepEvidence| {
        view.course(s.number)
            .is_some_and(|c| c.parts.len() >= 2 * LEAST)
    };
    if !steps.iter().any(known) {
        return Answer::NotObservable("a step of at least ten intervals");
    }
    Answer::of(steps.into_iter().filter_map(|step| {
        let course = view.course(step.number)?;
        let rates: Vec<f64> = course.parts.iter().map(Part::rate).collect();
        let (at, before, after) = fall(&rates)?;
        let length = |parts: &[Part]| parts.iter().map(Part::seconds).sum::<f64>();
        let (first, second) = course.parts.split_at(at);
        if length(first).min(length(second)) < LEAST_S {
            return None;
        }
        let seconds = course.parts[at].start_ns as f64 / 1e9;
        let message = format!(
            "From {} on it did {}/s, before that {}/s: the mean of {}/s was at no time the rate.",
            human::duration(seconds),
            human::rate(after),
            human::rate(before),
            human::rate(step.rate.mean)
        );
        Some(
            Seen::new(message)
                .step(step.number)
                .value("before", Quantity::PerSecond(before))
                .value("after", Quantity::PerSecond(after))
                .repaired(&repair::before_fall(step, first)),
        )
    }))
}

/// Where the rates fall and stay down: the first index of the later part, and both medians.
fn fall(rates: &[f64]) -> Option<(usize, f64, f64)> {
    let least = LEAST.max(rates.len() / 10);
    let mut best: Option<(f64, usize, f64, f64)> = None;
    for at in least..=rates.len().checked_sub(least)? {
        let (first, second) = rates.split_at(at);
        let [low, before, _] = quartiles(first);
        let [_, after, high] = quartiles(second);
        // How much of all time a step between two levels explains.
        let weight = (before - after) * (at as f64 * (rates.len() - at) as f64).sqrt();
        let fell = after < FELL * before && high < low;
        if fell && best.is_none_or(|(most, ..)| weight > most) {
            best = Some((weight, at, before, after));
        }
    }
    best.map(|(_, at, before, after)| (at, before, after))
}

fn quartiles(values: &[f64]) -> [f64; 3] {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    [1, 2, 3].map(|q| {
        sorted
            .get((sorted.len() - 1) * q / 4)
            .copied()
            .unwrap_or_default()
    })
}

const FELL: f64 = 0.7;
const LEAST: usize = 5;
/// Seconds that each part has to have: what is shorter comes and goes.
const LEAST_S: f64 = 3.0;

#[cfg(test)]
pub const KNOWN: crate::known::Known = crate::known::Known::Run {
    fires: |o| {
        o.courses = vec![crate::known::course(
            |n| if n < 300 { 105_000 } else { 31_000 },
        )]
    },
    clean: |o| o.courses = vec![crate::known::course(|n| 10_000 + n * 37 % 4_000)],
};
