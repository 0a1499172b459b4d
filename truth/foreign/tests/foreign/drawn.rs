//! Job files that are drawn from a seed, done by the fio of this machine without any I/O: its result is true, whatever it was asked.

use crate::corpus::{ids, judge, result};
use plimsoll_draw::Draw;
use plimsoll_evidence::Severity;
use serde_json::Value;
use std::fmt::Write;

/// Draws in each run of the tests; `PLIMSOLL_DRAWS` asks for more.
pub const DRAWS: u64 = 20;

/// One to three jobs.
pub fn job_file(dice: &mut Draw) -> String {
    let mut text = String::from("[global]\nioengine=null\n");
    if dice.below(2) == 0 {
        text += "group_reporting\n";
    }
    for number in 0..=dice.below(3) {
        let _ = writeln!(text, "[job{number}]");
        job(dice, &mut text);
    }
    text
}

fn job(dice: &mut Draw, text: &mut String) {
    let mut line = |option: &str| {
        if !option.is_empty() {
            *text += option;
            *text += "\n";
        }
    };
    line(dice.of(&[
        "rw=read",
        "rw=randread",
        "rw=write",
        "rw=randwrite",
        "rw=rw",
        "rw=randrw",
        "rw=randrw\nrwmixread=70",
    ]));
    line(dice.of(&[
        "",
        "bs=8k",
        "bs=4k,64k",
        "bs=,16k",
        "bs=16k,",
        "bsrange=4k-16k",
        "bssplit=4k/60:64k/40",
        "bs=1m",
    ]));
    line(dice.of(&["iodepth=1", "iodepth=4", "iodepth=32"]));
    line(dice.of(&["", "", "numjobs=2", "numjobs=3"]));
    line(dice.of(&[
        "",
        "",
        "rate_iops=2000",
        "rate_iops=1000,5000",
        "rate_iops=500,",
        "rate_iops=,500",
        "rate=10m",
        "rate=4m,16m",
        "rate=8m,",
    ]));
    line(dice.of(&[
        "",
        "",
        "",
        "thinktime=500",
        "thinktime=2000\nthinktime_blocks=4",
    ]));
    line(dice.of(&["", "", "startdelay=200ms"]));
    // What is free of a rate ends by its size soon, or goes on for its time.
    line(dice.of(&["size=64m", "size=256m"]));
    line(dice.of(&[
        "time_based\nruntime=300ms",
        "time_based\nruntime=600ms",
        "runtime=400ms",
    ]));
}

/// True where reads or writes were slower than their rates by what fio itself counted: where this machine had no time for them.
fn fell_behind(json: &str, is_grouped: bool) -> bool {
    let root: Value = serde_json::from_str(json).expect("JSON");
    let jobs = root["jobs"].as_array().expect("jobs");
    jobs.iter().any(|job| {
        ["read", "write"].iter().enumerate().any(|(at, side)| {
            let asked = job["job options"]["rate_iops"].as_str().unwrap_or("");
            let parts: Vec<&str> = asked.split(',').collect();
            let asked = parts.get(at).or(parts.first().filter(|_| parts.len() == 1));
            let Some(rate) = asked.and_then(|a| a.parse::<f64>().ok()) else {
                // Of bytes the sizes vary: no arithmetic of one line.
                return job["job options"]["rate"].is_string();
            };
            let came = job[side]["iops"].as_f64().unwrap_or(0.0);
            let clones = job["job options"]["numjobs"]
                .as_str()
                .filter(|_| is_grouped);
            let clones: f64 = clones.and_then(|n| n.parse().ok()).unwrap_or(1.0);
            came > 0.0 && came < 0.995 * rate * clones
        })
    })
}

#[test]
fn a_drawn_job_without_io_is_true_and_no_doubt_is_undeserved() {
    let draws = std::env::var("PLIMSOLL_DRAWS")
        .ok()
        .and_then(|n| n.parse().ok());
    for seed in 0..draws.unwrap_or(DRAWS) {
        let text = job_file(&mut Draw(seed));
        let Some(json) = crate::real::fio(&text, &[]) else {
            return plimsoll_skipped::skipped!("fio is not installed");
        };
        let judgement = judge(&result(&json));
        let mut found = ids(&judgement, Severity::Suspect);
        // True of each of these runs.
        const TRUE: [&str; 4] = [
            "null-engine",
            "too-short",
            "faster-than-storage",
            "workers-busy",
        ];
        found.retain(|id| !TRUE.contains(id));
        // A rate that fio did not keep, and jobs that end apart, are named rightly; a stall is the machine's.
        let late = fell_behind(&json, text.contains("group_reporting"));
        found.retain(|id| {
            *id != "rate-over-the-longest"
                && *id != "stall-hidden"
                && !(late && *id == "rate-missed")
        });
        assert_eq!(
            found, [""; 0],
            "seed {seed}:\n{text}\n{json}\n{:#?}",
            judgement.audit.findings
        );
    }
}
