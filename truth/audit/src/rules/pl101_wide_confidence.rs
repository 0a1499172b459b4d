use crate::{RuleAnswer, RuleFinding, RunView, findings, some_of};
use plimsoll_evidence::{Quantity, Severity};
use plimsoll_printable::human;

rule! {
    101 "wide-confidence" Run(check) [NOTE, NOTE, SUSPECT, SUSPECT, NOTE] pitfalls [46] {
        summary: "The mean is known only roughly, or not how well.",
        why: "A mean of few independent parts lies anywhere near the true one. Two such results differ by chance, and the \
            digits behind the first say nothing.",
        threshold: "Half of the 95 % confidence interval is more than 5 % of the mean: of the rate in a closed loop, and more than \
            10 % of the response time on a schedule. A note where the run is too short for any interval. Not of a disturbance, whose own doing \
            is in the mean.",
        source: "Batch means over samples of 100 ms; the 5 % are common in sequential stopping (Maricq and others, OSDI 2018).",
        example: "41,200/s +- 3,900: another run of the same length may as well say 37,500.",
        remedy: "Measure longer.",
    }
    fires: |o| o.step().rate.half_width = Some(900.0),
    clean: |o| o.step().rate.half_width = Some(100.0),
}

fn check(view: &RunView<'_>) -> RuleAnswer {
    let steps = some_of(view.levels())?;
    findings(steps.filter_map(|step| {
        let saturated = step.saturation.is_some_and(|s| s.saturated);
        let (what, estimate, limit) = match step.offered {
            None => ("rate", step.rate, WIDE),
            Some(_) if saturated => return None,
            Some(_) => ("mean response time", step.response_mean_ns, WIDE_TIME),
        };
        let Some(half) = estimate.half_width else {
            let message =
                format!("The {what} has no confidence interval: the step is too short for one.");
            let seen = RuleFinding::new(message)
                .step(step.number)
                .at_most(Severity::Note);
            return Some(seen.value("counted", Quantity::Seconds(step.counted_s)));
        };
        let part = half / estimate.mean;
        (part > limit).then(|| {
            let message = format!(
                "The {what} is known to no better than {}.",
                human::percent(part)
            );
            RuleFinding::new(message).step(step.number).judged(
                "half_width",
                Quantity::Share(part),
                limit,
            )
        })
    }))
}

const WIDE: f64 = 0.05;
const WIDE_TIME: f64 = 0.10;

#[test]
fn what_a_disturbance_does_to_a_mean_is_no_doubt_of_it() {
    let mut case = crate::known::observed();
    case.step().rate.half_width = Some(900.0);
    assert!(crate::known::fires(check(&case.view())));
    case.verdicts = vec![crate::known::verdict_of("disturb", &case.steps[0].run)];
    assert!(!crate::known::fires(check(&case.view())));
}
