//! A process that is stopped, and goes on: nothing that the target did.

use crate::place::{MIB, TestFolder};
use crate::underway::Underway;
use rustix::process::Signal;
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
    let mut run = Underway::start(&place, &words);
    run.until_interval(2);
    run.signal(Signal::STOP);
    std::thread::sleep(STOPPED);
    run.signal(Signal::CONT);
    run.end().ok();
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
