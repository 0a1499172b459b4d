//! Results that nobody can have: a standard output that is closed, full, or that nobody reads any more.

use crate::place::{Done, TestFolder};
use std::process::{Command, Stdio};

/// Runs the program below a shell, which does to its standard output what `redirection` says.
fn redirected(place: &TestFolder, words: &str, redirection: &str) -> Done {
    let script = format!("exec \"$0\" {words} {redirection}");
    let output = Command::new("sh")
        .args(["-c", &script, env!("CARGO_BIN_EXE_plimsoll")])
        .current_dir(place.folder())
        .stdin(Stdio::null())
        .output()
        .expect("a shell");
    Done::new(&output, &[words, redirection])
}

const PRINTING: [&str; 8] = [
    "show a.plim",
    "show --json a.plim",
    "export --csv a.plim",
    "export --json a.plim",
    "explain PL012",
    "plan null:1g",
    "--version",
    "run --help",
];

fn place_with_record() -> TestFolder {
    let place = TestFolder::new();
    place
        .quick(&["run", "null:1GiB", "-q", "--record", "a.plim"])
        .ok();
    place
}

#[test]
fn a_closed_or_full_standard_output_is_an_error() {
    let place = place_with_record();
    for words in PRINTING {
        redirected(&place, words, ">&-").refused(&["standard output is closed"]);
        redirected(&place, words, ">/dev/full").refused(&["standard output: No space left"]);
        redirected(&place, words, ">/dev/null").ok();
    }
}

#[test]
fn nothing_is_measured_for_a_closed_standard_output() {
    let place = TestFolder::new();
    let run = "run t --size 1m --read 0 --for 300ms --record r.plim";
    redirected(&place, run, ">&-").refused(&["standard output is closed"]);
    assert_eq!(place.names(), Vec::<String>::new());
}

#[test]
fn a_reader_that_has_left_ends_the_program_without_a_word() {
    let place = place_with_record();
    for words in PRINTING {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let words: Vec<&str> = words.split(' ').collect();
        let output = place
            .command(&words)
            .stdout(writer)
            .stderr(Stdio::piped())
            .spawn()
            .and_then(|child| child.wait_with_output())
            .expect("the program starts");
        let done = Done::new(&output, &words);
        // As a shell reports SIGPIPE.
        assert_eq!((done.code, done.err.as_str()), (Some(141), ""), "{done:#?}");
    }
}

#[test]
fn a_small_stack_of_the_first_thread_is_enough() {
    let place = TestFolder::new();
    let run = "run null:1GiB --for 300ms --warmup 0s --interval 100ms --record a.plim";
    let small = |words: &str| {
        let script = format!("ulimit -s 64; exec \"$0\" {words}");
        let output = Command::new("sh")
            .args(["-c", &script, env!("CARGO_BIN_EXE_plimsoll")])
            .current_dir(place.folder())
            .stdin(Stdio::null())
            .output()
            .expect("a shell");
        Done::new(&output, &[words])
    };
    for words in [
        run,
        "show a.plim",
        "report a.plim -o a.html --overwrite",
        "audit a.plim",
        "ls",
        "run --help",
    ] {
        let done = small(words);
        // Without its page built in, a report says so.
        assert!(matches!(done.code, Some(0 | 2)), "{done:#?}");
        assert!(!done.err.contains("overflow"), "{done:#?}");
    }
    small(run.replace("--record a.plim", "--no-record").as_str()).ok();
}
