use crate::{RuleAnswer, RuleFinding, RunView, StepCourse, applies, findings};
use plimsoll_evidence::Quantity;
use plimsoll_plan::Pattern;
use plimsoll_printable::human;

rule! {
    112 "hot-region" Run(check) NOTE pitfalls [62] {
        summary: "A small part of the target had a large part of the accesses.",
        why: "What is asked for again and again is in a cache, and lies on few owners of an array's slices. The map of \
            accesses shows it whatever the definition says.",
        threshold: "One of the 256 equal parts of a target has at least 10 % of a workload's random accesses, of 10,000 or more.",
        source: "Uniform accesses give each part 0.4 %; the 10 % are our proposal.",
        example: "75 % in the first 0.4 % of the LUN: rhpct=75 with its area in one piece.",
        remedy: "See hot-slice (PL016) for what it costs, and how to spread it.",
    }
    fires: |o| o.courses[0].heat[0][0] = 20_000_000,
}

fn check(view: &RunView<'_>) -> RuleAnswer {
    let plan = view.recorded_plan()?;
    let random = |s: &plimsoll_plan::Stream| matches!(s.address.pattern, Pattern::Random { .. });
    let all = |run: &str| {
        let mut steps = plan.steps().filter(|s| s.run == run).peekable();
        steps.peek().is_some() && steps.all(|s| s.streams.iter().all(random))
    };
    let courses: Vec<&StepCourse> = view
        .results()
        .filter(|s| all(&s.run))
        .filter_map(|s| view.course(s.number))
        .collect();
    applies(!courses.is_empty())?;
    findings(courses.into_iter().flat_map(|course| {
        let hot = |heat: &Vec<u64>| -> Option<f64> {
            let sum: u64 = plimsoll_measure::total(heat.iter().copied());
            let most = heat.iter().copied().max()?;
            (sum >= ENOUGH).then(|| most as f64 / sum as f64)
        };
        let shares: Vec<f64> = course.heat.iter().filter_map(hot).collect();
        let found = shares.into_iter().filter(|share| *share >= HOT);
        found
            .map(|share| {
                let message = format!(
                    "{} of a workload's accesses were to 0.4% of its target.",
                    human::percent(share)
                );
                RuleFinding::new(message).step(course.step).judged(
                    "share",
                    Quantity::Share(share),
                    HOT,
                )
            })
            .collect::<Vec<_>>()
    }))
}

const HOT: f64 = 0.10;
const ENOUGH: u64 = 10_000;
