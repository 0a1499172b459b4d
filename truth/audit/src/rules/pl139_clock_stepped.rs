use crate::{RuleAnswer, RuleFinding, RunView, others};
use plimsoll_evidence::{Quantity, StepEvidence, Witnessed};
use plimsoll_printable::human;

rule! {
    139 "clock-stepped" Run(check) NOTE pitfalls [60] {
        summary: "The wall clock was set while it ran.",
        why: "Plimsoll measures with a clock that nobody sets, so its times stay right. What does not is what is laid beside \
            them by the time of day: the array's own log, another host's record, a disturbance that was noted by hand.",
        threshold: "The wall clock went forward or back beside the monotonic one by more than 10 ms and a thousandth of an interval.",
        source: "Both clocks, read together each interval. A clock that is led in the usual way gains or loses 500 us a second at \
            most.",
        example: "NTP started in the middle of a run and set the clock back by 3.2 s: the array's log has those seconds twice.",
        remedy: "Let the clock be synchronised before the run, and match logs by the monotonic times.",
    }
    fires: |o| stepped(o, -3_200_000_000),
    clean: |o| stepped(o, 600_000_000),
}

fn check(view: &RunView<'_>) -> RuleAnswer {
    let clocks = |seen: &Witnessed| seen.clocks;
    others::ask(view, "the clocks", clocks, |step, seen, clocks| {
        let most = clocks.stepped_ns;
        (beyond_leading(view, step, seen, most))
            .then(|| finding(most))
            .into_iter()
            .collect()
    })
}

/// Whether an interval has more than a clock that is led may gain or lose in it. Of a step whose intervals are not known only
/// the largest is.
fn beyond_leading(view: &RunView<'_>, step: &StepEvidence, seen: &Witnessed, most: i64) -> bool {
    let beyond = |stepped_ns: i64, over_s: f64| {
        stepped_ns.unsigned_abs() as f64 > LEAST_NS + LED * over_s * 1e9
    };
    let course = view.course(step.number);
    let parts = course.into_iter().flat_map(|c| &c.parts);
    let known: Vec<&Witnessed> = parts.filter_map(|p| p.witnessed.as_ref()).collect();
    match known.is_empty() {
        true => beyond(most, seen.observed_s),
        false => known
            .iter()
            .any(|w| w.clocks.is_some_and(|c| beyond(c.stepped_ns, w.observed_s))),
    }
}

fn finding(stepped_ns: i64) -> RuleFinding {
    let way = if stepped_ns < 0 { "back" } else { "forward" };
    let message = format!(
        "The wall clock was set {way} by {}.",
        human::time(stepped_ns.unsigned_abs() as f64)
    );
    RuleFinding::new(message).judged(
        "stepped",
        Quantity::Ns(stepped_ns as f64),
        LEAST_NS.copysign(stepped_ns as f64),
    )
}

const LEAST_NS: f64 = 10e6;
const LED: f64 = 1e-3;

#[cfg(test)]
fn stepped(o: &mut crate::known::Observed, stepped_ns: i64) {
    o.witnessed().clocks.as_mut().expect("clocks").stepped_ns = stepped_ns;
}

#[test]
fn with_the_intervals_known_a_step_of_milliseconds_is_told_from_leading() {
    let with = |stepped_ns: i64| {
        let case = crate::known::changed(|o| {
            stepped(o, stepped_ns);
            let mut seen = Witnessed {
                observed_s: 1.0,
                ..Witnessed::default()
            };
            seen.clocks = Some(plimsoll_evidence::witnessed::ClockSteps {
                stepped_ns,
                suspended_ns: 0,
                gained_ns: 0,
            });
            o.courses[0].parts[7].witnessed = Some(seen);
        });
        crate::known::found(check(&case.view())).len()
    };
    assert_eq!(
        (with(500_000), with(10_900_000), with(-11_100_000)),
        (0, 0, 1)
    );
}
