use crate::{PlanView, RuleAnswer, RuleFinding, StepAt, findings, some_of};
use plimsoll_plan::{Arrival, Item, Load};

rule! {
    41 "even-arrivals" Plan(check) NOTE pitfalls [30] {
        summary: "I/Os come at even gaps, as no application sends them.",
        why: "Requests of many users come at random. Evenly spaced ones never meet, so that storage at 80 % of its capacity \
            shows no queue: latency looks flat until it breaks.",
        threshold: "A rate with arrival `even`.",
        source: "Queueing theory: with even arrivals and even service there is no wait below 100 %; with random arrivals the \
            mean wait at 80 % is four service times (M/M/1), half of that where the service is even.",
        example: "A cache of 0.1 ms a request at 8,000/s: 0.10 ms with even gaps, 0.30 ms with exponential ones.",
        remedy: "Leave `arrival` out: the gaps are then exponential.",
    }
    fires: |p| rate(p, Arrival::Even),
    clean: |p| rate(p, Arrival::Exponential),
}

fn check(view: &PlanView<'_>) -> RuleAnswer {
    let arrival = |at: &StepAt<'_>| match (&at.step.load, at.item) {
        (_, Item::Curve(curve)) => Some(curve.arrival),
        (
            Load::Rate { arrival, .. }
            | Load::PercentOfLast { arrival, .. }
            | Load::Schedule { arrival, .. },
            _,
        ) => Some(*arrival),
        (Load::Max | Load::MaxShared, _) => None,
    };
    let scheduled = some_of(view.steps().filter(|at| arrival(at).is_some()))?;
    let even = scheduled.filter(|at| arrival(at) == Some(Arrival::Even));
    findings(even.map(|at| {
        let message = format!("The I/Os of run {} come at even gaps.", at.step.run);
        RuleFinding::new(message)
            .at(at.near("arrival"))
            .text("arrival", "even")
    }))
}

#[cfg(test)]
fn rate(plan: &mut plimsoll_plan::Plan, arrival: Arrival) {
    crate::known::step_of(plan).load = Load::rate(plimsoll_plan::Rate(1000.0), arrival);
}
