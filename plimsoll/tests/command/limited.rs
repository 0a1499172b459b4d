//! The adaptive curve against limits that others set: a control group's, and an NBD server's.

use crate::control_group::ControlGroup;
use crate::devices::Loop;
use crate::place::{Done, MIB, Place};
use serde_json::Value;
use std::fs;
use std::path::Path;

/// I/Os of 4 KiB that each lets through in a second.
const LIMIT: f64 = 400.0;
/// Below the limit nothing waits, for the I/Os come evenly. Half of the response time that the limit is looked for at is the
/// machine's doing, and what was found there says nothing.
const STOOD_STILL_US: f64 = 25_000.0;
/// How often a machine that stands still is given another try.
const TRIES: usize = 3;

const CURVE: [&str; 17] = [
    "--read",
    "100",
    "--arrival",
    "even",
    "--depth",
    "16",
    "--adaptive",
    "--slo",
    "mean=50ms",
    "--budget",
    "60s",
    "--allow-unwritten",
    "--no-record",
    "--no-settle",
    "--seed",
    "1",
    "--json",
];

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

/// Whether the capacity is the limit within its interval or 3 %. A wrong one is none where the machine stood still.
fn found(done: &Done) -> bool {
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
    assert!(right || stood_still, "{:#?}", document["verdicts"]);
    right
}

fn ios(document: &Value) -> f64 {
    let steps = document["steps"].as_array().expect("steps");
    steps.iter().filter_map(|s| s["ios"].as_f64()).sum()
}

#[test]
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
        let words = [&["curve", disk.device.as_str()][..], &CURVE].concat();
        let done = group.run(&disk.place, &words);
        let right = found(&done);
        // That it was this limit, the kernel says.
        assert!(served(&group) - before >= ios(&done.json()));
        if right {
            return;
        }
    }
    plimsoll_skipped::skipped!("this machine stood still in each try to find a limit");
}

/// A server that lets so many bits a second through. It may save up no more than a fiftieth of a second's of what was not asked
/// for: the curve's points are short.
#[test]
fn an_nbd_servers_limit_is_the_capacity_that_an_adaptive_curve_finds() {
    let place = Place::new();
    let bits = format!("rate={}", LIMIT * 4096.0 * 8.0);
    let server = ["memory", "64M", "--filter=rate", &bits, "burstiness=0.02"];
    let Some(_server) = crate::exports::serve(&place, "s", &server) else {
        return;
    };
    for _ in 0..TRIES {
        let words = [&["curve", "nbd+unix:///?socket=s"][..], &CURVE].concat();
        if found(&place.plimsoll(&words)) {
            return;
        }
    }
    plimsoll_skipped::skipped!("this machine stood still in each try to find a limit");
}
