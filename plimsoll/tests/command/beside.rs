//! `plimsoll run … --beside fio`: both tools, the same counts, and nothing that was not allowed.

use crate::place::TestFolder;
use plimsoll_record::Record;
use std::process::Command;

fn has_fio() -> bool {
    Command::new("fio").arg("--version").output().is_ok()
}

const JOBS: &str = "[global]\nioengine=psync\nsize=1m\nfilename=data\n[fill]\nrw=write\nbs=64k\n[read]\nstonewall\nrw=randread\nbs=4k\n";

/// The two numbers of a line of the table.
pub fn both(out: &str, line: &str) -> Vec<String> {
    let found = out.lines().find(|l| {
        l.split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
            .starts_with(line)
    });
    let words = found
        .unwrap_or_else(|| panic!("{line} in {out}"))
        .split_whitespace();
    let skipped = line.split_whitespace().count();
    words.skip(skipped).take(2).map(str::to_string).collect()
}

#[test]
fn a_job_file_is_written_once_more_for_fio_and_the_counts_are_the_same() {
    if !has_fio() {
        return plimsoll_skipped::skipped!("fio is not installed");
    }
    let place = TestFolder::new();
    place.text("a.fio", JOBS);
    let output = place.plimsoll("run a.fio --beside fio --quiet --record r.plim");
    assert_eq!(output.code, Some(0), "{}{}", output.out, output.err);
    // A B B A.
    let turns: Vec<&str> = output
        .err
        .lines()
        .filter(|l| l.starts_with("run "))
        .collect();
    let ours: Vec<bool> = turns.iter().map(|l| l.ends_with("plimsoll")).collect();
    assert_eq!(ours, [true, false, false, true], "{}", output.err);
    assert_eq!(both(&output.out, "write I/Os"), ["16", "16"]);
    assert_eq!(both(&output.out, "read I/Os"), ["256", "256"]);
    for part in [
        "Latency: ours is the service time",
        "Random map:",
        "fio --output-format=json+ --aux-path=",
        "verify_state_save=0",
        "95 %",
    ] {
        assert!(output.out.contains(part), "{part} in {}", output.out);
    }
    // Each of our runs has its record, which says what ran beside it.
    for name in ["r.plim", "r.2.plim"] {
        let record = Record::open(&place.path(name)).expect("a record");
        let texts = record.definition_texts().expect("texts");
        assert!(
            texts.iter().any(|t| t.name.starts_with("beside fio-")),
            "{name}"
        );
    }
}

#[test]
fn what_only_reads_is_run_read_only_and_others_words_are_converted() {
    if !has_fio() {
        return plimsoll_skipped::skipped!("fio is not installed");
    }
    let place = TestFolder::new();
    place.text(
        "a.toml",
        "[target.d]\npath = \"data\"\nsize = \"1m\"\ncaching = \"buffered\"\n[workload.w]\nblock = \"4k\"\naccess = \"coverage\"\n\
         depth = 1\nquota = { passes = 1 }\n[[run]]\nfor = \"unlimited\"\nwarmup = \"0s\"\n",
    );
    let output = place.plimsoll("run a.toml --beside fio --beside-repeats 1 --quiet --no-record");
    assert_eq!(output.code, Some(0), "{}{}", output.out, output.err);
    output.warns(&["--readonly -"]);
    assert_eq!(both(&output.out, "read I/Os"), ["256", "256"]);
    output.says(&["rw=randread", "not known from one run"]);
}

#[test]
fn fio_is_not_started_where_our_own_run_would_be_refused() {
    if !has_fio() {
        return plimsoll_skipped::skipped!("fio is not installed");
    }
    let place = TestFolder::new();
    place.text("a.fio", JOBS);
    // Somebody's data: not made by us, and nobody gave leave.
    let precious = vec![7u8; 1 << 20];
    std::fs::write(place.folder().join("data"), &precious).expect("a file");
    let output = place.plimsoll(&["run", "a.fio", "--beside", "fio", "--no-record"]);
    assert_eq!(output.code, Some(2), "{}{}", output.out, output.err);
    assert!(
        output.err.contains("--destroy") && !output.err.contains("run 1"),
        "{}",
        output.err
    );
    assert_eq!(
        std::fs::read(place.folder().join("data")).expect("it is there"),
        precious
    );
}

#[test]
fn what_touches_more_than_the_targets_is_refused_by_name() {
    if !has_fio() {
        return plimsoll_skipped::skipped!("fio is not installed");
    }
    let place = TestFolder::new();
    for (option, told) in [
        ("unlink=1", "unlink"),
        ("exec_prerun=touch made", "--allow-commands"),
        ("max_latency=1s", "go on for the job's time"),
        ("latency_target=10ms", "go on for the job's time"),
    ] {
        place.text("a.fio", &format!("{JOBS}{option}\n"));
        let output = place.plimsoll(&["run", "a.fio", "--beside", "fio", "--no-record"]);
        assert_eq!(output.code, Some(2), "{option}: {}", output.err);
        assert!(output.err.contains(told), "{option}: {}", output.err);
    }
    let names: Vec<_> = std::fs::read_dir(place.folder())
        .expect("a folder")
        .map(|e| e.expect("an entry").file_name())
        .collect();
    assert_eq!(names, ["a.fio"], "nothing was made");
}

#[test]
fn what_fio_has_no_word_for_is_said_before_anything_runs() {
    if !has_fio() {
        return plimsoll_skipped::skipped!("fio is not installed");
    }
    let place = TestFolder::new();
    place.text("a.toml", "[target.d]\npath = \"data\"\nsize = \"64m\"\n[workload.w]\nhits = { read = 50 }\n[[run]]\n");
    let output = place.plimsoll(&["run", "a.toml", "--beside", "fio", "--no-record"]);
    assert!(
        output.code == Some(2) && output.err.contains("a hit set"),
        "{}",
        output.err
    );
    assert!(!place.folder().join("data").exists());
}
