//! Readers that leave early, as `| head` does.

use crate::place::{TestFolder, typed};
use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Stdio};

/// Reads one line of what a command prints, and leaves; its exit code and what it said on standard error.
fn head(mut command: Command) -> (Option<i32>, String) {
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut out = BufReader::new(child.stdout.take().expect("piped"));
    out.read_line(&mut String::new()).expect("readable");
    drop(out);
    let mut printed = String::new();
    let mut err = child.stderr.take().expect("piped");
    err.read_to_string(&mut printed).expect("text");
    (child.wait().expect("ends").code(), printed)
}

#[test]
fn a_run_whose_reader_leaves_ends_as_if_interrupted_and_keeps_its_record() {
    let place = TestFolder::new();
    let words =
        typed("run null:1GiB --rate 1000 --for 60s --warmup 0s --interval 50ms --record r.plim");
    let (code, printed) = head(place.command(&words));
    // As a shell reports SIGPIPE: the summary found no reader either.
    assert_eq!(code, Some(141), "{printed}");
    assert!(!printed.contains("panicked"), "{printed}");
    let document = place.plimsoll("show --json r.plim").ok().json();
    assert_eq!(document["status"], "interrupted");
}

#[test]
fn what_only_prints_stops_quietly() {
    let place = TestFolder::new();
    // Simulated, so that thousands of intervals take no time.
    let words = typed("run lab:scale-out-flash-8?size=64m --rate 100 --record r.plim");
    let times = ["--for", "20s", "--warmup", "0s", "--interval", "10ms"];
    place.plimsoll(&[&words[..], &times].concat()).ok();
    // Longer than a pipe holds.
    let (code, printed) = head(place.command("show --intervals r.plim"));
    assert!(!printed.contains("panicked"), "{printed}");
    assert!(matches!(code, Some(0 | 141)), "{code:?}: {printed}");
}
