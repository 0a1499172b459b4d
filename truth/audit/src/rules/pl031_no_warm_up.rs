use crate::{PlanView, RuleAnswer, RuleFinding, StepAt, applies, findings, some_of};
use plimsoll_evidence::Quantity;
use plimsoll_plan::Nanos;

rule! {
    31 "no-warm-up" Plan(check) [NOTHING, NOTE, NOTE, NOTE, NOTHING] pitfalls [45, 18] {
        summary: "The first I/Os are counted.",
        why: "At its beginning a run is not what it will be: caches are cold or still hold the last run, queues are empty, \
            an idle device has tidied up and is faster than it will be.",
        threshold: "A warm-up of less than 1 s.",
        source: "Traeger and others, A Nine Year Study of File System and Storage Benchmarking (2008); the 1 s are our \
            proposal.",
        example: "After an hour of rest an SSD has free blocks at hand and takes the first gigabytes at 1.3 times its steady \
            rate.",
        remedy: "Set a warm-up (`warmup`), of at least as long as the storage needs to fill its caches.",
    }
    fires: |p| crate::known::step_of(p).warmup = Nanos(0),
    clean: |p| crate::known::step_of(p).warmup = Nanos::secs(5),
}

fn check(view: &PlanView<'_>) -> RuleAnswer {
    let plain = |at: &StepAt<'_>| at.question().is_none() && !at.is_in_rounds();
    let steps = some_of(view.steps().filter(plain))?;
    applies(view.streams().next().is_some())?;
    findings(steps.filter(|at| at.step.warmup < Nanos::secs(1)).map(|at| {
        let message = match view.is_vdbench() {
            true => format!(
                "No warmup= stands with run {}: only its first interval is left out of the averages.",
                at.step.run
            ),
            false => format!("The warm-up of run {} is {}.", at.step.run, at.step.warmup),
        };
        RuleFinding::new(message).at(at.near("warmup")).judged("warmup", Quantity::Seconds(at.step.warmup.as_secs_f64()), 1.0)
    }))
}
