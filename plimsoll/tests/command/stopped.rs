//! A process that is stopped, and goes on: nothing that the target did.

use crate::killing::interval_number;
use crate::place::{MIB, TestFolder};
use rustix::process::{Pid, Signal, kill_process};
use std::io::{BufRead, BufReader, Read};
use std::process::Stdio;
use std::time::Duration;

/// How long it is stopped: more than the second from which on a closed loop is said to stand still.
const STOPPED: Duration = Duration::from_millis(1_600);

/// The notes on a step that was stopped in its middle.
fn notes(load: &[&str]) -> Vec<String> {
    let place = TestFolder::new();
    place.foreign("f", 4 * MIB);
    let times = ["--for", "4s", "--interval", "200ms", "--warmup", "0s"];
    let words = [
        &[
            "run",
            "f",
            "--caching",
            "buffered",
            "--claim",
            "cached",
            "--record",
            "r.plim",
        ],
        load,
        &times,
    ]
    .concat();
    let mut child = place
        .command(&words)
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut out = BufReader::new(child.stdout.take().expect("piped"));
    let mut printed = String::new();
    while printed.lines().last().and_then(interval_number) != Some(2) {
        assert!(out.read_line(&mut printed).expect("text") > 0, "{printed}");
    }
    let pid = Pid::from_child(&child);
    kill_process(pid, Signal::STOP).expect("stopped");
    std::thread::sleep(STOPPED);
    kill_process(pid, Signal::CONT).expect("goes on");
    out.read_to_string(&mut printed).expect("text");
    assert_eq!(child.wait().expect("ends").code(), Some(0), "{printed}");
    let document = place.plimsoll("show --json r.plim").ok().json();
    let notes = document["steps"][0]["notes"].as_array().expect("notes");
    notes.iter().map(ToString::to_string).collect()
}

#[test]
fn a_stopped_process_names_the_host_in_a_closed_and_in_an_open_loop() {
    for load in [&["--depth", "2"][..], &["--rate", "500"]] {
        let notes = notes(load);
        assert!(
            notes
                .iter()
                .any(|n| n.contains("Plimsoll itself did not run for")),
            "{load:?}: {notes:#?}"
        );
        // What it was in the rest of the time, if it does not scatter too much there.
        let clean = match load[0] {
            "--depth" => "Without that it would be ",
            _ => "Without that the mean response would be ",
        };
        assert!(
            notes
                .iter()
                .any(|n| n.contains(clean) || n.contains("cannot be computed: what is left")),
            "{load:?}: {notes:#?}"
        );
        assert!(
            !notes.iter().any(|n| n.contains("See what the target did")),
            "{load:?}: {notes:#?}"
        );
    }
}
