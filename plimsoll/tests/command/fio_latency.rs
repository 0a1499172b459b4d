//! Depths that fio's jobs search for (`latency_target`), beside what the installed fio finds.

use crate::place::{TestFolder, typed};
use serde_json::Value;
use std::process::Command;
use std::time::{Duration, Instant};

const JOB: &str =
    "--output-format=json --name=x --size=1m --rw=randread --time_based --latency_window=100ms";
/// Fields in which fio tells of a search, and how the job ended.
const FIELDS: [&str; 5] = [
    "error",
    "latency_depth",
    "latency_target",
    "latency_percentile",
    "latency_window",
];

fn job(document: &Value) -> &Value {
    &document["jobs"][0]
}

/// The job here, and how long all of it took; what it says of its search is compared with what fio says.
fn searched(more: &[&str], code: i32) -> (Value, Duration) {
    let place = TestFolder::new();
    let words = [&["fio"], &typed(JOB)[..], more, &["--no-record"]].concat();
    let began = Instant::now();
    let ours = place.plimsoll(&words).exits(code).json();
    let took = began.elapsed();
    let words = [&typed(JOB)[..], more].concat();
    let real = Command::new("fio")
        .args(words)
        .current_dir(place.folder())
        .output();
    let Ok(real) = real else {
        plimsoll_skipped::skipped!("fio is not installed");
        return (ours, took);
    };
    assert_eq!(real.status.code(), Some(code), "{real:?}");
    // Its complaints come before the document.
    let text = String::from_utf8_lossy(&real.stdout);
    let begin = text.find('{').expect("a document");
    let real: Value = serde_json::from_str(&text[begin..]).expect("a document");
    for field in FIELDS {
        assert_eq!(job(&ours)[field], job(&real)[field], "{field}");
    }
    (ours, took)
}

#[test]
fn a_depth_that_always_keeps_its_time_is_the_largest_and_its_window_is_the_result() {
    let null = ["--ioengine=null", "--iodepth=16", "--runtime=1000h"];
    let goal = ["--latency_target=100s", "--latency_percentile=99"];
    let (ours, took) = searched(&[null, [goal[0], goal[1], "--group_reporting"]].concat(), 0);
    assert_eq!(job(&ours)["latency_depth"], 16);
    // The last window alone: an interval, and what was searched before is not in it.
    let read = &job(&ours)["read"];
    let clat = &read["clat_ns"]["N"];
    assert_eq!(
        (&read["total_ios"], &read["iops_samples"]),
        (clat, &1.into())
    );
    // Five depths were looked at before that one, and between two of them two intervals are left out.
    let own = job(&ours)["job_runtime"].as_u64().expect("a time");
    assert!(3 * u128::from(own) < took.as_millis(), "{own} of {took:?}");
    assert_eq!(job(&ours)["iodepth_level"]["16"], 100.0);
}

#[test]
fn where_one_at_a_time_is_too_slow_the_job_fails_if_all_should_keep_the_time() {
    // So much is not copied in so short a time.
    let file = ["--ioengine=psync", "--filename=f", "--bs=1m"];
    let (all, _) = searched(
        &[&file[..], &["--latency_target=1", "--runtime=1000h"]].concat(),
        1,
    );
    assert_eq!(
        (&job(&all)["error"], &job(&all)["latency_depth"]),
        (&110.into(), &1.into())
    );
    let most = typed("--latency_target=1 --latency_percentile=50 --runtime=1");
    let (most, _) = searched(&[&file[..], &most].concat(), 0);
    assert_eq!(
        (&job(&most)["error"], &job(&most)["latency_depth"]),
        (&0.into(), &1.into())
    );
}

#[test]
fn a_search_that_has_not_ended_says_so_and_one_that_goes_on_does_not() {
    let place = TestFolder::new();
    let null = typed("--ioengine=null --iodepth=512 --runtime=1 --latency_target=100s");
    let words = [&["fio"], &typed(JOB)[..], &null, &["--no-record"]].concat();
    let short = place.plimsoll(&words).ok();
    short.warns(&["did not come to their end"]);
    let words = [&words[..], &["--latency_run=1"]].concat();
    let goes_on = place.plimsoll(&words).ok();
    assert!(
        !goes_on.err.contains("did not come to their end"),
        "{}",
        goes_on.err
    );
}
