use crate::{RuleAnswer, RuleFinding, RunView, applies, findings, observable};
use plimsoll_evidence::Quantity;
use plimsoll_printable::human;

rule! {
    156 "deeper-than-needed" Run(check) [NOTE, NOTE, NOTE, NOTE, NOTE] pitfalls [33] {
        summary: "Far fewer I/Os in flight would have done nearly as much.",
        why: "What is in flight beyond the depth that carries the load waits in a queue. It adds to the response time and to \
            next to nothing else: with N in flight and a rate of X the mean response is N/X, whatever the storage needs.",
        threshold: "A closed loop with 64 to 4,096 I/Os in flight on a simulated array, whose model carries 89 % of the rate with at most \
            a third of them, tried in halves. No run at one depth tells that of real storage: \
            a maximum of another tool with 256 in flight or more, and no run beside it with a third of them, is told so.",
        source: "Little's law, and what the model does with fewer. A published run has 512 in flight for 130,848/s and 3.9 ms, and 152 \
            carried 117,909/s.",
        example: "1,024 in flight for 130,837/s: 128 carry 118,979/s, and the 7.83 ms are 1.08 ms there.",
        remedy: "Take the rate from this run and the response time from one with so many, or from points of a curve; `plimsoll saturate` \
            shows every depth.",
    }
    fires: |o| with(o, 128),
    clean: |o| {
        with(o, 128);
        o.step().arrays[0].enough = None;
    },
}

fn check(view: &RunView<'_>) -> RuleAnswer {
    let plain = |s: &&plimsoll_evidence::StepEvidence| {
        s.offered.is_none() && s.slots >= MANY && !view.verdicts.iter().any(|v| v.run() == s.run)
    };
    let steps: Vec<_> = view.measured().filter(plain).collect();
    applies(!steps.is_empty())?;
    observable(
        view.environment.simulated || steps.iter().any(|s| !s.arrays.is_empty()),
        "the same load at a smaller depth (`plimsoll saturate`)",
    )?;
    findings(steps.into_iter().flat_map(|step| {
        step.arrays.iter().filter_map(move |array| {
            let enough = array.enough?;
            let message = format!(
                "{} I/Os were in flight, and by the model of {} {} of them carry {}/s: most of the {} is their wait for each other.",
                human::number(step.depth_mean),
                array.name,
                enough.in_flight,
                human::rate(enough.rate),
                human::time(step.response_mean_ns.mean)
            );
            Some(
                RuleFinding::new(message)
                    .step(step.number)
                    .judged("in_flight", Quantity::Number(step.depth_mean), 3.0 * enough.in_flight as f64)
                    .value("carries", Quantity::PerSecond(enough.rate)),
            )
        })
    }))
}

/// Fewer slots are few for any storage.
const MANY: u64 = 64;

/// The sound run on an array of whose I/Os so many do.
#[cfg(test)]
fn with(o: &mut crate::known::Observed, in_flight: u64) {
    o.step().slots = 512;
    crate::arrays::with(o, |array| {
        array.enough = Some(plimsoll_evidence::Enough {
            in_flight,
            rate: 9_000.0,
        });
    });
}
