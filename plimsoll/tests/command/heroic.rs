//! `plimsoll hero`: each trick that is played is named, on simulated arrays and on a file.

use crate::place::{TestFolder, holds, typed};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use std::fs::{File, Permissions};
use std::io::{BufRead, BufReader};
use std::os::unix::fs::{FileExt, PermissionsExt};
use std::process::Stdio;
use std::time::Duration;

/// A trick's part of the document.
fn trick<'a>(document: &'a Value, name: &str) -> &'a Value {
    let tricks = document["tricks"].as_array().expect("tricks");
    let found = tricks.iter().find(|t| t["trick"] == name);
    found.unwrap_or_else(|| panic!("{name}: {document}"))
}

fn rules(trick: &Value) -> Vec<&str> {
    let named = trick["named_by"].as_array().expect("a list").iter();
    named.filter_map(|n| n["name"].as_str()).collect()
}

#[test]
fn on_simulated_arrays_every_trick_but_the_page_cache_is_played_and_named() {
    let place = TestFolder::new();
    for target in [
        "lab:scale-out-flash-8?scale=400&size=16g",
        "lab:hybrid-hci?scale=100&size=64g",
    ] {
        let document = place
            .plimsoll(&format!("hero {target} --seed 1 --json"))
            .ok()
            .json();
        assert_eq!(document["missed"], false, "{document:#}");
        for played in document["tricks"].as_array().expect("tricks") {
            let name = played["trick"].as_str().expect("a name");
            if name == "page cache" {
                let why = played["not_played"].as_str().expect("a reason");
                assert!(why.contains("page cache"), "{why}");
                continue;
            }
            assert!(played["not_played"].is_null(), "{played}");
            let named = played["named_by"].as_array().expect("a list");
            // The honest run is found guilty of none of it.
            assert!(named.iter().any(|n| n["honest_too"] == false), "{played}");
            assert!(
                played["factor"].as_f64().is_some_and(|f| f > 0.0),
                "{played}"
            );
        }
        assert!(rules(trick(&document, "zeros")).contains(&"zeros-served"));
        assert!(rules(trick(&document, "nothing there")).contains(&"trimmed-before"));
    }
}

#[test]
fn the_headline_is_the_greatest_factor_and_what_is_none_is_not_one() {
    let place = TestFolder::new();
    let of = |target: &str| {
        let line = format!("hero {target} --seed 1 --for 3s --warmup 1s");
        let words = typed(&line);
        let document = place
            .plimsoll(&[&words[..], &["--json"]].concat())
            .ok()
            .json();
        (document, place.plimsoll(&words).ok().out)
    };
    // Writes of zeros are three times honest writes there, and no trick helps its reads.
    let (document, line) = of("lab:scale-out-flash-8");
    assert_eq!(document["wonderful_by"], "zeros", "{document:#}");
    assert_eq!(document["factor"], trick(&document, "zeros")["factor"]);
    holds!(line, "times the honest", "writes/s");
    // Every station is full either way.
    let (document, line) = of("lab:hybrid-hci");
    assert!(document["wonderful"].is_null(), "{document:#}");
    assert!(line.contains("no trick gave a gain"), "{line}");
}

#[test]
fn a_small_set_in_front_of_disks_is_wonderful_and_the_same_seed_says_the_same() {
    let place = TestFolder::new();
    let words = typed("hero lab:hybrid-hci?scale=100&size=512g --seed 3 --json");
    let once = place.plimsoll(&words).ok();
    let document = once.json();
    let small = trick(&document, "tiny working set");
    assert!(small["factor"].as_f64().is_some_and(|f| f > 2.0), "{small}");
    assert_eq!(once.out, place.plimsoll(&words).ok().out);
}

#[test]
fn a_file_of_somebody_else_is_only_read_unless_it_is_named() {
    let place = TestFolder::new();
    place.foreign("data", 4 << 20);
    let run = |more: &[&str]| place.plimsoll(&[&["hero", "data"], more, &SHORT].concat());
    let read = run(&[]).ok().json();
    for name in [
        "zeros",
        "one pattern",
        "reads right after writing",
        "nothing there",
    ] {
        let why = trick(&read, name)["not_played"].as_str().expect("a reason");
        assert!(why.contains("--destroy"), "{why}");
    }
    assert!(rules(trick(&read, "page cache")).contains(&"buffered-io"));
    assert!(rules(trick(&read, "best of five")).contains(&"best-of-several"));
    assert!(read["honest_writes"].is_null());
    let written = run(&["--destroy", "data"]);
    let document = written.json();
    assert_eq!(document["missed"], false, "{document:#}");
    assert!(rules(trick(&document, "nothing there")).contains(&"trimmed-before"));
    // Nothing that it trimmed is left a hole.
    let probed = place.plimsoll("probe data --json").ok().json();
    assert_eq!(probed["answers"][1]["fact"], "not_observable", "{probed:#}");
}

const SHORT: [&str; 7] = ["--for", "400ms", "--warmup", "0s", "--seed", "1", "--json"];

#[test]
fn a_file_that_hero_made_is_written_unasked_until_somebody_else_has_written_to_it() {
    let place = TestFolder::new();
    let run = || place.plimsoll(&[&["hero", "made.dat", "--size", "24m"], &SHORT[..]].concat());
    let written = |document: &Value| document["honest_writes"].is_object();
    assert!(written(&run().json()));
    let path = place.path("made.dat");
    if !plimsoll_permit::target::is_marked(&File::open(&path).expect("opens")) {
        plimsoll_skipped::skipped!("the temporary folder's file system keeps no user attributes");
        return;
    }
    std::fs::set_permissions(&path, Permissions::from_mode(0o600)).expect("another mode");
    let again = run().json();
    assert!(written(&again), "{again:#}");

    let time = path.metadata().and_then(|m| m.modified()).expect("a time");
    let file = File::options().write(true).open(&path).expect("opens");
    file.write_all_at(b"precious", 20 << 20).expect("written");
    file.set_modified(time).expect("its time");
    drop(file);
    let before = std::fs::read(&path).expect("readable");
    run().refused(&["put its time back", "--destroy made.dat"]);
    assert!(std::fs::read(&path).expect("readable") == before);
}

#[test]
fn a_foreign_file_keeps_its_bytes_and_what_is_no_target_is_refused() {
    let place = TestFolder::new();
    let path = place.foreign("data", 4 << 20);
    let before = std::fs::read(&path).expect("readable");
    place.plimsoll("hero data --for 300ms --warmup 0s -h").ok();
    place
        .plimsoll("hero data --for 300ms --warmup 0s --json")
        .ok();
    assert_eq!(std::fs::read(&path).expect("readable"), before);
    place
        .plimsoll("hero nowhere")
        .refused(&["nowhere", "--size"]);
    place.plimsoll("hero null:1g").refused(&["null:"]);
    place.plimsoll("hero lab:no-such").refused(&["no-such"]);
    place.plimsoll("hero data --depth 0").refused(&["--depth"]);
    place.plimsoll("hero data --for soon").refused(&["--for"]);
}

#[test]
fn an_honest_run_in_which_the_program_stood_still_is_made_again() {
    let place = TestFolder::new();
    place.foreign("data", 4 << 20);
    let words = ["hero", "data", "--for", "4s", "--warmup", "0s"];
    let mut child = place
        .command(&words)
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut progress = BufReader::new(child.stderr.take().expect("piped")).lines();
    let mut next = || progress.next().expect("a line").expect("text");
    assert_eq!(next(), "… honest reads");
    // In the middle of the four seconds, for longer than that from which on a loop is said to stand still.
    std::thread::sleep(Duration::from_millis(1_500));
    let pid = Pid::from_child(&child);
    kill_process(pid, Signal::STOP).expect("stopped");
    std::thread::sleep(Duration::from_millis(1_600));
    kill_process(pid, Signal::CONT).expect("goes on");
    let line = next();
    child.kill().expect("killed");
    child.wait().expect("ended");
    assert!(
        line.starts_with("… honest reads again") && line.contains("PL405 host-stood-still"),
        "{line}"
    );
}
