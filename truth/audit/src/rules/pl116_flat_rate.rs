use crate::{RuleAnswer, RuleFinding, RunView, StepCourse, applies, findings, observable};
use plimsoll_evidence::Quantity;
use plimsoll_printable::human;

rule! {
    116 "flat-rate" Run(check) NOTE pitfalls [25] {
        summary: "The rate is so even that a limit sets it, not a device.",
        why: "Storage scatters. A rate that is the same in every second is what a throttle of a provider, a hypervisor or a \
            cgroup lets through; its latency is the depth divided by that rate.",
        threshold: "The rates of at least 30 intervals of a closed loop scatter by less than 0.5 %, on storage. Of another tool's result: at \
            random addresses, with 8 I/Os in flight and times of a millisecond and more, the 99th percentile is no more than 5 % above the first; \
            or reads and writes, each by themselves for 30 s, have rates within 0.1 %.",
        source: "The catalogue has a coefficient of variation below 1 % at several depths.",
        example: "3,000.0 +- 1/s for ten minutes at any depth: a cloud volume at its provisioned rate.",
        remedy: "Say that the cap was measured; measure at two depths to be sure: the rate stays, and the latency follows the \
            depth.",
    }
    fires: |o| o.courses = vec![crate::known::course(|_| 3_000)],
}

fn check(view: &RunView<'_>) -> RuleAnswer {
    applies(view.is_real())?;
    let courses: Vec<&StepCourse> = view
        .measured()
        .filter(|s| s.offered.is_none())
        .filter_map(|s| view.course(s.number))
        .filter(|c| c.parts.len() >= ENOUGH)
        .collect();
    observable(
        !courses.is_empty(),
        "a closed loop of at least 30 intervals",
    )?;
    findings(courses.into_iter().filter_map(|course| {
        let rates: Vec<f64> = course.parts.iter().map(|p| p.rate()).collect();
        let mean = rates.iter().sum::<f64>() / rates.len() as f64;
        let squares = rates.iter().map(|r| (r - mean).powi(2)).sum::<f64>();
        let scatter = (squares / rates.len() as f64).sqrt() / mean;
        (mean > 0.0 && scatter < FLAT).then(|| {
            let message = format!(
                "Its rate of {}/s is the same in every interval.",
                human::rate(mean)
            );
            RuleFinding::new(message).step(course.step).judged(
                "scatter",
                Quantity::Share(scatter),
                FLAT,
            )
        })
    }))
}

const FLAT: f64 = 0.005;
const ENOUGH: usize = 30;
