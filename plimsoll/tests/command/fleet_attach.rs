//! Controllers that are killed, and others that go on with their runs.

use crate::fleet::{Fleet, Running, truth};
use crate::place::soon;
use plimsoll_evidence::Interval;
use plimsoll_record::{Record, RunStatus};
use std::time::Duration;

/// Rates whose even arrivals are whole nanoseconds apart, so that none is due in the instant of a step's end.
const RATES: [u64; 14] = [
    200, 250, 320, 400, 500, 625, 640, 800, 1000, 1250, 1600, 2000, 2500, 3125,
];

/// Steps of the first of them.
fn rates(count: usize) -> String {
    let all: Vec<String> = RATES[..count].iter().map(u64::to_string).collect();
    all.join(",")
}

fn words<'a>(rates: &'a str, length: &'a str, lease: &'a str) -> Vec<&'a str> {
    let head = ["run", "null:1GiB", "--rate", rates, "--arrival", "even"];
    let tail = [
        "--for", length, "--warmup", "0s", "--hosts", "a,b", "--lease", lease,
    ];
    [&head[..], &tail].concat()
}

fn attach(fleet: &Fleet) -> Running {
    fleet.control(&["attach", "all.plim"])
}

fn has(fleet: &Fleet, step: u32, intervals: u32) -> bool {
    Record::open(&fleet.place.path("all.plim"))
        .is_ok_and(|r| r.interval_count(step).is_ok_and(|n| n >= intervals))
}

/// Asserts that the controller's record of each step is, to the last bit, what the hosts' own records come to, and has all that came due.
fn is_the_sum_of_the_hosts_own(fleet: &Fleet, due: &[u64]) {
    let (record, own) = (fleet.record(), fleet.own());
    let stats = |of: &[Interval]| of.iter().map(|i| i.stats.clone()).collect::<Vec<_>>();
    for (step, due) in (1..).zip(due) {
        let all = record.intervals(step).expect("intervals");
        let truth = truth(&own, step);
        assert_eq!(stats(&all), stats(&truth), "step {step}");
        // Whatever came due, those too that a busy host began or had back after the end.
        let ios: u64 = all.iter().map(|i| i.stats.ios()).sum();
        assert_eq!(ios, *due, "step {step}");
    }
}

#[test]
fn a_run_goes_on_under_another_controller_and_no_interval_is_lost() {
    let Some(fleet) = Fleet::new(&[("a", &[]), ("b", &[])]) else {
        return;
    };
    let steps = rates(2);
    let mut run = fleet.begin(&words(&steps, "5s", "20s"));
    fleet.soon(&mut run, |fleet| has(fleet, 1, 2));
    let second = fleet.place.plimsoll(&["attach", "all.plim"]);
    second.refused(&["its controller is alive"]);
    // In the middle of the first step, and again in the second.
    drop(run);
    let mut run = attach(&fleet);
    fleet.soon(&mut run, |fleet| has(fleet, 2, 2));
    drop(run);
    // The step ends while nobody is there.
    std::thread::sleep(Duration::from_secs(4));
    let mut run = attach(&fleet);
    let code = run.0.wait().expect("ended").code();
    assert_eq!(code, Some(0), "{}", fleet.printed());
    let record = fleet.record();
    assert_eq!(*record.status(), RunStatus::Completed);
    let done = record.steps().expect("steps");
    assert_eq!(done.len(), 2);
    for step in &done {
        assert_eq!(step.hosts.len(), 2);
        assert!(step.hosts.iter().all(|h| h.start.bound_ns > 0));
    }
    drop(record);
    is_the_sum_of_the_hosts_own(&fleet, &[1_000, 1_250]);
    let notes = fleet.record().environment().notes.join("\n");
    assert!(notes.contains("its controller was killed"), "{notes}");
    assert!(!fleet.place.path("all.plim.attach").exists());
    let over = fleet.place.plimsoll(&["attach", "all.plim"]);
    over.refused(&["its run is complete"]);
    soon(|| fleet.there().iter().all(|(_, busy)| busy.is_none()));
}

#[test]
fn twenty_controllers_that_are_killed_at_any_instant_lose_nothing() {
    let Some(fleet) = Fleet::new(&[("a", &[]), ("b", &[])]) else {
        return;
    };
    let steps = rates(RATES.len());
    let mut draw = 20_261_124u64;
    let mut next = |below: u64| {
        draw = draw.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (draw >> 33) % below
    };
    let mut run = fleet.begin(&words(&steps, "2s", "30s"));
    fleet.soon(&mut run, |fleet| has(fleet, 1, 1));
    for _ in 0..20 {
        // From before it has found the agents to well within a step, or between two.
        std::thread::sleep(Duration::from_millis(next(2_500)));
        drop(run);
        run = attach(&fleet);
    }
    let code = run.0.wait().expect("ended").code();
    let record = fleet.record();
    let ended = (code, record.status());
    let printed = fleet.printed();
    assert_eq!(ended, (Some(0), &RunStatus::Completed), "{printed}");
    let done = record.steps().expect("steps");
    let due: Vec<u64> = RATES.iter().map(|rate| 2 * rate).collect();
    assert_eq!(done.len(), due.len());
    drop(record);
    is_the_sum_of_the_hosts_own(&fleet, &due);
}

#[test]
fn who_comes_when_the_lease_is_over_is_told_so() {
    let Some(fleet) = Fleet::new(&[("a", &[]), ("b", &[])]) else {
        return;
    };
    let steps = rates(1);
    let mut run = fleet.begin(&words(&steps, "10m", "6s"));
    fleet.soon(&mut run, |fleet| has(fleet, 1, 2));
    drop(run);
    soon(|| fleet.there().iter().all(|(_, busy)| busy.is_none()));
    let late = fleet.place.plimsoll(&["attach", "all.plim"]);
    late.refused(&["no host knows of the run", "lease of 6 s was over"]);
    assert!(!fleet.place.path("all.plim.attach").exists());
    let again = fleet.place.plimsoll(&["attach", "all.plim"]);
    again.refused(&["there is no run of several hosts to go on with"]);
}
