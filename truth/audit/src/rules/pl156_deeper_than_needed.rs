use crate::{RuleAnswer, RuleFinding, RunView, applies, clean_unless, findings};
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
        o.step().arrays[0].enough.as_mut().expect("asked").of = 383;
    },
}

fn check(view: &RunView<'_>) -> RuleAnswer {
    let plain = |s: &&plimsoll_evidence::StepEvidence| {
        s.offered.is_none() && s.slots >= MANY && !view.verdicts.iter().any(|v| v.run() == s.run)
    };
    let steps: Vec<_> = view.measured().filter(plain).collect();
    applies(!steps.is_empty())?;
    let asked = |step: &&&plimsoll_evidence::StepEvidence| {
        !step.arrays.is_empty() && step.arrays.iter().all(|array| array.enough.is_some())
    };
    let unknown = steps.iter().filter(asked).count() < steps.len();
    let seen = findings(steps.into_iter().flat_map(|step| {
        let deep = |array: &plimsoll_evidence::ArrayEvidence| {
            let enough = array.enough?;
            let (of, least) = (enough.of as f64, 3.0 * enough.in_flight as f64);
            let time = array.mean_ns().unwrap_or(step.response_mean_ns.mean);
            let message = format!(
                "{} I/Os were in flight, and by the model of {} {} of them carry {}/s: most of the {} is their wait for each other.",
                human::number(of),
                array.name,
                enough.in_flight,
                human::rate(enough.rate),
                human::time(time)
            );
            let finding = RuleFinding::new(message)
                .step(step.number)
                .judged("in_flight", Quantity::Number(of), least)
                .value("carries", Quantity::PerSecond(enough.rate));
            (of >= least).then_some(finding)
        };
        step.arrays.iter().filter_map(deep).collect::<Vec<_>>()
    }));
    clean_unless(
        seen,
        unknown,
        "the same load at a smaller depth (`plimsoll saturate`)",
    )
}

/// Fewer slots are few for any storage.
const MANY: u64 = 64;

/// The sound run on an array of whose I/Os so many do.
#[cfg(test)]
fn with(o: &mut crate::known::Observed, in_flight: u64) {
    o.step().slots = 512;
    crate::arrays::with(o, |array| {
        array.enough = Some(plimsoll_evidence::Enough {
            of: 512,
            in_flight,
            rate: 9_000.0,
        });
    });
}

#[test]
fn of_a_load_that_no_model_was_asked_for_nothing_is_clean() {
    let case = crate::known::changed(|o| {
        with(o, 128);
        o.step().arrays[0].enough = None;
    });
    assert!(matches!(check(&case.view()), Err(crate::NotObservable(_))));
}
