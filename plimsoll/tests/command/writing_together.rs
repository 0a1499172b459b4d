//! Several Plimsolls that are begun at once on one file: one of them writes it.

use crate::place::{Done, MIB, TestFolder, typed};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

const TOGETHER: usize = 8;
const ROUNDS: usize = 20;

/// Writes until it is ended.
const WRITE: &str = "run t --read 0 --rate 50 --for 1h --warmup 0s --size 1m --no-record";

/// Begins all of them, waits until all but one have ended, and ends that one: its process, and what the others said.
fn round(place: &TestFolder, words: &[&str]) -> (u32, Vec<Done>) {
    let start = || {
        let mut command = place.command(words);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().expect("starts")
    };
    let mut running: Vec<Child> = (0..TOGETHER).map(|_| start()).collect();
    let mut ended = Vec::new();
    let began = Instant::now();
    while running.len() > 1 {
        assert!(
            began.elapsed() < Duration::from_secs(120),
            "{} go on together",
            running.len()
        );
        let is_over = |child: &mut Child| child.try_wait().expect("waited").is_some();
        let over: Vec<Child> = running.extract_if(.., is_over).collect();
        ended.extend(over);
        std::thread::sleep(Duration::from_millis(5));
    }
    let printed = ended.into_iter().map(|child| {
        let output = child.wait_with_output().expect("its output");
        Done::new(&output, words)
    });
    let printed = printed.collect();
    let mut winner = running.pop().expect("one that writes");
    assert!(winner.try_wait().expect("waited").is_none(), "{printed:?}");
    winner.kill().expect("killed");
    winner.wait().expect("gone");
    (winner.id(), printed)
}

fn only_one_writes(prepare: impl Fn(&TestFolder), words: &[&str]) {
    let place = TestFolder::new();
    for _ in 0..ROUNDS {
        prepare(&place);
        let (winner, others) = round(&place, words);
        let who = format!("another Plimsoll (process {winner}) is writing it");
        assert_eq!(others.len(), TOGETHER - 1);
        for other in others {
            other.refused(&["in use", &who]);
        }
    }
}

#[test]
fn one_of_several_writes_a_file_and_a_killed_one_is_in_nobodys_way() {
    let make = |place: &TestFolder| drop(place.foreign("t", MIB));
    only_one_writes(make, &[&typed(WRITE)[..], &["--destroy", "t"]].concat());
}

#[test]
fn one_of_several_makes_a_file() {
    let remove = |place: &TestFolder| {
        let _ = std::fs::remove_file(place.path("t"));
    };
    only_one_writes(remove, &typed(WRITE));
}

#[test]
fn a_run_takes_up_the_file_that_the_last_one_had_the_instant_before() {
    let place = TestFolder::new();
    let words =
        typed("run t --read 0 --for 50ms --warmup 0s --interval 50ms --size 1m --no-record");
    for _ in 0..ROUNDS {
        // A busy host may give so short a run no CPU, of which it has no result. That is no refusal.
        let done = place.plimsoll(&words);
        assert!(!done.err.contains("error"), "{done:#?}");
    }
}

#[test]
fn a_file_that_another_program_has_locked_is_not_written() {
    let place = TestFolder::new();
    let file = std::fs::File::open(place.foreign("t", MIB)).expect("opened");
    file.lock().expect("locked");
    let pid = std::process::id();
    place
        .quick(&["run", "t", "--read", "0", "--destroy", "t"])
        .refused(&["in use", &format!("process {pid} ("), "has it locked"]);
    // Several targets of one process share its file.
    file.unlock().expect("free");
    place.text(
        "two.toml",
        "[target.a]\npath = \"t\"\nsize = \"512k\"\n[target.b]\npath = \"t\"\noffset = \"512k\"\nsize = \"512k\"\n\
         [workload.w]\nread = 0\nblock = \"4k\"\n\
         [[run]]\nname = \"r\"\nload = \"max\"\nfor = \"300ms\"\nwarmup = \"0s\"\n",
    );
    place
        .plimsoll(&["run", "two.toml", "--destroy", "t", "--no-record"])
        .ok();
}
