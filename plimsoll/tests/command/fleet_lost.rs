//! Many hosts of which some are lost: agents, the controller and the server, killed in the middle of a step.

use crate::fleet::{Fleet, intervals, serve, truth};
use crate::place::soon;
use plimsoll_evidence::Interval;
use plimsoll_record::{Record, RunStatus};
use std::path::Path;

#[test]
fn a_host_that_is_killed_is_named_and_its_load_is_not_given_to_others() {
    let Some(mut fleet) = Fleet::new(&[("a", &[]), ("b", &[])]) else {
        return;
    };
    let words = [
        "run",
        "null:1GiB",
        "--rate",
        "2000",
        "--arrival",
        "even",
        "--for",
        "12s",
        "--warmup",
        "0s",
        "--hosts",
        "a,b",
        "--lease",
        "6s",
    ];
    for goes_on in [false, true] {
        if goes_on {
            std::fs::remove_file(fleet.place.path("all.plim")).expect("removed");
            fleet.start("b", &[]);
            soon(|| fleet.there().len() == 2);
        }
        let more: &[&str] = if goes_on {
            &["--on-lost", "continue"]
        } else {
            &[]
        };
        let mut run = fleet.begin(&[&words[..], more].concat());
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
    let run = fleet.begin(&[
        "run",
        "null:1GiB",
        "--rate",
        "500",
        "--for",
        "10m",
        "--warmup",
        "0s",
        "--hosts",
        "all",
        "--lease",
        "6s",
    ]);
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
            .plimsoll(&["resume", path])
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
    let mut run = fleet.begin(&[
        "run",
        "null:1GiB",
        "--rate",
        "1000",
        "--for",
        "8s",
        "--warmup",
        "0s",
        "--hosts",
        "a,b",
    ]);
    for intervals in [1, 3] {
        soon(|| {
            let record = Record::open(&fleet.place.path("all.plim"));
            record.is_ok_and(|r| r.interval_count(1).is_ok_and(|n| n >= intervals))
        });
        fleet.server = None;
        fleet.server = Some(serve(&fleet.program, fleet.port));
    }
    assert_eq!(run.0.wait().expect("ended").code(), Some(0));
    let (all, truth) = (intervals(&fleet.record()), truth(&fleet.own()));
    assert!(all.len() >= 8);
    let stats = |of: &[Interval]| of.iter().map(|i| i.stats.clone()).collect::<Vec<_>>();
    assert_eq!(stats(&all), stats(&truth));
}
