//! What everyone else saw: the kernel's counters beside what was reported, on devices that nobody else uses.

use crate::control_group::ControlGroup;
use crate::devices::{Loop, output};
use crate::measuring::assert_valid;
use crate::place::{MIB, TestFolder, root_or_skip, typed};
use crate::underway::Underway;
use plimsoll_evidence::witnessed::DeviceUse;
use plimsoll_evidence::{Interval, Witnessed};
use serde_json::json;
use std::fs;
use std::path::Path;

/// Every interval of a record's first step, the drain too.
fn intervals(place: &TestFolder, record: &str) -> Vec<Interval> {
    let record = plimsoll_record::Record::open(&place.path(record)).expect("a record");
    record.intervals(1).expect("intervals")
}

/// Observations of all of them together.
fn seen_over(intervals: &[Interval]) -> Witnessed {
    let mut sum = Witnessed::default();
    for interval in intervals {
        let seen = interval.witnessed.as_deref().expect("somebody looked");
        sum.append(seen.clone());
    }
    sum
}

/// Places of the operations in a stream's counters.
const READ: usize = 0;
const WRITE: usize = 1;

/// I/Os and bytes that were reported of an operation.
fn reported(intervals: &[Interval], op: usize) -> (u64, u64) {
    let streams = intervals.iter().flat_map(|i| &i.stats.streams);
    let ops = streams.map(|s| &s.ops[op]);
    ops.fold((0, 0), |(ios, bytes), o| (ios + o.ios, bytes + o.bytes))
}

/// Exactly what was reported of it is what the device has done.
fn reconcile(device: &DeviceUse, intervals: &[Interval]) {
    let (reads, read_bytes) = reported(intervals, READ);
    let (writes, written_bytes) = reported(intervals, WRITE);
    assert!(reads > 0 && writes > 0);
    assert_eq!(device.reads + device.reads_merged, reads);
    assert_eq!(device.writes + device.writes_merged, writes);
    assert_eq!(device.read_bytes, read_bytes);
    assert_eq!(device.written_bytes, written_bytes);
    assert_eq!(device.in_flight, 0);
}

fn name_of(device: &str) -> &str {
    device.trim_start_matches("/dev/")
}

/// Reads and writes a device that holds nothing.
fn half_and_half(place: &TestFolder, device: &str) {
    let line = format!("run {device} --read 50 --block 4k --depth 4");
    let words = typed(&line);
    let flags = ["--allow-unwritten", "--record", "r.plim", "--json", "-q"];
    let document = place.quick(&[&words[..], &flags].concat()).ok().json();
    assert_valid(&document);
    let counted = &document["steps"][0]["witnessed"];
    let devices = counted["devices"].as_array().expect("devices");
    assert_eq!(devices[0]["name"], json!(name_of(device)));
    assert!(devices[0]["reads"].as_u64() > Some(0), "{counted}");
}

#[test]
fn a_loop_device_has_done_exactly_what_was_reported_and_so_has_this_process() {
    let Some(disk) = Loop::blank() else { return };
    half_and_half(&disk.place, &disk.device);
    let intervals = intervals(&disk.place, "r.plim");
    let seen = seen_over(&intervals);
    let leaf = seen
        .device(name_of(&disk.device))
        .expect("it was looked at");
    reconcile(leaf, &intervals);
    // What the kernel holds of this process has the record's own writes in it, too.
    if let Some(own) = seen.own {
        // Pages of the program itself may be read meanwhile.
        assert!(own.read_bytes >= leaf.read_bytes);
        assert!(own.written_bytes >= leaf.written_bytes);
    }
}

/// A zram device of its own; gone when dropped.
struct Zram {
    number: String,
    device: String,
}

impl Zram {
    fn new(bytes: u64) -> Option<Self> {
        if !root_or_skip("zram") {
            return None;
        }
        let Ok(number) = fs::read_to_string("/sys/class/zram-control/hot_add") else {
            plimsoll_skipped::skipped!("zram cannot be added here");
            return None;
        };
        let number = number.trim().to_string();
        let zram = Zram {
            device: format!("/dev/zram{number}"),
            number,
        };
        let size = format!("/sys/block/zram{}/disksize", zram.number);
        fs::write(size, bytes.to_string()).expect("its size");
        if !Path::new(&zram.device).exists() {
            plimsoll_skipped::skipped!("zram has no node here");
            return None;
        }
        Some(zram)
    }
}

impl Drop for Zram {
    fn drop(&mut self) {
        let _ = fs::write(format!("/sys/block/zram{}/reset", self.number), "1");
        let _ = fs::write("/sys/class/zram-control/hot_remove", &self.number);
    }
}

#[test]
fn a_zram_device_has_done_exactly_what_was_reported() {
    let Some(zram) = Zram::new(16 * MIB) else {
        return;
    };
    let place = TestFolder::new();
    half_and_half(&place, &zram.device);
    let intervals = intervals(&place, "r.plim");
    let seen = seen_over(&intervals);
    reconcile(
        seen.device(name_of(&zram.device)).expect("seen"),
        &intervals,
    );
}

/// Both read the same device, which cannot tell who they are: the difference to what this process did is somebody else's.
#[test]
fn what_another_process_reads_of_the_device_is_more_than_this_one_did() {
    let Some(disk) = Loop::blank() else { return };
    let line = format!("run {} --rate 200 --for 60s --warmup 0s", disk.device);
    let words = typed(&line);
    let flags = typed("--interval 100ms --allow-unwritten --record r.plim");
    let mut run = Underway::start(&disk.place, &[&words[..], &flags].concat());
    run.until_interval(2);
    let from = format!("if={}", disk.device);
    let read = ["of=/dev/null", "bs=1M", "count=8", "iflag=direct"];
    let read = output("dd", &[&[from.as_str()], &read[..]].concat());
    run.interrupt();
    run.end().exits(2);
    read.expect("dd reads");
    let intervals = intervals(&disk.place, "r.plim");
    let seen = seen_over(&intervals);
    let leaf = seen.device(name_of(&disk.device)).expect("seen");
    let (_, own_bytes) = reported(&intervals, READ);
    assert_eq!(leaf.read_bytes - own_bytes, 8 * MIB);
    if let Some(own) = seen.own {
        assert!(own.read_bytes >= own_bytes && own.read_bytes < own_bytes + 8 * MIB);
    }
}

/// A control group of its own that may use a twentieth of a CPU; `None`, with the reason printed, where there can be none.
fn with_little_cpu() -> Option<ControlGroup> {
    if !root_or_skip("a control group") {
        return None;
    }
    let name = format!("plimsoll-little-{}", std::process::id());
    let all = Path::new("/sys/fs/cgroup");
    match all.join("cgroup.controllers").exists() {
        true => ControlGroup::new(all.join(name), &[("cpu.max", "5000 100000")]),
        false => ControlGroup::new(
            all.join("cpu").join(name),
            &[
                ("cpu.cfs_period_us", "100000"),
                ("cpu.cfs_quota_us", "5000"),
            ],
        ),
    }
}

#[test]
fn a_control_group_that_keeps_the_process_from_its_cpus_is_seen() {
    let Some(group) = with_little_cpu() else {
        return;
    };
    let place = TestFolder::new();
    let words = typed("run null:1GiB --for 500ms --interval 250ms --warmup 0s");
    let done = group.run(
        &place,
        &[&words[..], &["--record", "r.plim", "-q"]].concat(),
    );
    // So little may make rules find the run invalid, and that is code 1.
    assert!(matches!(done.code, Some(0 | 1)), "{done:?}");
    let seen = seen_over(&intervals(&place, "r.plim"));
    let limits = seen.cgroup.expect("its groups");
    assert_eq!(limits.cpu_limit, Some(0.05));
    assert!(limits.throttled_periods > 0 && limits.throttled_s > 0.0);
    // Outside of it nothing of that is seen.
    place.quick("run null:1GiB --record free.plim -q").ok();
    let free = seen_over(&intervals(&place, "free.plim"));
    assert!(free.cgroup.is_none_or(|c| c.cpu_limit != Some(0.05)));
}

#[test]
fn each_worker_tells_its_time_in_each_interval_and_the_record_its_writes() {
    let place = TestFolder::new();
    place
        .quick("run null:1GiB --workers 2 --record r.plim -q")
        .ok();
    let all = intervals(&place, "r.plim");
    assert!(all.len() >= 3);
    for interval in &all {
        let seen = interval.witnessed.as_deref().expect("somebody looked");
        if seen.threads.is_empty() {
            plimsoll_skipped::skipped!("this kernel does not tell what threads wait");
            return;
        }
        assert_eq!(seen.threads.len(), 2);
        let ran: f64 = seen.threads.iter().map(|t| t.ran_s).sum();
        let counted = interval.stats.worker_cpu_ns as f64 / 1e9;
        assert!((ran - counted).abs() < 1e-6, "{ran} {counted}");
        assert!(!seen.cpus.is_empty());
    }
    let seen = |n: usize| all[n].witnessed.as_deref();
    let record = |n: usize| seen(n).and_then(|s| s.record.clone()).expect("its record");
    assert_eq!(
        record(0).written_bytes,
        0,
        "it is written after the interval"
    );
    assert!(record(1).written_bytes > 0);
}

#[test]
fn without_a_record_nothing_is_written_and_in_virtual_time_nobody_looks() {
    let place = TestFolder::new();
    let words = ["run", "null:1GiB", "--no-record", "--json", "-q"];
    let real = place.quick(&words).ok().json();
    assert_valid(&real);
    let seen = &real["steps"][0]["witnessed"];
    assert!(seen["observed_s"].as_f64() > Some(0.0) && seen["record"].is_null());
    let words = typed("run lab:single-ssd?size=1g --no-record --json -q");
    let simulated = place.quick(&words).json();
    assert_valid(&simulated);
    assert!(simulated["steps"][0].get("witnessed").is_none());
}

#[test]
fn what_lay_in_the_page_cache_before_a_run_is_told_and_the_rule_says_it() {
    const SIZE: u64 = 32 * MIB;
    // One that memory is made of would be in the cache whatever is done.
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder");
    let place = TestFolder::in_folder(folder);
    let path = place.foreign("file", SIZE);
    let file = fs::File::open(&path).expect("it was written");
    file.sync_all().expect("it is on its disk");
    rustix::fs::fadvise(&file, 0, None, rustix::fs::Advice::DontNeed).expect("it is dropped");
    let words = ["run", "file", "--block", "8k", "--depth", "2", "--json"];
    let flags = ["--caching", "buffered", "--no-record", "-q"];
    let words = [&words[..], &flags].concat();
    let before = || {
        let document = place.quick(&words).json();
        let findings = document["findings"].as_array().expect("findings").iter();
        let mut said = findings.filter(|f| f["rule"] == "PL120");
        let said = said.next().map(|f| f["message"].to_string());
        let cache = document["steps"][0]["witnessed"]["caches"][0].clone();
        assert_eq!(cache["target_bytes"], json!(SIZE));
        (cache["cached_before_bytes"].as_u64().expect("told"), said)
    };
    // What is looked at before a run, to see whether it holds data, is read.
    let (dropped, _) = before();
    assert!(dropped < SIZE / 8, "{dropped}");
    fs::read(&path).expect("all of it is read");
    // Nothing is said while others read as much of the disk as this run asks the cache for.
    let (cached, said) = (0..10)
        .find_map(|_| match before() {
            (cached, Some(said)) => Some((cached, said)),
            (_, None) => None,
        })
        .expect("the cache answered");
    // Nearly: a kernel may drop some cold pages before the run looks.
    assert!(cached > SIZE / 10 * 9 && cached <= SIZE, "{cached}");
    let share = said
        .split_once("Of what was read from, ")
        .and_then(|(_, rest)| rest.split_once("% lay in memory at the beginning"));
    let share: f64 = share
        .unwrap_or_else(|| panic!("{said}"))
        .0
        .parse()
        .expect("a share in percent");
    let counted = cached as f64 / SIZE as f64 * 100.0;
    assert!(
        (share - counted).abs() < 0.6,
        "{share} is said, {counted} counted"
    );
}
