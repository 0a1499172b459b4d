use crate::{
    RuleAnswer, RuleFinding, RunView, StepCourse, applies, findings, host_facts, observable,
};
use plimsoll_evidence::Quantity;
use plimsoll_printable::human;

rule! {
    110 "stolen-cpu" Run(check) SUSPECT pitfalls [49, 51] {
        summary: "The hypervisor took CPU time from the host.",
        why: "A CPU that another guest has does not submit I/O and does not see what has come back. The time is in every \
            number, and nothing of the storage shows it.",
        threshold: "More than 1 % of all CPUs' time through the counted time.",
        source: "Proposal, from runs on a shared machine.",
        example: "3 % of steal on 2 CPUs that the generator keeps busy: each I/O has it, and the tail has all of it.",
        remedy: "Measure on a host that has its CPUs for itself, or repeat until it shows no steal.",
    }
    fires: |o| {
        for part in &mut o.courses[0].parts {
            part.steal = Some(0.04);
        }
    },
}

fn check(view: &RunView<'_>) -> RuleAnswer {
    applies(view.is_real() && view.measured().next().is_some())?;
    let seen: Vec<(u32, f64)> = view
        .measured()
        .filter_map(|s| {
            Some((
                s.number,
                StepCourse::mean(&view.course(s.number)?.parts, |p| p.steal)?,
            ))
        })
        .collect();
    observable(
        !seen.is_empty(),
        "the CPU time of the host, interval by interval",
    )?;
    findings(
        seen.into_iter()
            .filter_map(|(step, steal)| Some((step, steal, host_facts::steal(steal)?)))
            .map(|(step, steal, at_most)| {
                let message = format!(
                    "The hypervisor took {} of the CPUs' time.",
                    human::percent(steal)
                );
                RuleFinding::new(message)
                    .step(step)
                    .at_most(at_most)
                    .judged("steal", Quantity::Share(steal), host_facts::STEAL)
            }),
    )
}
