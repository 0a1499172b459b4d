//! What ends fio's jobs before their time: a steady state, a least rate, a longest latency.

use crate::place::TestFolder;
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
    let place = TestFolder::new();
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
    // Of an engine with one I/O in flight it is what was written, as fio has it; and what a job took of CPUs is not known.
    assert_eq!(
        run(
            &[
                &limits[..],
                &[
                    "--ioengine=sync",
                    "--iodepth=2",
                    "--filename=f",
                    "--size=1m"
                ]
            ]
            .concat(),
            0
        )["jobs"][0]["latency_depth"],
        2
    );
    assert!(
        looks.len() == 2 && looks.iter().all(|n| n.as_u64() < Some(400)),
        "{state}"
    );
}

/// The error of the job by the real fio; `None` where it is not here.
fn of_fio(more: &[&str]) -> Option<Value> {
    let place = TestFolder::new();
    let mut fio = std::process::Command::new(JOB[0]);
    let out = fio.args([&JOB[1..], more].concat());
    let out = out.current_dir(place.folder()).output().ok()?;
    let text = String::from_utf8_lossy(&out.stdout).into_owned();
    let document: Value = serde_json::from_str(&text[text.find('{')?..]).expect("fio's JSON");
    Some(document["jobs"][0]["error"].clone())
}

#[test]
fn a_job_that_is_too_slow_ends_with_fio_s_error() {
    let file = ["--ioengine=psync", "--filename=f", "--bs=1m", "--size=4m"];
    for more in [
        // Pauses let it do 20 a second.
        &["--rate_iops=100", "--thinktime=50ms", "--rate_iops_min=90"][..],
        &["--rate=400k", "--thinktime=50ms", "--rate_min=300k"],
        // So much is not copied in so short a time.
        &[&file[..], &["--rate_iops=50", "--max_latency=1us"]].concat(),
    ] {
        let slow = run(more, 1);
        let Some(error) = of_fio(more) else {
            return plimsoll_skipped::skipped!("fio is not installed");
        };
        assert_eq!(slow["jobs"][0]["error"], error, "{more:?}");
    }
}
