//! What is said of closed loops that are held back.

use crate::synthetic::*;
use plimsoll_evidence::{Finding, Interval, Quantity, StepEvidence};
use plimsoll_measure::IntervalStats;
use plimsoll_methods::{StepFacts, judge, load_words};
use plimsoll_plan::{Arrival, Bytes, Load, Nanos, Rate, Step, Think, Throttle};

fn held(throttle: Throttle) -> Step {
    let mut step = step(Load::Max);
    step.streams[0].throttle = throttle;
    step
}

fn at_most(rate: f64) -> Throttle {
    Throttle::rate(Rate(rate))
}

fn think(time: Nanos) -> Throttle {
    Throttle::think(Think::new(time, 1, Arrival::Even))
}

/// 30 s of a rate.
fn at(rate: f64) -> Vec<Interval> {
    let queue = Queue::new(rate, 200_000.0, 0.0);
    let mut all = intervals(queue, 30);
    all.iter_mut().for_each(|i| i.stats.streams[0].due = 0);
    all
}

fn judged(step: &Step, intervals: &[Interval]) -> StepEvidence {
    judge(step, 1, intervals, &StepFacts::clean(2))
}

fn rules(evidence: &StepEvidence) -> Vec<&str> {
    evidence.findings.iter().map(|f| f.rule.as_str()).collect()
}

fn value<'f>(finding: &'f Finding, name: &str) -> &'f Quantity {
    let found = finding.values.iter().find(|v| v.name == name);
    &found.expect("a value").quantity
}

#[test]
fn a_cap_is_said_to_be_reached_or_not_and_is_no_open_loop() {
    for (rate, rule, words) in [
        (
            1000.0,
            "cap-reached",
            "Workload `wd1` reached its most of 1,000/s: ",
        ),
        (
            700.0,
            "cap-not-reached",
            "Workload `wd1` came to 699/s of its most of 1,000/s: the target,",
        ),
    ] {
        let e = judged(&held(at_most(1000.0)), &at(rate));
        assert_eq!((e.offered, e.saturation), (None, None));
        assert_eq!(e.load, "max, at most 1,000/s");
        assert_eq!(rules(&e), [rule]);
        assert!(
            e.findings[0].message.starts_with(words),
            "{}",
            e.findings[0].message
        );
        let Quantity::PerSecond(came_to) = value(&e.findings[0], "came_to") else {
            panic!("{:?}", e.findings[0])
        };
        assert!((came_to / rate - 1.0).abs() < 0.01, "{came_to}");
    }
    // Bytes are counted as bytes: 1000/s of 4 KiB.
    let bandwidth = |bytes| Throttle::bandwidth(Bytes(bytes));
    let e = judged(&held(bandwidth(4_096_000)), &at(1000.0));
    assert_eq!(rules(&e), vec!["cap-reached"]);
    assert_eq!(e.load.as_str(), "max, at most 4000KiB/s");
    assert!(
        e.findings[0].message.contains("its most of 3.9 MiB/s"),
        "{}",
        e.findings[0].message
    );
    let e = judged(&held(bandwidth(8_192_000)), &at(1000.0));
    assert_eq!(rules(&e), ["cap-not-reached"]);
}

#[test]
fn a_cap_of_few_ios_is_not_missed_by_the_edges_of_the_counted_time() {
    // One each 3 s: in 30 s nine, ten or eleven complete.
    for ios in [9, 10, 11] {
        let mut all = at(1000.0);
        for (n, interval) in all.iter_mut().enumerate() {
            interval.stats = IntervalStats::new(1);
            interval.stats.streams[0].ops[0].ios = u64::from(n >= 2 && n - 2 < ios);
        }
        let e = judged(&held(at_most(1.0 / 3.0)), &all);
        assert!(rules(&e).contains(&"cap-reached"), "{ios}: {:?}", rules(&e));
    }
}

#[test]
fn a_pause_that_the_plan_asks_for_is_no_standstill() {
    // Nothing completes in the eleventh to the fifteenth second.
    let mut all = at(1000.0);
    for interval in &mut all[12..17] {
        interval.stats = IntervalStats::new(1);
        interval.stats.samples = vec![Default::default(); 10];
    }
    let found = |throttle| {
        let e = judged(&held(throttle), &all);
        rules(&e).contains(&"target-stood-still")
    };
    assert!(found(Throttle::default()));
    assert!(found(think(Nanos(100_000_000))));
    assert!(!found(think(Nanos::secs(2))));
    assert!(found(at_most(1000.0)) && !found(at_most(0.5)));
}

/// Users who all think as long come in waves: that is the plan's, and no unsteady target.
#[test]
fn the_rate_of_users_who_think_may_come_in_waves() {
    let mut all = at(1000.0);
    for (n, interval) in all.iter_mut().enumerate() {
        let rate = if n < 20 { 300.0 } else { 1000.0 };
        let queue = Queue::new(rate, 200_000.0, 0.0);
        *interval = second(queue, n as u32 + 1, n < 2);
        interval.stats.streams[0].due = 0;
    }
    assert!(!rules(&judged(&held(Throttle::default()), &all)).is_empty());
    let e = judged(&held(think(Nanos::secs(1))), &all);
    assert_eq!(rules(&e), [""; 0]);
}

#[test]
fn loads_are_said_with_what_holds_them_back() {
    let mut step = held(think(Nanos(5_000_000)));
    assert_eq!(load_words(&step), "max, think 5ms");
    step.streams.push(stream("scan", 1.0));
    assert_eq!(load_words(&step), "max, wd1: think 5ms");
    step.streams[1].throttle = at_most(10.0);
    assert_eq!(load_words(&step), "max, wd1: think 5ms; scan: at most 10/s");
    step.streams[1].throttle = Throttle::default();
    step.streams[1].fixed_rate = Some(Rate(50.0));
    assert_eq!(
        load_words(&step),
        "max, wd1: think 5ms, beside 50/s of their own"
    );
}
