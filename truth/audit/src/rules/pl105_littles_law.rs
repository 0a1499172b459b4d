//! Rate, time and I/Os in flight do not belong together.

use crate::{Answer, Check, INVALID, Page, Rule, RunView, Seen, Severities};
use plimsoll_evidence::{Quantity, Severity, StepEvidence};
use plimsoll_printable::human;

pub const RULE: Rule = Rule {
    number: 105,
    name: "littles-law",
    summary: "Rate, time and I/Os in flight do not belong together.",
    severity: Severities::of([INVALID, INVALID, INVALID, INVALID, INVALID]),
    pitfalls: &[33],
    page: Page {
        why: "In a closed loop N = X R holds for any system: what is in flight is the rate times the time of each. Where the \
            three numbers of a result break it, one of them is wrong: a clock, a count, or what was put where.",
        threshold: "The rate times the mean service time differs from the mean I/Os in flight by more than 5 % (suspect) or 20 % \
            (invalid), in a closed loop of at least 5 s and 200 I/Os for each slot, and without errors.",
        source: "Little (1961). All rows of the published curves that were looked at hold it to 1 %; a DiskSPD row of 71.66 ms \
            at 87,694/s and a depth of 32 does not.",
        example: "87,694/s of 71.66 ms each are 6,284 in flight, and there were 32 slots.",
        remedy: "Do not use the numbers; repeat the run, and report it if it stays.",
    },
    check: Check::Run(check),
};

fn check(view: &RunView<'_>) -> Answer {
    // An I/O of no time at all is out for less than the stamps around it take.
    let nothing = view.environment.targets.iter().all(|t| t.kind == "null");
    let whole = |s: &&StepEvidence| {
        !nothing
            && s.offered.is_none()
            && s.errors == 0
            && s.unfinished == 0
            && s.counted_s >= LEAST_S
            && s.ios > LEAST_IOS * s.slots
            && s.depth_mean > 0.0
            && s.stalls.is_empty()
    };
    let mut steps = view.measured().filter(whole).peekable();
    if steps.peek().is_none() {
        return Answer::NotApplicable;
    }
    Answer::of(steps.filter_map(|step| {
        let in_flight = step.rate.mean * step.service_mean_ns.mean / 1e9;
        let off = in_flight / step.depth_mean - 1.0;
        (off.abs() > OFF).then(|| {
            let message = format!(
                "{}/s of {} each are {in_flight:.1} I/Os in flight, and {:.1} were counted.",
                human::rate(step.rate.mean),
                human::time(step.service_mean_ns.mean),
                step.depth_mean
            );
            let at_most = match off.abs() > FAR_OFF {
                true => Severity::Invalid,
                false => Severity::Suspect,
            };
            Seen::new(message)
                .step(step.number)
                .at_most(at_most)
                .value("off", Quantity::Share(off))
        })
    }))
}

const OFF: f64 = 0.05;
const FAR_OFF: f64 = 0.20;
/// What is in flight at the ends of a step is half in it: of a short one that is much.
const LEAST_S: f64 = 5.0;
const LEAST_IOS: u64 = 200;

#[cfg(test)]
pub const KNOWN: crate::known::Known = crate::known::Known::Run {
    fires: |o| o.step().service_mean_ns.mean = 71_660_000.0,
    clean: |o| o.step().service_mean_ns.mean = 3_200_000.0,
};
