//! The measurement is too short for what is claimed.

use crate::{
    Answer, Check, NOTE, NOTHING, Page, PlanView, Rule, SUSPECT, Seen, Severities, StepAt,
};
use plimsoll_evidence::Quantity;
use plimsoll_plan::Claim;
use plimsoll_printable::human;

pub const RULE: Rule = Rule {
    number: 30,
    name: "too-short",
    summary: "The measurement is too short for what is claimed.",
    severity: Severities::of([NOTHING, NOTE, SUSPECT, NOTE, NOTHING]),
    pitfalls: &[46, 11, 14],
    page: Page {
        why: "What storage gives for seconds it may not give for minutes: write caches fill, SLC windows end, garbage \
            collection begins, cloud volumes spend their credits. A short run measures the beginning.",
        threshold: "For `sustained`, less than 60 s of counted time where a workload writes, less than 30 s where it reads only; \
            for `burst` and `device` less than 5 s.",
        source: "IO500 asks for 300 s of writing, the author of DiskSPD for more than 60 s; SNIA PTS for rounds until five are \
            steady. The numbers here are our proposal for what is short in any case.",
        example: "A consumer SSD writes 2 GB/s for 20 s and 300 MB/s from then on; a run of 10 s says 2 GB/s.",
        remedy: "Measure longer (`for`), use `plimsoll soak` for what is sustained, or claim burst.",
    },
    check: Check::Plan(check),
};

fn check(view: &PlanView<'_>) -> Answer {
    let plain = |at: &StepAt<'_>| at.question().is_none();
    let mut steps = view.steps().filter(plain).peekable();
    if steps.peek().is_none() || view.streams().next().is_none() {
        return Answer::NotApplicable;
    }
    let limited = |at: &StepAt<'_>| at.step.limits.overwrites.is_some();
    Answer::of(steps.filter(|at| !limited(at)).filter_map(|at| {
        let needed = match view.claim {
            Claim::Sustained if at.step.writes() => SUSTAINED_WRITES,
            Claim::Sustained => SUSTAINED_READS,
            _ => ANY,
        };
        let counted = at.step.elapsed.as_secs_f64();
        (counted < needed).then(|| {
            let message = format!(
                "Run {} counts {}, and {} is the least for the claim `{}`.",
                at.step.run,
                human::duration(counted),
                human::duration(needed),
                view.claim
            );
            Seen::new(message)
                .at(at.near("for"))
                .value("counted", Quantity::Seconds(counted))
        })
    }))
}

/// Seconds of counted time.
const SUSTAINED_WRITES: f64 = 60.0;
const SUSTAINED_READS: f64 = 30.0;
const ANY: f64 = 5.0;

#[cfg(test)]
pub const KNOWN: crate::known::Known = crate::known::Known::Plan {
    fires: |p| crate::known::step_of(p).elapsed = plimsoll_plan::Nanos::secs(10),
    clean: |p| crate::known::step_of(p).elapsed = plimsoll_plan::Nanos::secs(30),
};
