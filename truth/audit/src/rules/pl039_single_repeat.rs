use crate::{PlanView, RuleAnswer, RuleFinding, findings, some_of};
use plimsoll_evidence::Quantity;
use plimsoll_plan::Question;

rule! {
    39 "single-repeat" Plan(check) SUSPECT pitfalls [63, 17] {
        summary: "A comparison is asked for, and each of its parts is measured once.",
        why: "Two runs of the same thing differ, by the state of the storage, of the host and by chance. From one of each \
            nobody can tell a difference from that.",
        threshold: "A sweep with fewer than 2 repeats.",
        source: "Maricq and others, Taming Performance Variability (OSDI 2018); Plimsoll gives verdicts from 5 runs a side.",
        example: "Two schedulers, one run each, 4 % apart: repeats of either lie 6 % apart.",
        remedy: "Give at least 2 repeats, better 5 (`repeats`).",
    }
    fires: |p| sweep(p, 1),
    clean: |p| sweep(p, 5),
}

fn check(view: &PlanView<'_>) -> RuleAnswer {
    let sweeps = some_of(view.steps().filter_map(|at| match at.question() {
        Some(Question::Sweep(sweep)) => Some((at, sweep.repeats)),
        _ => None,
    }))?;
    findings(
        sweeps
            .filter(|(_, repeats)| *repeats < 2)
            .map(|(at, repeats)| {
                let message = format!("The sweep {} measures each of its cells once.", at.step.run);
                RuleFinding::new(message).at(at.near("repeats")).judged(
                    "repeats",
                    Quantity::Count(repeats.into()),
                    2.0,
                )
            }),
    )
}

#[cfg(test)]
fn sweep(plan: &mut plimsoll_plan::Plan, repeats: u32) {
    let steps = vec![crate::known::step_of(plan).clone()];
    plan.items = vec![plimsoll_plan::Item::Method(plimsoll_plan::MethodSpec {
        steps,
        question: Question::Sweep(plimsoll_plan::SweepSpec {
            repeats,
            order: plimsoll_plan::SweepOrder::default(),
        }),
    })];
}
