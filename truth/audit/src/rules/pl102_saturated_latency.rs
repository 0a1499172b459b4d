use crate::{RuleAnswer, RuleFinding, RunView, findings, some_of};
use plimsoll_evidence::{Quantity, StepEvidence};
use plimsoll_printable::human;

rule! {
    102 "saturated-latency" Run(check) SUSPECT pitfalls [29] {
        summary: "A load that is not carried has a response time, and it is none.",
        why: "Where more is asked for than the storage carries, the backlog grows as long as the run lasts. The mean \
            response is then half the length of the run times the excess: run twice as long, and it doubles.",
        threshold: "A rate that was asked for, outside of a curve, with a backlog that grows, a shortfall of more than 0.5 % or no \
            free slot through most of the step.",
        source: "What docs/output.md says of saturated points.",
        example: "50,000/s asked of storage that carries 40,000: after 60 s 600,000 I/Os wait, and the last one waited 15 s.",
        remedy: "Ask for less, or run `plimsoll curve` to learn what is carried.",
    }
    fires: |o| {
        o.step().offered = Some(50_000.0);
        o.step().saturation = Some(plimsoll_evidence::Saturation {
            saturated: true,
            ..Default::default()
        });
    },
    clean: |o| o.step().saturation = Some(Default::default()),
}

fn check(view: &RunView<'_>) -> RuleAnswer {
    let alone = |step: &&StepEvidence| !view.verdicts.iter().any(|v| v.run() == step.run);
    let steps = some_of(
        view.measured()
            .filter(alone)
            .filter_map(|step| Some((step, step.saturation?))),
    )?;
    findings(steps.filter(|(_, s)| s.saturated).map(|(step, s)| {
        let message = format!(
            "{} is more than the target carries: its response time of {} is how long the run was, not how fast the target is.",
            step.load,
            human::time(step.response_mean_ns.mean)
        );
        RuleFinding::new(message).step(step.number).value("shortfall", Quantity::Share(s.shortfall)).value("backlog_growth", Quantity::PerSecond(s.backlog_growth)).value("short_samples", Quantity::Share(s.short_samples))
    }))
}
