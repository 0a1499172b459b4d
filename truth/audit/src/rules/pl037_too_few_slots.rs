use crate::{PlanView, RuleAnswer, RuleFinding, StepAt};
use plimsoll_evidence::{BUSY_SERVICE_S, Quantity};
#[cfg(test)]
use plimsoll_plan::Load;
use plimsoll_printable::human;

rule! {
    37 "too-few-slots" Plan(check) [NOTE, SUSPECT, SUSPECT, SUSPECT, NOTE] pitfalls [29, 32] {
        summary: "An open loop has fewer slots than its rate needs.",
        why: "By Little's law a rate of X with a service time of R has X R I/Os in flight. Where there are fewer slots, I/Os \
            wait in the generator: the result is of the slots.",
        threshold: "Fewer slots than the rate times 1 ms, as a disk array takes.",
        source: "Little's law, N = X R; 1 ms is a busy array over a network.",
        example: "100,000/s with 32 slots: 0.32 ms after an I/O went out, its slot must be free again. Storage that needs 0.5 ms \
            carries 64,000/s of it.",
        remedy: "Leave the depth out: an open loop then has as many as it needs.",
    }
    fires: |p| {
        crate::known::step_of(p).load = Load::rate(plimsoll_plan::Rate(100_000.0), plimsoll_plan::Arrival::Exponential);
    },
    clean: |p| {
        crate::known::step_of(p).load = Load::rate(plimsoll_plan::Rate(10_000.0), plimsoll_plan::Arrival::Exponential);
    },
}

fn check(view: &PlanView<'_>) -> RuleAnswer {
    let rated = |at: &StepAt<'_>| at.is_plain() && at.rate().is_some();
    let steps = crate::some_of(view.steps().filter(rated))?;
    crate::applies(view.streams().next().is_some())?;
    crate::findings(steps.filter_map(|at| {
        let (rate, slots) = (at.rate()?, at.step.total_depth());
        let needed = (rate * BUSY_SERVICE_S).ceil();
        ((slots as f64) < needed).then(|| {
            let message = format!(
                "Run {} asks for {}/s with {slots} slot{}; at 1 ms each it needs {}.",
                at.step.run,
                human::rate(rate),
                if slots == 1 { "" } else { "s" },
                human::count(needed as u64)
            );
            RuleFinding::new(message)
                .at(at.near("depth"))
                .judged("slots", Quantity::Count(slots), needed)
                .value("rate", Quantity::PerSecond(rate))
        })
    }))
}
