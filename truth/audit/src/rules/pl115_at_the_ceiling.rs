use crate::{RuleAnswer, RuleFinding, RunView, findings, some_of};
use plimsoll_evidence::{CEILING, Quantity, Saturation, StepEvidence};

rule! {
    115 "at-the-ceiling" Run(check) [NOTE, SUSPECT, SUSPECT, SUSPECT, NOTE] pitfalls [32, 34] {
        summary: "A point stands at the ceiling of its slots.",
        why: "With two thirds of all slots busy on average they are all busy in bursts, and the loop is closed in all but \
            name: it sends no more than comes back. Its response time is held down by the slots.",
        threshold: "A rate that was kept, with a mean of at least two thirds of its slots in flight. Not where I/Os waited for \
            slots: PL104 says that and more.",
        source: "Published curve: its 94 % to 98 % points carried 355 to 504 of 512 in flight, and are no latency points.",
        example: "98 % of the maximum with 504 of 512 slots busy.",
        remedy: "Give more slots, or leave the depth out; take the latency from lower points.",
    }
    fires: |o| o.step().offered = Some(10_000.0),
    clean: |o| {
        o.step().offered = Some(10_000.0);
        o.step().slots = 1024;
    },
}

fn check(view: &RunView<'_>) -> RuleAnswer {
    let rated = |s: &&StepEvidence| {
        let is_named = |of: &Saturation| of.saturated || of.slots_were_the_limit();
        s.offered.is_some() && s.slots > 1 && !s.saturation.as_ref().is_some_and(is_named)
    };
    let steps = some_of(view.measured().filter(rated))?;
    findings(
        steps
            .filter(|s| s.depth_mean >= CEILING * s.slots as f64)
            .map(|step| {
                let message = format!(
                    "{} kept {:.0} of its {} slots busy.",
                    step.load, step.depth_mean, step.slots
                );
                RuleFinding::new(message).step(step.number).judged(
                    "depth",
                    Quantity::Number(step.depth_mean),
                    CEILING * step.slots as f64,
                )
            }),
    )
}

#[test]
fn a_point_whose_ios_waited_for_slots_has_one_finding() {
    let mut case = crate::known::observed();
    case.step().offered = Some(10_000.0);
    assert!(crate::known::fires(check(&case.view())));
    case.step().saturation = Some(Saturation {
        no_slot_share: 0.03,
        ..Saturation::default()
    });
    let audit = crate::judge(&case.view());
    let named = |rule: &str| {
        audit
            .findings
            .iter()
            .filter(|f| f.finding.rule == rule)
            .count()
    };
    assert_eq!((named("PL104"), named("PL115")), (1, 0));
}
