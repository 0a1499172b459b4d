use crate::{RuleAnswer, RuleFinding, RunView, findings, some_of};
use plimsoll_evidence::{Quantity, Saturation, StepEvidence};
use plimsoll_printable::human;

rule! {
    103 "rate-missed" Run(check) [NOTE, SUSPECT, SUSPECT, SUSPECT, NOTE] pitfalls [29] {
        summary: "Less was done than came due, and it is not called saturated.",
        why: "An average over a rate that was not kept is of another load than the one that was asked for.",
        threshold: "More than 1 % of what came due was not done by the end of the counted time, in a step that is not saturated, and at \
            least four I/Os more than are usually in flight, chance allowed for.",
        source: "Proposal; Lancet repeats a measurement beyond 10 %.",
        example: "10,000/s asked for, 9,700 done: a stall at the end holds the rest.",
        remedy: "With all slots busy it is overload: ask for less. With some free, look for what held the generator back. Or measure longer, and see \
            what the target did at the end.",
    }
    fires: |o| {
        o.step().saturation = Some(Saturation {
            shortfall: 0.03,
            ..Default::default()
        });
    },
    clean: |o| o.step().saturation = Some(Default::default()),
}

fn check(view: &RunView<'_>) -> RuleAnswer {
    let steps = some_of(view.measured().filter_map(|s| Some((s, s.saturation?))))?;
    let missed = steps.filter(|(step, s)| {
        !s.saturated && !s.undecided && s.shortfall > MISSED && !in_flight(step, s)
    });
    findings(missed.map(|(step, s)| {
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

/// True where the I/Os that were not done at the end are no more than are usually in flight: of few I/Os, one is a large share.
fn in_flight(step: &StepEvidence, saturation: &Saturation) -> bool {
    // What was done is the share of what came due that is not missing.
    let done_share = (1.0 - saturation.shortfall).max(MISSED);
    let missing = step.ios as f64 * saturation.shortfall / done_share;
    // What never came back was out as well; by Little's law the rest are as many as this.
    let back = step.rate.mean * step.service_mean_ns.mean / 1e9;
    let usual = match back > 0.0 {
        true => step.depth_mean.min(back),
        false => step.depth_mean,
    };
    missing < usual + BEYOND_CHANCE * usual.sqrt() + LEAST
}

const MISSED: f64 = 0.01;
/// Missing I/Os beyond the usual ones that are always allowed for.
const LEAST: f64 = 4.0;
/// Allowance for chance, in standard deviations: the number in flight scatters by the square root of its mean.
const BEYOND_CHANCE: f64 = 3.0;

#[test]
fn a_last_io_in_flight_is_no_missed_rate() {
    let seen = |ios: u64, missing: f64, depth: f64, back: f64| {
        let case = crate::known::changed(|o| {
            let step = o.step();
            (step.ios, step.depth_mean) = (ios, depth);
            step.service_mean_ns.mean = back / step.rate.mean * 1e9;
            step.saturation = Some(Saturation {
                shortfall: missing / (ios as f64 + missing),
                ..Saturation::default()
            });
        });
        !crate::known::found(check(&case.view())).is_empty()
    };
    let fires = |ios, missing, depth| seen(ios, missing, depth, depth);
    // 9/s for 10 s: one of 90 I/Os.
    assert!(!fires(89, 1.0, 0.1));
    // 100/s of 200 ms for 10 s without a warm-up: 20 of 1,000.
    assert!(!fires(980, 20.0, 20.0));
    // A third of a second at the end of 10,000/s, and half of the little that was asked for.
    assert!(fires(96_700, 3300.0, 55.0));
    assert!(fires(45, 45.0, 12.0));
    // 100/s of 1 ms for a minute, of which 64 hung on a path that is dead.
    assert!(seen(5936, 64.0, 64.1, 0.1));
}
