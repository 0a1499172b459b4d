//! fsync and fdatasync after writes: the calls that the kernel sees, and the times that are told of them.

use crate::place::{TestFolder, holds, typed};
use plimsoll_skipped::skipped;
use serde_json::Value;
use std::process::{Command, Stdio};

/// True where strace is there and may trace.
pub fn may_trace() -> bool {
    let tracing = Command::new("strace")
        .args(["-f", "-qq", "-e", "trace=none", "true"])
        .stderr(Stdio::null())
        .status();
    let may = tracing.is_ok_and(|status| status.success());
    if !may {
        skipped!("strace is not installed, or may not trace here");
    }
    may
}

/// Output of the program, and the number of times that the kernel saw each of the two calls on the file `data`; `None` where nobody can
/// look.
fn watched(place: &TestFolder, words: &[&str]) -> Option<(String, usize, usize)> {
    if !may_trace() {
        return None;
    }
    let output = Command::new("strace")
        .args(["-f", "-y", "-e", "trace=fsync,fdatasync", "-o", "trace"])
        .arg(env!("CARGO_BIN_EXE_plimsoll"))
        .args(words)
        .current_dir(place.folder())
        .env("NO_COLOR", "1")
        .output()
        .expect("strace starts");
    let printed = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{printed}");
    let trace = std::fs::read_to_string(place.path("trace")).expect("a trace");
    let calls = |name: &str| {
        let begins = format!(" {name}(");
        let of_data = |line: &&str| line.contains(&begins) && line.contains("/data>");
        trace.lines().filter(of_data).count()
    };
    let out = String::from_utf8_lossy(&output.stdout).into_owned();
    Some((out, calls("fsync"), calls("fdatasync")))
}

/// 16 writes, a sync after each, and one more at the end, which tells of what the page cache could not write back.
const CALLS: usize = 17;

/// A job of 16 writes.
const JOB: &str = "fio --name=d --filename=data --rw=write --ioengine=sync --bs=4k --size=64k --output-format=json,normal";

#[test]
fn a_job_calls_what_it_says_and_tells_its_times() {
    // The first run makes and fills the file. What its mark takes is there without any option, too.
    let place = TestFolder::new();
    place.plimsoll(JOB).ok();
    let Some((_, own, _)) = watched(&place, &typed(JOB)) else {
        return;
    };
    for (option, expected) in [
        ("--fsync=1", (own + CALLS, 0)),
        ("--fdatasync=1", (own, CALLS)),
    ] {
        let words = [&typed(JOB)[..], &[option]].concat();
        let Some((out, fsyncs, fdatasyncs)) = watched(&place, &words) else {
            return;
        };
        assert_eq!((fsyncs, fdatasyncs), expected, "{option}: {out}");
        holds!(
            out,
            "  fsync/fdatasync/sync_file_range:\n    sync (",
            "sync percentiles ("
        );
        let (begin, end) = (out.find('{').expect("JSON"), out.rfind('}').expect("JSON"));
        let reported: Value = serde_json::from_str(&out[begin..=end]).expect("JSON");
        let times = &reported["jobs"][0]["sync"]["lat_ns"];
        assert_eq!(times["N"], 16, "{times}");
        assert!(times["min"].as_u64() > Some(0), "{times}");
        assert!(
            times["percentile"]["50.000000"].as_u64() >= times["min"].as_u64(),
            "{times}"
        );
    }
}

#[test]
fn a_run_counts_its_syncs_apart_and_a_record_gives_them_back() {
    let place = TestFolder::new();
    let words = typed(
        "run data --size 1m --block 4k --read 0 --depth 1 --workers 1 --durability \
         fdatasync_every=2 --for 500ms --interval 100ms --warmup 0s --record r.plim --json",
    );
    let step = of_json(&place.plimsoll(&words).out);
    let (ios, syncs) = (step["ios"].as_u64().expect("I/Os"), &step["syncs"]);
    let count = syncs["count"].as_u64().expect("a count");
    assert!(count > 0 && count.abs_diff(ios / 2) <= 1, "{step}");
    assert_eq!(syncs["errors"], 0);
    assert!(syncs["service"]["mean_us"].as_f64() > Some(0.0), "{syncs}");
    let read = of_json(&place.plimsoll(&["show", "r.plim", "--json"]).out);
    assert_eq!(&read["syncs"], syncs);
    let shown = place.plimsoll(&["show", "r.plim"]).out;
    holds!(
        shown,
        "syncs (fsync, fdatasync, flush), each from its call to its end:"
    );
}

#[test]
fn the_answer_has_the_syncs_that_writes_are_followed_by_and_no_step_has_ten_years() {
    let place = TestFolder::new();
    let job = "[m]\nrw=write\nioengine=sync\nbs=4k\nsize=64k\nfilename=f\n";
    place.text("m.fio", &format!("{job}fdatasync=1\n"));
    let all = place.plimsoll("run --no-record m.fio").ok().out;
    let answer = all
        .split("Answer ")
        .nth(1)
        .expect("an answer")
        .replace('\n', " ");
    assert!(
        answer.contains("each write followed by a sync of "),
        "{all}"
    );
    holds!(all, "] m: max, until it is through, 1 slot");
    assert!(!all.contains("87600h"), "{all}");
    place.text("m.fio", &format!("{job}fsync=4\nnumber_ios=8\n"));
    let all = place.plimsoll("run --no-record m.fio").ok().out;
    holds!(
        all,
        "2 of 8 writes followed by",
        "until 64KiB or 8 I/Os, 1 slot"
    );
}

/// The measured step of a run's JSON.
fn of_json(text: &str) -> Value {
    let reported: Value = serde_json::from_str(text).expect("JSON");
    let steps = reported["steps"].as_array().expect("steps");
    let step = steps.iter().find(|s| s["fill"] != true);
    step.expect("a step").clone()
}
