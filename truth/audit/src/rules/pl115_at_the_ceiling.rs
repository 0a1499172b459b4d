use crate::{RuleAnswer, RuleFinding, RunView};
use plimsoll_evidence::{Quantity, StepEvidence};

rule! {
    115 "at-the-ceiling" Run(check) [NOTE, SUSPECT, SUSPECT, SUSPECT, NOTE] pitfalls [32, 34] {
        summary: "A point stands at the ceiling of its slots.",
        why: "With two thirds of all slots busy on average they are all busy in bursts, and the loop is closed in all but \
            name: it sends no more than comes back. Its response time is held down by the slots.",
        threshold: "A rate that was kept, with a mean of at least two thirds of its slots in flight.",
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
        s.offered.is_some() && s.slots > 1 && !s.saturation.is_some_and(|x| x.saturated)
    };
    let mut steps = view.measured().filter(rated).peekable();
    if steps.peek().is_none() {
        return RuleAnswer::NotApplicable;
    }
    RuleAnswer::of(
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

const CEILING: f64 = 2.0 / 3.0;
