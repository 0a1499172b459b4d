//! Several hosts on one array of the lab, in one virtual time.

use crate::place::{TestFolder, typed};
use plimsoll_evidence::merge::merged;
use plimsoll_evidence::{Interval, StepEvidence};
use plimsoll_record::{Record, RunStatus};

const EVEN: &str =
    "run lab:curve-8k --read 70 --block 8k --rate 4000 --arrival even --for 6s --warmup=0s";

fn run(place: &TestFolder, words: &[&str], name: &str) -> Record {
    let all = [words, &["--seed", "3", "--record", name]].concat();
    place.plimsoll(&all).ok();
    Record::open(&place.path(name)).expect("a record")
}

fn step(record: &Record) -> StepEvidence {
    record.steps().expect("steps").pop().expect("a step")
}

fn of_host(record: &Record, host: u32) -> Vec<Interval> {
    let mut all = Vec::new();
    record
        .each_interval_of(1, host, |i| all.push(i))
        .expect("readable");
    all
}

/// I/Os of each host, also those I/Os too that came back after the end.
fn parts(record: &Record) -> Vec<(String, u64)> {
    let ios = |host| of_host(record, host).iter().map(|i| i.stats.ios()).sum();
    let all = step(record).hosts;
    all.into_iter().map(|h| (h.name, ios(h.host))).collect()
}

fn each(names: &[&str], ios: u64) -> Vec<(String, u64)> {
    names.iter().map(|name| (name.to_string(), ios)).collect()
}

#[test]
fn four_hosts_with_one_even_schedule_are_one_host_with_it() {
    let place = TestFolder::new();
    let alone = run(&place, &typed(EVEN)[..], "one.plim");
    let four = run(
        &place,
        &[&typed(EVEN)[..], &["--hosts", "sim:4"]].concat(),
        "four.plim",
    );
    let (one, all) = (
        alone.intervals(1).expect("intervals"),
        four.intervals(1).expect("intervals"),
    );
    assert_eq!(one.len(), all.len());
    for (one, all) in one.iter().zip(&all) {
        let due = |i: &Interval| i.stats.streams[0].due;
        assert_eq!(due(one), due(all), "interval {}", one.number);
    }
    // The same instants, and an array that knows no hosts: only which address is asked for when is another draw.
    let mean = |r: &Record| step(r).response_mean_ns.mean;
    assert!((mean(&alone) / mean(&four) - 1.0).abs() < 0.02);
    assert_eq!(parts(&four), each(&["sim1", "sim2", "sim3", "sim4"], 6_000));
    // What is recorded of all is what the hosts' own come to.
    let own: Vec<Vec<Interval>> = (1..=4).map(|h| of_host(&four, h)).collect();
    for (at, all) in all.iter().enumerate() {
        let parts = own.iter().map(|o| o.get(at).cloned()).collect();
        let truth = merged(parts).expect("an interval");
        assert_eq!(all.stats, truth.stats, "interval {}", all.number);
    }
}

#[test]
fn one_seed_is_one_result_and_a_slow_link_is_its_host_s_alone() {
    let place = TestFolder::new();
    let words = [&typed(EVEN)[..], &["--hosts", "sim:3?slow=2:3ms"]].concat();
    let (first, again) = (run(&place, &words, "a.plim"), run(&place, &words, "b.plim"));
    for host in 0..=3 {
        assert_eq!(of_host(&first, host), of_host(&again, host), "host {host}");
    }
    let evidence = step(&first);
    let means: Vec<f64> = evidence
        .hosts
        .iter()
        .map(|h| h.response_mean_ns.mean / 1e6)
        .collect();
    assert!((means[1] - means[0] - 3.0).abs() < 0.05, "{means:?}");
    assert!((means[2] - means[0]).abs() < 0.05, "{means:?}");
    let apart = "the hosts' response times are apart: in the mean sim2 had";
    let said = evidence.notes.iter().any(|n| n.contains(apart));
    assert!(said, "{:?}", evidence.notes);
}

#[test]
fn a_host_that_is_gone_is_named_and_its_load_goes_to_no_other() {
    let place = TestFolder::new();
    let words = [
        &typed(EVEN)[..],
        &["--seed", "3", "--hosts", "sim:4?lost=3:2500ms"],
    ]
    .concat();
    let stopped = place
        .plimsoll(&[&words[..], &["--record", "s.plim"]].concat())
        .exits(2);
    let why = "the step is not whole, sim3: it was gone without a word";
    stopped.warns(&[why, "--on-lost continue"]);
    let record = Record::open(&place.path("s.plim")).expect("a record");
    assert!(matches!(record.status(), RunStatus::Failed(_)));
    let ended = record
        .intervals(1)
        .expect("intervals")
        .iter()
        .map(|i| i.length_ns)
        .sum::<u64>();
    assert!(ended < 5_000_000_000, "it ended early: {ended}");
    let goes_on = [&words[..], &["--on-lost", "continue", "--record", "c.plim"]].concat();
    place.plimsoll(&goes_on).ok();
    let record = Record::open(&place.path("c.plim")).expect("a record");
    let evidence = step(&record);
    assert_eq!(parts(&record), each(&["sim1", "sim2", "sim4"], 6_000));
    assert_eq!(evidence.lost_hosts[0].name, "sim3");
    // What it had told is there: two whole intervals.
    let all = record.intervals(1).expect("intervals");
    assert_eq!(
        all.iter().map(|i| i.stats.ios()).sum::<u64>(),
        18_000
            + of_host(&record, 3)
                .iter()
                .map(|i| i.stats.ios())
                .sum::<u64>()
    );
    assert_eq!(of_host(&record, 3).len(), 2);
}

#[test]
fn a_hot_core_is_named_whoever_many_hosts_ask_it() {
    let place = TestFolder::new();
    let words = |depth| {
        [
            "run",
            "lab:scale-out-flash-8",
            "--block",
            "8k",
            "--depth",
            depth,
            "--range",
            "0-64k",
            "--for",
            "10s",
        ]
    };
    let one = run(&place, &words("128"), "one.plim");
    let four = run(
        &place,
        &[&words("32")[..], &["--hosts", "sim:4"]].concat(),
        "four.plim",
    );
    let (one, four) = (step(&one), step(&four));
    let cause = |s: &StepEvidence| s.limit.as_ref().expect("a limit").cause;
    assert_eq!(cause(&one), cause(&four));
    assert!((one.rate.mean / four.rate.mean - 1.0).abs() < 0.02);
    let sentence = format!("{:?}", cause(&four));
    assert_eq!(sentence, "HotOwner");
}

#[test]
fn methods_see_hosts_of_the_lab_as_they_see_one_host() {
    let place = TestFolder::new();
    let words = |depth| {
        let head = typed("curve lab:curve-8k --read 100 --block 8k --percents 10,50,90");
        [
            &head[..],
            &["--for", "5s", "--warmup", "1s", "--depth", depth],
        ]
        .concat()
    };
    let one = run(&place, &words("512"), "one.plim");
    let four = run(
        &place,
        &[&words("128")[..], &["--hosts", "sim:4"]].concat(),
        "four.plim",
    );
    let rates = |r: &Record| -> Vec<f64> {
        let all = r.steps().expect("steps");
        all.iter().map(|s| s.rate.mean).collect()
    };
    let (one, four) = (rates(&one), rates(&four));
    assert_eq!(one.len(), four.len());
    for (one, four) in one.iter().zip(&four) {
        assert!((one / four - 1.0).abs() < 0.02, "{one} and {four}");
    }
}

#[test]
fn what_hosts_of_the_lab_cannot_do_is_refused() {
    let place = TestFolder::new();
    let run = |words: &[&str]| place.plimsoll(&[&["run"], words, &["--no-record"]].concat());
    for (words, said) in [
        (
            ["null:1g", "--hosts", "sim:2"],
            "null:1g is not simulated, and the hosts are",
        ),
        (
            ["lab:curve-8k", "--hosts", "sim:0"],
            "the number of hosts is 1 to 1000",
        ),
        (
            ["lab:curve-8k", "--hosts", "sim:2?slow=3:1ms"],
            "there are 2 hosts",
        ),
        (
            ["lab:curve-8k", "--hosts", "sim:2?slow=1"],
            "says nothing of a host",
        ),
        (["lab:curve-8k", "--hosts", "sim:2,a"], "name sim:N alone"),
    ] {
        run(&words).refused(&[said]);
    }
    run(&["lab:curve-8k", "--hosts", "sim:2", "--lease", "9s"])
        .refused(&["--lease is of hosts that are reached"]);
}
