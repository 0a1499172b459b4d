use crate::{
    Part, RuleAnswer, RuleFinding, RunView, applies, arrays, findings, observable, repair,
};
use plimsoll_evidence::{Quantity, Severity, StepEvidence};
use plimsoll_measure::Op;
use plimsoll_printable::human;

rule! {
    203 "still-warming" Run(check) [NOTE, NOTE, SUSPECT, SUSPECT, NOTE] pitfalls [6, 16] {
        summary: "A cache took more and more of the reads: the run ended before the storage was what it will be.",
        why: "While a cache fills, each interval is a little faster than the one before. The interval of confidence is \
            tight, for the parts are alike; it is tight around a moving target.",
        threshold: "Over the thirds of a step that only reads, the share of requests that need no medium rises each time, from the \
            first to the last by at least 2 points and three times its scatter; a note where the rate would be the same once it has warmed up, or where it \
            fell meanwhile: hits make no rate fall. Not of a disturbance.",
        source: "Measured on the lab: 30 s of random reads on scale-out-flash-8 say +-0.4 % while the cache still fills.",
        example: "The media serve 98 % of the reads in the first ten seconds and 91 % in the last: three minutes later it is 83 \
            %, and the mean is 2 % lower.",
        remedy: "Warm up until the share stays, or measure for several times as long.",
    }
    fires: |o| warming(o, 3.0),
    clean: |o| warming(o, 0.0),
}

fn check(view: &RunView<'_>) -> RuleAnswer {
    let arrays = arrays::of(view)?;
    // A rate of which a part is missing is that of no state.
    let stood_still = |step: &StepEvidence| {
        step.findings
            .iter()
            .any(|f| f.rule.starts_with("target-stood-still"))
    };
    let reads =
        |step: &StepEvidence| step.ops.iter().all(|o| o.op == Op::Read) && !stood_still(step);
    let mut steps: Vec<&StepEvidence> = arrays
        .into_iter()
        .map(|(s, _)| s)
        .filter(|s| reads(s) && view.levels().any(|level| level.number == s.number))
        .collect();
    steps.dedup_by_key(|s| s.number);
    applies(!steps.is_empty())?;
    let known = |s: &&StepEvidence| {
        view.course(s.number)
            .is_some_and(|c| c.parts.iter().filter_map(without_medium).count() >= ENOUGH)
    };
    observable(
        steps.iter().any(known),
        "a step of at least nine intervals of which the arrays told",
    )?;
    findings(steps.into_iter().filter_map(|step| {
        let parts = &view.course(step.number)?.parts;
        let served: Vec<f64> = parts.iter().filter_map(without_medium).collect();
        let (from, to) = rises(&served)?;
        let course = |p: &Part| Some((without_medium(p)?, p.rate()));
        let course: Vec<(f64, f64)> = parts.iter().filter_map(course).collect();
        let message = format!(
            "{} of the requests needed no medium in the first third of the step and {} in the last: it is still warming up.",
            human::percent(from),
            human::percent(to)
        );
        let warm = repair::settled(&course, to, step.depth_mean, step.offered.is_none());
        let same = |clean: &repair::Repaired| (clean.value - step.rate.mean).abs() < SAME * step.rate.mean;
        let is_else = repair::fell(&course);
        let at_most = match warm.as_ref().is_ok_and(same) || is_else {
            true => Severity::Note,
            false => Severity::Invalid,
        };
        Some(
            RuleFinding::new(message)
                .step(step.number)
                .judged("rise", Quantity::Share(to - from), POINTS)
                .value("first", Quantity::Share(from))
                .value("last", Quantity::Share(to))
                .at_most(at_most)
                .repaired(&warm),
        )
    }))
}

/// The share of requests for which no medium was asked, over all arrays.
pub(super) fn without_medium(part: &Part) -> Option<f64> {
    let sum = |of: fn(&plimsoll_evidence::ArrayInterval) -> Option<f64>| -> Option<f64> {
        part.arrays.iter().map(of).sum()
    };
    let (front, back) = (sum(|a| a.front_end_iops)?, sum(|a| a.back_end_iops)?);
    (front > 0.0).then(|| 1.0 - back / front)
}

/// The first and the last third's means, where each third is above the one before by more than chance.
pub(super) fn rises(values: &[f64]) -> Option<(f64, f64)> {
    if values.len() < ENOUGH {
        return None;
    }
    let third = values.len() / 3;
    let thirds = [
        &values[..third],
        &values[third..2 * third],
        &values[2 * third..],
    ];
    let mean = |v: &[f64]| v.iter().sum::<f64>() / v.len() as f64;
    let [first, middle, last] = thirds.map(mean);
    // Differences of neighbours have the scatter without the trend.
    let squares = values
        .windows(2)
        .map(|w| (w[1] - w[0]).powi(2))
        .sum::<f64>();
    let scatter = (squares / 2.0 / (values.len() - 1) as f64).sqrt();
    let of_a_difference = scatter * (2.0 / third as f64).sqrt();
    let sure = last - first > (3.0 * of_a_difference).max(POINTS);
    (sure && first < middle && middle < last).then_some((first, last))
}

const POINTS: f64 = 0.02;
/// A rate that differs by no more is the same.
const SAME: f64 = 0.01;
const ENOUGH: usize = 9;

#[cfg(test)]
pub(super) fn warming(o: &mut crate::known::Observed, by: f64) {
    arrays::with(o, |_| {});
    for (n, part) in o.courses[0].parts.iter_mut().enumerate() {
        part.arrays = vec![plimsoll_evidence::ArrayInterval {
            front_end_iops: Some(10_000.0),
            back_end_iops: Some(9_800.0 - by * n as f64 + (n * 7919 % 100) as f64),
            ..Default::default()
        }];
    }
}

#[test]
fn a_cache_that_changes_nothing_is_worth_a_note() {
    use plimsoll_evidence::Severity::{Invalid, Note};
    // A hit takes four fifths of a miss, or as long.
    for (gain, severity) in [(0.2, Invalid), (0.0, Note)] {
        let case = crate::known::changed(|o| {
            warming(o, 3.0);
            for part in &mut o.courses[0].parts {
                let share = without_medium(part).expect("a share");
                part.ios = (10_000.0 / (1.0 - gain * share)) as u64;
            }
        });
        assert_eq!(
            crate::known::found(check(&case.view()))[0].at_most,
            severity
        );
    }
}

#[test]
fn a_rate_that_falls_while_hits_rise_falls_by_something_else() {
    let case = crate::known::changed(|o| {
        warming(o, 3.0);
        let half = o.courses[0].parts.len() / 2;
        for part in &mut o.courses[0].parts[half..] {
            part.ios = part.ios * 2 / 5;
        }
    });
    let found = crate::known::found(check(&case.view()));
    assert_eq!(found[0].at_most, Severity::Note);
    assert!(
        found[0].message.contains("cannot be computed"),
        "{}",
        found[0].message
    );
}
