//! A process that is stopped, and goes on: nothing that the target did.

use crate::place::{MIB, TestFolder, typed};
use crate::underway::Underway;
use rustix::process::Signal;
use std::time::{Duration, Instant};

/// Time for which the program is stopped: more than the second from which on a closed loop is said to stand still.
const STOPPED: Duration = Duration::from_millis(1_600);

/// Lengths of the stops and of the times between, where it is stopped often: each too short to be seen as one standstill.
const SHORT: Duration = Duration::from_millis(400);
const BETWEEN: Duration = Duration::from_millis(190);

/// The notes on a step that was stopped in its middle: once, or for most of the time in short pieces. How long in all, by this
/// process's clock.
fn notes(load: &[&str], pieces: u32) -> (Vec<String>, Duration) {
    let place = TestFolder::new();
    place.foreign("f", 4 * MIB);
    let times = ["--for", "4s", "--interval", "200ms", "--warmup", "0s"];
    let words = [
        &typed("run f --caching buffered --claim cached --record r.plim"),
        load,
        &times,
    ]
    .concat();
    let mut run = Underway::start(&place, &words);
    run.until_interval(2);
    let mut stopped = Duration::ZERO;
    for _ in 0..pieces {
        run.signal(Signal::STOP);
        let since = Instant::now();
        std::thread::sleep(if pieces == 1 { STOPPED } else { SHORT });
        stopped += since.elapsed();
        run.signal(Signal::CONT);
        std::thread::sleep(BETWEEN);
    }
    run.end().ok();
    let document = place.plimsoll("show --json r.plim").ok().json();
    let notes = document["steps"][0]["notes"].as_array().expect("notes");
    (notes.iter().map(ToString::to_string).collect(), stopped)
}

#[test]
fn a_stopped_process_names_the_host_in_a_closed_and_in_an_open_loop() {
    for load in [&["--depth", "2"][..], &["--rate", "500"]] {
        let (notes, _) = notes(load, 1);
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

#[test]
fn short_stops_are_counted_together() {
    let (notes, stopped) = notes(&["--depth", "2"], 5);
    let printed = notes
        .iter()
        .find(|n| n.contains("Plimsoll itself did not run for"));
    let printed = printed.unwrap_or_else(|| panic!("{notes:#?}"));
    let all = printed
        .split_once("times, ")
        .and_then(|(_, rest)| rest.split_once(" s in all, "));
    let (all, _) = all.unwrap_or_else(|| panic!("{printed}"));
    let all: f64 = all.parse().expect("seconds");
    // Off by half a beat of 20 ms for each, and by the last digit; what the host kept it from beside that is in it too.
    let truth = stopped.as_secs_f64();
    assert!(
        all > truth - 5.0 * 0.01 - 0.05,
        "{all} s of {truth} s: {printed}"
    );
}
