//! What ends fio's jobs before their time: a steady state, a least rate, a longest latency.

use crate::place::Place;
use serde_json::Value;

const JOB: [&str; 7] = [
    "fio",
    "--output-format=json",
    "--name=x",
    "--ioengine=null",
    "--size=1g",
    "--time_based",
    // Nobody waits so long.
    "--runtime=1000h",
];

fn run(more: &[&str], code: i32) -> Value {
    let place = Place::new();
    let words = [&JOB[..], more, &["--no-record"]].concat();
    place.plimsoll(&words).exits(code).json()
}

#[test]
fn a_steady_state_ends_a_job_well() {
    let limits = ["--rate_iops=200", "--ss=iops:90%", "--ss_dur=2"];
    let document = run(&limits, 0);
    let job = &document["jobs"][0];
    let state = &job["steadystate"];
    assert_eq!(
        (&state["attained"], &state["duration"], &job["error"]),
        (&1.into(), &2.into(), &0.into())
    );
    assert_eq!(state["ss"], "iops:90.000000%");
    let looks = state["data"]["iops"].as_array().expect("looks");
    assert!(
        looks.len() == 2 && looks.iter().all(|n| n.as_u64() < Some(400)),
        "{state}"
    );
}

#[test]
fn a_job_that_is_too_slow_ends_with_fio_s_error() {
    let slow = run(&["--rate_iops=50", "--rate_iops_min=5000"], 1);
    assert_eq!(slow["jobs"][0]["error"], 110);
    let slow = run(&["--bs=4k", "--rate_iops=50", "--rate_min=100m"], 1);
    assert_eq!(slow["jobs"][0]["error"], 110);
    // So much is not copied in so short a time.
    let file = ["--ioengine=psync", "--filename=f", "--bs=1m", "--size=4m"];
    let long = run(
        &[&file[..], &["--rate_iops=50", "--max_latency=1us"]].concat(),
        1,
    );
    assert_eq!(long["jobs"][0]["error"], 62);
}
