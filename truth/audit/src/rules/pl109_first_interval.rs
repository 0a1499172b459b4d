use crate::{RuleAnswer, RuleFinding, RunView, StepCourse, applies, findings, observable, repair};
use plimsoll_evidence::Quantity;
use plimsoll_printable::human;

rule! {
    109 "first-interval" Run(check) NOTE pitfalls [18, 45] {
        summary: "The first counted interval is unlike the others.",
        why: "The beginning has what rest has given: free blocks, cool chips, empty queues. Counted, it lifts or lowers the \
            mean of a short run.",
        threshold: "The first counted interval is more than 30 % away from the median of the others, which themselves lie within \
            15 % of it, with at least ten intervals.",
        source: "Proposal; SNIA tests idle recovery by the first 10 s being more than 1.1 times the steady rate.",
        example: "The first second does 52,000/s and every other 36,000: after an hour of rest the device had tidied up.",
        remedy: "Warm up longer.",
    }
    fires: |o| {
        o.courses = vec![crate::known::course(
            |n| if n == 0 { 52_000 } else { 36_000 },
        )]
    },
}

fn check(view: &RunView<'_>) -> RuleAnswer {
    let closed: Vec<_> = view.measured().filter(|s| s.offered.is_none()).collect();
    applies(!closed.is_empty())?;
    let courses: Vec<&StepCourse> = closed
        .iter()
        .filter_map(|s| view.course(s.number))
        .filter(|c| c.parts.len() >= ENOUGH)
        .collect();
    observable(!courses.is_empty(), "a step of at least ten intervals")?;
    findings(courses.into_iter().filter_map(|course| {
        let (first, rest) = course.parts.split_first()?;
        let mut rates: Vec<f64> = rest.iter().map(|p| p.rate()).collect();
        rates.sort_by(f64::total_cmp);
        let at = |part: f64| rates[((rates.len() - 1) as f64 * part) as usize];
        let median = at(0.5);
        let quiet = at(0.9) < 1.15 * median && at(0.1) > 0.85 * median;
        let off = first.rate() / median - 1.0;
        (quiet && median > 0.0 && off.abs() > OFF).then(|| {
            let message = format!(
                "Its first interval did {}/s, the others {}/s.",
                human::rate(first.rate()),
                human::rate(median)
            );
            RuleFinding::new(message)
                .step(course.step)
                .judged("off", Quantity::Share(off), OFF.copysign(off))
                .repaired(&repair::rest(&course.parts))
        })
    }))
}

const OFF: f64 = 0.30;
const ENOUGH: usize = 10;
