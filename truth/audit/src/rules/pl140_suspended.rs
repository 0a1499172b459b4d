use crate::{RuleAnswer, RuleFinding, RunView, others};
use plimsoll_evidence::{Quantity, Witnessed};
use plimsoll_printable::human;

rule! {
    140 "suspended" Run(check) INVALID pitfalls [60, 51] {
        summary: "The host slept during the run.",
        why: "A host that sleeps issues nothing and sees nothing. What was out when it went is counted with the time that it \
            took to come back, and what was due meanwhile is late by as much.",
        threshold: "The clock that goes on while the host sleeps went ahead of the one that does not by more than 1 ms.",
        source: "CLOCK_BOOTTIME beside CLOCK_MONOTONIC; the millisecond is for reading two clocks one after the other.",
        example: "A laptop's lid was closed for 40 s in a run of two minutes.",
        remedy: "Keep the host awake (`systemd-inhibit`), and repeat the run.",
    }
    fires: |o| slept(o, 40_000_000_000),
    clean: |o| slept(o, 900_000),
}

fn check(view: &RunView<'_>) -> RuleAnswer {
    let clocks = |seen: &Witnessed| seen.clocks;
    others::ask(view, "the clocks", clocks, |_, _, clocks| {
        let slept = (clocks.suspended_ns > LEAST_NS).then(|| {
            let message = format!(
                "The host was asleep for {}.",
                human::time(clocks.suspended_ns as f64)
            );
            RuleFinding::new(message).judged(
                "asleep",
                Quantity::Ns(clocks.suspended_ns as f64),
                LEAST_NS as f64,
            )
        });
        slept.into_iter().collect()
    })
}

const LEAST_NS: u64 = 1_000_000;

#[cfg(test)]
fn slept(o: &mut crate::known::Observed, ns: u64) {
    o.witnessed().clocks.as_mut().expect("clocks").suspended_ns = ns;
}
