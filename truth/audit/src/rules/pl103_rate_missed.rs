use crate::{RuleAnswer, RuleFinding, RunView};
use plimsoll_evidence::Quantity;
use plimsoll_printable::human;

rule! {
    103 "rate-missed" Run(check) [NOTE, SUSPECT, SUSPECT, SUSPECT, NOTE] pitfalls [29] {
        summary: "Less was done than came due, and it is not called saturated.",
        why: "An average over a rate that was not kept is of another load than the one that was asked for.",
        threshold: "More than 1 % of what came due was not done by the end of the counted time, in a step that is not saturated.",
        source: "Proposal; Lancet repeats a measurement beyond 10 %.",
        example: "10,000/s asked for, 9,700 done: a stall at the end holds the rest.",
        remedy: "Take it as overload and ask for less, or measure longer and see what the target did at the end.",
    }
    fires: |o| {
        o.step().saturation = Some(plimsoll_evidence::Saturation {
            shortfall: 0.03,
            ..Default::default()
        });
    },
    clean: |o| o.step().saturation = Some(Default::default()),
}

fn check(view: &RunView<'_>) -> RuleAnswer {
    let mut steps = view
        .measured()
        .filter_map(|s| Some((s, s.saturation?)))
        .peekable();
    if steps.peek().is_none() {
        return RuleAnswer::NotApplicable;
    }
    let missed = steps.filter(|(_, s)| !s.saturated && !s.undecided && s.shortfall > MISSED);
    RuleAnswer::of(missed.map(|(step, s)| {
        let message = format!(
            "{} of what came due was not done at the end of the counted time.",
            human::percent(s.shortfall)
        );
        RuleFinding::new(message).step(step.number).judged(
            "shortfall",
            Quantity::Share(s.shortfall),
            MISSED,
        )
    }))
}

const MISSED: f64 = 0.01;
