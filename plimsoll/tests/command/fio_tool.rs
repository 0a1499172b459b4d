//! `plimsoll fio`: fio's command line, results in its forms, its exit codes; beside the real fio where that is here.

use crate::place::Place;
use serde_json::Value;
use std::process::Command;

const JOBS: &str = "[global]\nioengine=null\nsize=1m\nbs=4k\n[a]\nrw=randread\nnumjobs=2\n[b]\nrw=write\n\
                    [c]\nstonewall\nrw=randrw\nnumjobs=3\ngroup_reporting\n[d]\nrw=read\nnew_group\ngroup_reporting\n";

/// What stands for a job in fio's document, apart from its figures.
fn jobs(document: &Value) -> Vec<(String, u64, u64, u64)> {
    let all = document["jobs"].as_array().expect("jobs").iter();
    all.map(|job| {
        let ios = |direction: &str| job[direction]["total_ios"].as_u64().expect("a count");
        (
            job["jobname"].as_str().expect("a name").to_string(),
            job["groupid"].as_u64().expect("a group"),
            ios("read") + ios("write"),
            u64::from(ios("read") > 0) + 2 * u64::from(ios("write") > 0),
        )
    })
    .collect()
}

#[test]
fn jobs_groups_and_counts_are_those_of_the_real_fio() {
    let place = Place::new();
    place.text("jobs.fio", JOBS);
    let words = ["--output-format=json", "jobs.fio"];
    let ours = place.plimsoll(&[&["fio"], &words[..]].concat()).ok().json();
    let real = Command::new("fio")
        .args(words)
        .current_dir(place.folder())
        .output();
    match real {
        Ok(out) if out.status.success() => {
            let real: Value = serde_json::from_slice(&out.stdout).expect("fio's document");
            assert_eq!(jobs(&ours), jobs(&real));
        }
        other => plimsoll_skipped::skipped!("fio: {other:?}"),
    }
    let ours = jobs(&ours);
    let told: Vec<(&str, u64, u64)> = ours.iter().map(|j| (&*j.0, j.1, j.2)).collect();
    let expected = [
        ("a", 0, 256),
        ("a", 0, 256),
        ("b", 0, 256),
        ("c", 1, 768),
        ("d", 2, 256),
    ];
    assert_eq!(told, expected);
}

#[test]
fn results_go_where_they_are_asked_for_in_each_form_and_never_over_a_target() {
    let place = Place::new();
    let job = [
        "fio",
        "--name=x",
        "--filename=f",
        "--rw=write",
        "--size=1m",
        "--bs=4k",
        "--ioengine=psync",
        "--direct=0",
    ];
    let with = |more: &[&str]| place.plimsoll(&[&job[..], more].concat());
    with(&[
        "--no-record",
        "--output=out",
        "--output-format=json+,terse,normal",
    ])
    .ok();
    let text = std::fs::read_to_string(place.path("out")).expect("results");
    assert!(text.starts_with("{\n"), "{text}");
    assert!(
        text.contains("\"bins\"") && text.contains("\n3;plimsoll-"),
        "{text}"
    );
    assert!(text.contains("\nx: (groupid=0, jobs=1): err= 0"), "{text}");
    assert!(text.contains("issued rwts: total=0,256,0,0"), "{text}");
    assert_eq!(place.names(), ["f", "out"], "no record");
    // A second run replaces its results, as fio does, but no target and no record.
    with(&["--output=out", "--record=r.plim", "--destroy=f"]).ok();
    assert!(
        with(&["--output=f", "--destroy=f"])
            .exits(1)
            .err
            .contains('f')
    );
    let before = std::fs::read(place.path("r.plim")).expect("the record");
    with(&["--output=r.plim", "--destroy=f"]).exits(1);
    assert!(before == std::fs::read(place.path("r.plim")).expect("the record"));
}

#[test]
fn what_is_only_looked_at_does_no_io() {
    let place = Place::new();
    place.text(
        "jobs.fio",
        "[x]\nfilename=f\nsize=1m\nrw=randwrite\nexec_prerun=echo 'a b' > g\n",
    );
    let shown = place.plimsoll(&["fio", "--showcmd", "jobs.fio"]).ok().out;
    assert!(shown.starts_with("fio --name=x "), "{shown}");
    assert!(
        shown.contains("--rw=randwrite") && shown.contains("'echo '\\''a b'\\'' > g'"),
        "{shown}"
    );
    place.plimsoll(&["fio", "--parse-only", "jobs.fio"]).ok();
    let refused = place.plimsoll(&["fio", "--readonly", "jobs.fio"]).exits(1);
    assert!(refused.err.contains("job x writes"), "{}", refused.err);
    let unknown = place
        .plimsoll(&["fio", "--name=x", "--colour=red"])
        .exits(1);
    assert!(unknown.err.contains("`colour`"), "{}", unknown.err);
    for flag in ["--client=h", "--output-format=xml", "--trigger=x"] {
        place.plimsoll(&["fio", flag, "jobs.fio"]).exits(1);
    }
    assert!(
        place
            .plimsoll(&["fio", "--help"])
            .ok()
            .out
            .contains("--output-format")
    );
    assert_eq!(place.names(), ["jobs.fio"]);
}
