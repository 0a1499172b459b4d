//! The adaptive curve against limits that others set: a control group's, and an NBD server's.
//!
//! They last a minute each, and what else runs meanwhile takes part of what the limit would let through. So `make test` runs
//! them by themselves.

use crate::control_group::ControlGroup;
use crate::devices::Loop;
use crate::place::{Done, MIB, TestFolder, typed};
use serde_json::Value;
use std::collections::VecDeque;
use std::fs;
use std::path::Path;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

/// I/Os of 4 KiB that each lets through in a second.
const LIMIT: f64 = 400.0;
/// Below the limit nothing waits, for the I/Os come evenly. Half of the response time that the limit is looked for at is the
/// machine's doing, and what was found there says nothing.
const STOOD_STILL_US: f64 = 25_000.0;
/// Number of tries that a machine gets which stands still.
const TRIES: usize = 3;
/// A kernel that is kept from its work lets less through than the limit is. What it did at best is looked at for so long.
const AT_BEST: Duration = Duration::from_secs(3);

const CURVE: &str = "--read 100 --arrival even --depth 16 --adaptive --slo mean=50ms --budget 60s \
     --allow-unwritten --no-record --no-settle --seed 1 --json";

/// A control group of its own that limits reads of a device; `None`, with the reason printed, where there can be none.
fn limiting(device: &str) -> Option<ControlGroup> {
    let blkio = Path::new("/sys/fs/cgroup/blkio");
    if !blkio.join("blkio.throttle.read_iops_device").exists() {
        plimsoll_skipped::skipped!("no control groups with `blkio` are mounted here");
        return None;
    }
    let name = device.trim_start_matches("/dev/");
    let number = fs::read_to_string(format!("/sys/block/{name}/dev")).expect("its number");
    let limit = format!("{} {LIMIT}", number.trim());
    let folder = blkio.join(format!("plimsoll-{}", std::process::id()));
    ControlGroup::new(folder, &[("blkio.throttle.read_iops_device", &limit)])
}

/// Reads of the device that the kernel let through.
fn served(group: &ControlGroup) -> f64 {
    let file = group.folder().join("blkio.throttle.io_serviced");
    let text = fs::read_to_string(file).expect("its counters");
    let reads = text.lines().filter(|l| l.contains(" Read "));
    reads
        .filter_map(|l| l.rsplit(' ').next()?.parse::<f64>().ok())
        .sum()
}

/// The most that the kernel let through in a second of any `AT_BEST`, while this ran.
fn at_best<T>(group: &ControlGroup, run: impl FnOnce() -> T) -> (T, f64) {
    let (runs, over) = mpsc::channel::<()>();
    std::thread::scope(|scope| {
        let watching = scope.spawn(move || {
            let (mut seen, mut best) = (VecDeque::new(), 0.0_f64);
            while over.recv_timeout(Duration::from_millis(100)) == Err(RecvTimeoutError::Timeout) {
                seen.push_back((Instant::now(), served(group)));
                let (now, count) = *seen.back().expect("just put there");
                while seen.front().is_some_and(|(at, _)| now - *at >= AT_BEST) {
                    let (at, before) = seen.pop_front().expect("it is there");
                    best = best.max((count - before) / (now - at).as_secs_f64());
                }
            }
            best
        });
        let done = run();
        // It goes with a panic as well: the scope waits for whoever watches.
        drop(runs);
        (done, watching.join().expect("it only looks"))
    })
}

/// True where the capacity is the limit within its interval or 3 %. Another is wrong, but where the machine stood still, where the kernel
/// itself never let so much through, and where it is left open.
fn found(done: &Done, at_best: f64) -> bool {
    assert!(matches!(done.code, Some(0 | 3)), "{done:#?}");
    let document = done.json();
    let capacity = &document["verdicts"][0]["capacities"][0];
    let half = capacity["iops"]["ci95"].as_f64().unwrap_or(0.0);
    let mean = capacity["iops"]["mean"].as_f64();
    let right = capacity["at_least"] == false
        && mean.is_some_and(|mean| (mean - LIMIT).abs() <= half.max(0.03 * LIMIT));
    let steps = document["steps"].as_array().expect("steps");
    let below = |s: &&Value| {
        s["offered_iops"]
            .as_f64()
            .is_some_and(|rate| rate < 0.98 * LIMIT)
    };
    let longest = |s: &Value| s["response"]["max_us"].as_f64().unwrap_or(0.0);
    let stood_still = steps
        .iter()
        .filter(below)
        .any(|s| longest(s) >= STOOD_STILL_US);
    let starved = at_best < 0.97 * LIMIT;
    // Of a full load a busy kernel lets less through than of I/Os that come evenly, by a third and more. The curve looks no higher, and
    // says that it may be more: that is true.
    let open = capacity["at_least"] == true && mean.is_some_and(|m| m < LIMIT);
    let point = |s: &Value| {
        let number = |s: &Value| s.as_f64().unwrap_or(f64::NAN);
        let longest_ms = longest(s) / 1e3;
        format!(
            "{} of {}, {longest_ms} ms at most",
            number(&s["rate"]["mean"]),
            number(&s["offered_iops"])
        )
    };
    let points: Vec<String> = steps.iter().map(point).collect();
    assert!(
        right || stood_still || starved || open,
        "the kernel at best {at_best}: {capacity:#} {points:#?}"
    );
    right
}

fn ios(document: &Value) -> f64 {
    let steps = document["steps"].as_array().expect("steps");
    steps.iter().filter_map(|s| s["ios"].as_f64()).sum()
}

#[test]
#[ignore = "wants the machine for itself: make test"]
fn a_control_groups_limit_is_the_capacity_that_an_adaptive_curve_finds() {
    let Some(mut disk) = Loop::blank_of(64 * MIB) else {
        return;
    };
    // This takes a minute, and nothing is written.
    disk.let_others_make_one();
    let Some(group) = limiting(&disk.device) else {
        return;
    };
    for _ in 0..TRIES {
        let before = served(&group);
        let words = [&["curve", disk.device.as_str()][..], &typed(CURVE)[..]].concat();
        let (done, at_best) = at_best(&group, || group.run(&disk.place, &words));
        let right = found(&done, at_best);
        // That it was this limit, the kernel says.
        assert!(served(&group) - before >= ios(&done.json()));
        if right {
            return;
        }
    }
    plimsoll_skipped::skipped!(
        "this machine stood still in each try to find a limit, or let too little through"
    );
}

/// A server that lets so many bits a second through. It may save up no more than a fiftieth of a second's of what was not asked
/// for: the curve's points are short.
#[test]
#[ignore = "wants the machine for itself: make test"]
fn an_nbd_servers_limit_is_the_capacity_that_an_adaptive_curve_finds() {
    let place = TestFolder::new();
    let bits = format!("rate={}", LIMIT * 4096.0 * 8.0);
    let server = ["memory", "64M", "--filter=rate", &bits, "burstiness=0.02"];
    let Some(_server) = crate::exports::serve(&place, "s", &server) else {
        return;
    };
    for _ in 0..TRIES {
        let words = [&["curve", "nbd+unix:///?socket=s"][..], &typed(CURVE)[..]].concat();
        if found(&place.plimsoll(&words), LIMIT) {
            return;
        }
    }
    plimsoll_skipped::skipped!(
        "this machine stood still in each try to find a limit, or let too little through"
    );
}
