//! Many hosts of which some are lost: agents, the controller and the server, killed in the middle of a step.

use crate::fleet::{Fleet, due, intervals, serve, truth};
use crate::place::{soon, typed};
use plimsoll_evidence::Interval;
use plimsoll_record::{Record, RunStatus};
use std::path::Path;

#[test]
fn a_host_that_is_killed_is_named_and_its_load_is_not_given_to_others() {
    let Some(mut fleet) = Fleet::new(&[("a", &[]), ("b", &[])]) else {
        return;
    };
    let words = typed(
        "run null:1GiB --rate 2000 --arrival even --for 12s --warmup 0s --hosts a,b --lease 6s",
    );
    for goes_on in [false, true] {
        if goes_on {
            std::fs::remove_file(fleet.place.path("all.plim")).expect("removed");
            fleet.start("b", &[]);
            soon(|| fleet.there().len() == 2);
        }
        let policy = if goes_on { "continue" } else { "stop" };
        let mut run = fleet.begin(&[&words[..], &["--on-lost", policy]].concat());
        soon(|| {
            Record::open(&fleet.place.path("all.plim"))
                .is_ok_and(|r| r.interval_count(1).is_ok_and(|n| n >= 2))
        });
        fleet.kill("b");
        let status = run.0.wait().expect("ended");
        let record = fleet.record();
        let step = &record.steps().expect("steps")[0];
        assert!(
            step.notes
                .iter()
                .any(|n| n.contains("its part is missing: b")),
            "{:?}",
            step.notes
        );
        let named: Vec<&str> = step.hosts.iter().map(|h| h.name.as_str()).collect();
        assert_eq!(named, ["a"]);
        let lost: Vec<(u32, &str)> = step
            .lost_hosts
            .iter()
            .map(|l| (l.host, l.name.as_str()))
            .collect();
        assert_eq!(lost, [(2, "b")]);
        // What it told before is there.
        let mut told = 0;
        let read = record.each_host_interval(1, |i| told += u32::from(i.host == 2));
        read.expect("readable");
        assert!(told >= 2, "{told}");
        // Half of the rate was its, and stays its.
        assert!(
            step.hosts[0].rate.mean < 1_100.0,
            "{:?}",
            step.hosts[0].rate
        );
        match goes_on {
            false => {
                assert_eq!(status.code(), Some(2));
                assert!(
                    matches!(record.status(), RunStatus::Failed(why) if why.contains("b: it was not heard"))
                );
            }
            true => {
                assert_eq!(*record.status(), RunStatus::Completed);
                assert!((11.9..12.1).contains(&step.counted_s), "{}", step.counted_s);
            }
        }
        soon(|| fleet.there() == [("a".to_string(), None)]);
    }
}

#[test]
fn agents_whose_controller_was_killed_stop_when_the_lease_is_over_and_are_free() {
    let Some(fleet) = Fleet::new(&[("a", &[]), ("b", &[])]) else {
        return;
    };
    let run = fleet.begin(&typed(
        "run null:1GiB --rate 500 --for 10m --warmup 0s --hosts all --lease 6s",
    ));
    soon(|| {
        Record::open(&fleet.place.path("all.plim"))
            .is_ok_and(|r| r.interval_count(1).is_ok_and(|n| n >= 2))
    });
    assert!(fleet.there().iter().all(|(_, busy)| busy.is_some()));
    let had = fleet.record().interval_count(1).expect("readable");
    drop(run);
    soon(|| fleet.there().iter().all(|(_, busy)| busy.is_none()));
    let own = fleet.own();
    assert_eq!(own.len(), 2);
    // One host alone would do another run.
    let refused = |path: &Path| {
        let path = path.to_str().expect("a name");
        fleet
            .place
            .plimsoll(&format!("resume {path}"))
            .refused(&["of several"]);
    };
    refused(&fleet.place.path("all.plim"));
    own.iter().for_each(|own| refused(own.path()));
    for own in &own {
        // Whole and closed, with all that the controller had, and more.
        assert_eq!(*own.status(), RunStatus::Interrupted);
        assert_eq!(own.steps().expect("steps").len(), 1);
        assert!(own.interval_count(1).expect("readable") > had);
    }
}

#[test]
fn no_interval_is_lost_while_the_server_is_killed_and_started_again() {
    let Some(mut fleet) = Fleet::new(&[("a", &[]), ("b", &[])]) else {
        return;
    };
    let mut run = fleet.begin(&typed(
        "run null:1GiB --rate 1000 --for 8s --warmup 0s --hosts a,b",
    ));
    for intervals in [1, 3] {
        soon(|| {
            let record = Record::open(&fleet.place.path("all.plim"));
            record.is_ok_and(|r| r.interval_count(1).is_ok_and(|n| n >= intervals))
        });
        fleet.server = None;
        fleet.server = Some(serve(&fleet.program, fleet.port));
    }
    assert_eq!(run.0.wait().expect("ended").code(), Some(0));
    let (all, truth) = (intervals(&fleet.record()), truth(&fleet.own(), 1));
    assert!(all.len() >= 8);
    let stats = |of: &[Interval]| of.iter().map(|i| i.stats.clone()).collect::<Vec<_>>();
    assert_eq!(stats(&all), stats(&truth));
}

/// Two steps whose rates differ, so that they are told apart.
const TWO_STEPS: &str =
    "run null:1GiB --rate 400,800 --arrival even --for 5s --warmup 0s --lease 8s";

#[test]
fn a_step_in_which_a_host_was_lost_is_set_aside_and_measured_again_by_all() {
    let Some(mut fleet) = Fleet::new(&[("a", &[]), ("b", &[])]) else {
        return;
    };
    let mut run = fleet.begin(&[&typed(TWO_STEPS)[..], &["--hosts", "a,b"]].concat());
    soon(|| {
        Record::open(&fleet.place.path("all.plim"))
            .is_ok_and(|r| r.interval_count(2).is_ok_and(|n| n >= 2))
    });
    fleet.kill("b");
    fleet.start("b", &[]);
    assert_eq!(run.0.wait().expect("ended").code(), Some(0));
    let record = fleet.record();
    assert_eq!(*record.status(), RunStatus::Completed);
    let steps = record.steps().expect("steps");
    let numbers: Vec<u32> = steps.iter().map(|s| s.number).collect();
    assert_eq!(numbers, [1, 3]);
    for (step, rate) in steps.iter().zip([400, 800]) {
        let parts: Vec<u64> = step.hosts.iter().map(|h| h.ios).collect();
        assert_eq!(parts.len(), 2);
        // What came due of both; how much of it was back in time is each host's affair.
        let all_due: u64 = due(&record, step.number).iter().sum();
        assert!(all_due.abs_diff(rate * 5) <= 2, "{all_due}");
        let each: u64 = rate * 5 / 2;
        assert!(parts.iter().all(|p| (1..=each).contains(p)), "{parts:?}");
    }
    let aside = record.steps_set_aside().expect("steps");
    let [aside] = &aside[..] else {
        panic!("{} set aside", aside.len())
    };
    assert_eq!((aside.number, &aside.name), (2, &steps[1].name));
    let why = aside.set_aside.as_deref().expect("a reason");
    assert!(why.contains("b: it was not heard"), "{why}");
    assert_eq!(aside.hosts.len(), 1, "the other's part is there");
    // Each of its intervals is there, too.
    let had = record.interval_count(2).expect("readable");
    assert!(had >= 2, "{had}");
    let notes = &record.environment().notes;
    assert!(
        notes.iter().any(|n| n.contains("is set aside")),
        "{notes:?}"
    );
    // What the controller has of the repetition is what the hosts' own records have of it.
    let own: Vec<Record> = ["a", "b"].iter().flat_map(|n| fleet.own_of(n)).collect();
    assert_eq!(own.len(), 3, "one more of the agent that took the place");
    let sums = own.iter().filter_map(|r| {
        let last = r.steps().expect("steps").last().expect("one").number;
        let all = r.intervals(last).expect("intervals");
        let is_of_it = due(r, last).iter().sum::<u64>().abs_diff(2_000) <= 2;
        is_of_it.then(|| all.iter().map(|i| i.stats.ios()).sum::<u64>())
    });
    let whole: u64 = sums.sum();
    let all = record.intervals(3).expect("intervals");
    assert_eq!(whole, all.iter().map(|i| i.stats.ios()).sum::<u64>());
    let shown = fleet.place.plimsoll("show all.plim").ok();
    shown.says(&["is set aside"]);
    // No export gives it for a result.
    let aside_in = |rows: &str| {
        let words = ["export", "all.plim", "--csv", "--rows", rows];
        let csv = fleet.place.plimsoll(&words).ok().out;
        let aside = csv.lines().filter(|l| l.contains("set_aside")).count();
        (
            aside,
            csv.lines().count() - 1,
            csv.contains("it was not heard"),
        )
    };
    assert_eq!(aside_in("steps").0, 1);
    // Two hosts in each of three steps; of one of them only the reason why it is missing.
    assert_eq!(aside_in("hosts"), (1, 6, true));
    soon(|| fleet.there().iter().all(|(_, busy)| busy.is_none()));
}

#[test]
fn a_step_is_measured_again_once_and_a_host_that_stays_away_ends_the_run() {
    let Some(mut fleet) = Fleet::new(&[("a", &[]), ("b", &[])]) else {
        return;
    };
    for comes_back in [true, false] {
        let mut run = fleet.begin(&[&typed(TWO_STEPS)[..], &["--hosts", "a,b"]].concat());
        let has = |step, intervals| {
            Record::open(&fleet.place.path("all.plim"))
                .is_ok_and(|r| r.interval_count(step).is_ok_and(|n| n >= intervals))
        };
        soon(|| has(1, 2));
        fleet.kill("b");
        if comes_back {
            fleet.start("b", &[]);
            let has = |step, intervals| {
                Record::open(&fleet.place.path("all.plim"))
                    .is_ok_and(|r| r.interval_count(step).is_ok_and(|n| n >= intervals))
            };
            soon(|| has(2, 2));
            fleet.kill("b");
        }
        assert_eq!(run.0.wait().expect("ended").code(), Some(2));
        let record = fleet.record();
        let RunStatus::Failed(why) = record.status().clone() else {
            panic!("{:?}", record.status())
        };
        let expected = match comes_back {
            true => "b: it was not heard",
            false => "b was lost, and did not come back within 8 s",
        };
        assert!(why.contains(expected), "{why}");
        assert_eq!(record.steps_set_aside().expect("steps").len(), 1);
        let numbers: Vec<u32> = record
            .steps()
            .expect("steps")
            .iter()
            .map(|s| s.number)
            .collect();
        // What was lost again is told as it is, and ends the run.
        assert_eq!(numbers, if comes_back { vec![2] } else { vec![] });
        if comes_back {
            drop(record);
            std::fs::remove_file(fleet.place.path("all.plim")).expect("removed");
            fleet.start("b", &[]);
        }
        soon(|| fleet.there().iter().all(|(_, busy)| busy.is_none()));
        soon(|| fleet.there().len() == 1 + usize::from(comes_back));
    }
}
