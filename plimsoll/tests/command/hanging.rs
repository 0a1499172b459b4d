//! Commands beside a step that hang, leave somebody behind, write too much or cannot be begun: the run goes on, what was done is
//! put back once and after it, nobody is left, and all of it is evidence.

use crate::place::{Done, TestFolder, holds, soon, typed};
use plimsoll_evidence::{ActionEvidence, StepEvidence};
use plimsoll_record::Record;
use rustix::process::{Pid, Signal, kill_process};
use std::process::{Child, Stdio};

/// A disturbance of nothing, with a record.
const DISTURB: &str = "disturb null:1g --rate 1000 --workers 1 --warmup 100ms --times 1 --at 200ms --record r.plim --allow-commands \
      --commands-may-write . --quiet";

fn disturb(place: &TestFolder, words: &[&str]) -> Done {
    place.plimsoll(&[&typed(DISTURB)[..], words].concat())
}

fn steps(place: &TestFolder) -> Vec<StepEvidence> {
    let record = Record::open(&place.path("r.plim")).expect("a record");
    record.steps().expect("steps")
}

/// Action of the only step, and the one that put it back.
fn both(place: &TestFolder) -> (ActionEvidence, ActionEvidence) {
    let steps = steps(place);
    let [doing, undoing] = steps[0].actions.as_slice() else {
        panic!("{:#?}", steps[0].actions);
    };
    (doing.clone(), undoing.clone())
}

/// The same, put back once, when what it puts back was over.
#[track_caller]
fn both_put_back(place: &TestFolder) -> (ActionEvidence, ActionEvidence) {
    let (doing, undoing) = both(place);
    assert_eq!(text(place, "back"), "back\n", "once");
    assert_eq!(undoing.failed, None);
    assert!(doing.ended_ns.is_some(), "{doing:#?}");
    assert!(
        undoing.began_ns >= doing.ended_ns,
        "{doing:#?} {undoing:#?}"
    );
    (doing, undoing)
}

/// The same of a run with these words.
#[track_caller]
fn put_back(place: &TestFolder, words: &[&str], back: &[&str]) -> (ActionEvidence, ActionEvidence) {
    run(place, &[words, back].concat());
    both_put_back(place)
}

fn text(place: &TestFolder, name: &str) -> String {
    std::fs::read_to_string(place.path(name)).unwrap_or_default()
}

/// True where a process lives whose environment has the folder in `MINE`: our commands, and all that they have begun.
fn anybody(place: &TestFolder) -> bool {
    let mine = format!("MINE={}", place.folder().display());
    let all = std::fs::read_dir("/proc").expect("processes");
    all.flatten().any(|process| {
        let environment = std::fs::read(process.path().join("environ")).unwrap_or_default();
        let own = std::fs::read(process.path().join("cmdline")).unwrap_or_default();
        let has = environment.split(|b| *b == 0).any(|v| v == mine.as_bytes());
        has && !own.starts_with(env!("CARGO_BIN_EXE_plimsoll").as_bytes())
    })
}

/// The same words, begun and not waited for.
fn begin(place: &TestFolder, words: &[&str]) -> Child {
    begin_all(place, &[&typed(DISTURB)[..], words].concat())
}

fn begin_all(place: &TestFolder, words: &[&str]) -> Child {
    let output = std::fs::File::create(place.path("output")).expect("a file");
    let mut command = place.command(words);
    command.env("MINE", place.folder()).stdout(Stdio::null());
    command.stderr(output).spawn().expect("the program starts")
}

fn run(place: &TestFolder, words: &[&str]) {
    begin(place, words).wait().expect("it ends");
}

fn signal(child: &Child, signal: Signal) {
    kill_process(Pid::from_child(child), signal).expect("signalled");
}

const BACK: [&str; 4] = ["--undo-at", "400ms", "--undo", "echo back >>back"];

#[test]
fn a_command_that_never_ends_is_ended_at_its_limit_and_then_put_back() {
    let place = TestFolder::new();
    let doing = "echo begun; sleep 1000";
    let words = ["--do", doing, "--command-limit", "500ms", "--for", "2s"];
    let (doing, undoing) = put_back(&place, &words, &BACK);
    let why = doing.failed.expect("it failed");
    holds!(why, "after 500ms, the limit of a command", "SIGTERM");
    assert_eq!(doing.output, "begun\n");
    // It was to be put back before that.
    assert!(undoing.began_ns > undoing.planned_ns);
    assert!(!anybody(&place));
}

#[test]
fn a_command_that_does_not_heed_is_killed() {
    let place = TestFolder::new();
    let words = typed("--do \"trap '' TERM; sleep 1000; sleep 1000\" --for 1s");
    run(
        &place,
        &[&words[..], &BACK, &["--command-limit", "100ms"]].concat(),
    );
    let (doing, _) = both_put_back(&place);
    let why = doing.failed.expect("it failed");
    assert!(why.contains("SIGKILL"), "{why}");
    assert!(!anybody(&place));
}

#[test]
fn a_command_that_runs_at_the_end_is_ended_with_its_step() {
    let place = TestFolder::new();
    let (doing, _) = put_back(&place, &["--do", "sleep 1000", "--for", "500ms"], &BACK);
    let why = doing.failed.expect("it failed");
    assert!(why.contains("ended with its step"), "{why}");
    assert!(!anybody(&place));
}

#[test]
fn who_is_left_behind_and_holds_the_output_holds_nothing_up() {
    let place = TestFolder::new();
    let words = ["--do", "sleep 1000 & echo x", "--for", "500ms"];
    let (doing, _) = put_back(&place, &words, &BACK);
    assert_eq!((doing.failed, doing.output.as_str()), (None, "x\n"));
    assert!(!anybody(&place));
    let printed = text(&place, "output");
    assert!(printed.contains("had left processes behind"), "{printed}");
}

#[test]
fn a_command_that_is_not_there_is_evidence_and_put_back() {
    let place = TestFolder::new();
    let (doing, _) = put_back(&place, &["--do", "/no/such", "--for", "500ms"], &BACK);
    assert_eq!(doing.failed.as_deref(), Some("exit status: 127"));
}

#[test]
fn of_a_flood_the_end_is_kept() {
    let place = TestFolder::new();
    let flood = "head -c 100000000 /dev/zero; echo; echo end";
    // The load goes on until the flood is over, however slow the machine is.
    let words = ["--do", flood, "--for", "600s", "--command-limit", "600s"];
    let mut child = begin(&place, &[&words[..], &BACK].concat());
    soon(|| place.path("back").exists());
    signal(&child, Signal::INT);
    child.wait().expect("it ends");
    let (doing, _) = both_put_back(&place);
    assert_eq!(doing.failed, None);
    assert!(
        doing.output.ends_with("\0\nend\n"),
        "{}",
        doing.output.len()
    );
    assert_eq!(doing.output.len(), 4096);
}

#[test]
fn an_interrupt_ends_what_is_done_and_puts_it_back() {
    let place = TestFolder::new();
    let words = ["--do", "touch doing; sleep 1000", "--for", "60s"];
    let back = ["--undo-at", "50s", "--undo", "sleep 0.3; echo back >>back"];
    let mut child = begin(&place, &[&words[..], &back].concat());
    soon(|| place.path("doing").exists());
    signal(&child, Signal::INT);
    child.wait().expect("it ends");
    let (doing, _) = both_put_back(&place);
    let why = doing.failed.expect("it failed");
    assert!(why.contains("the run was interrupted"), "{why}");
    assert!(!anybody(&place));
}

#[test]
fn a_second_interrupt_leaves_at_once_kills_all_and_says_what_is_not_put_back() {
    let place = TestFolder::new();
    let doing = "trap '' TERM INT; touch doing; sleep 1000; sleep 1000";
    let back = ["--undo-at", "50s", "--undo", "touch undoing; sleep 1000"];
    let mut child = begin(
        &place,
        &[&["--do", doing, "--for", "60s"][..], &back].concat(),
    );
    soon(|| place.path("doing").exists());
    signal(&child, Signal::INT);
    soon(|| place.path("undoing").exists());
    signal(&child, Signal::INT);
    assert_eq!(child.wait().expect("it ends").code(), Some(130));
    soon(|| !anybody(&place));
    let printed = text(&place, "output");
    holds!(printed, "do it by hand: touch undoing; sleep 1000");
}

#[test]
fn what_puts_back_has_its_time_when_the_step_is_over() {
    let place = TestFolder::new();
    let back = ["--undo-at", "400ms", "--undo", "sleep 4; echo back >>back"];
    put_back(&place, &["--do", "true", "--for", "500ms"], &back);
    // And no more than that.
    let place = TestFolder::new();
    let back = typed("--undo-at 400ms --undo 'sleep 1000' --command-limit 1s");
    run(
        &place,
        &[&["--do", "true", "--for", "500ms"][..], &back].concat(),
    );
    let (_, undoing) = both(&place);
    assert!(undoing.failed.is_some_and(|why| why.contains("limit")));
    assert!(!anybody(&place));
}

#[test]
fn a_kill_leaves_what_was_done_and_a_resume_says_so() {
    let place = TestFolder::new();
    let words = ["--do", "touch pulled", "--for", "1500ms"];
    let back = ["--undo-at", "1s", "--undo", "echo back >>back"];
    let mut child = begin(&place, &[&words[..], &back].concat());
    soon(|| place.path("pulled").exists());
    child.kill().expect("killed");
    child.wait().expect("ended");
    assert!(!place.path("back").exists());
    let done = place
        .plimsoll("resume r.plim --allow-commands --commands-may-write . -q")
        .ok();
    done.warns(&["may not have been put back", "echo back >>back"]);
    both_put_back(&place);
}

#[test]
fn a_limit_is_a_time() {
    let place = TestFolder::new();
    let words = ["--do", "true", "--for", "500ms", "--command-limit"];
    disturb(&place, &[&words[..], &["0s"]].concat()).refused(&["--command-limit"]);
    disturb(&place, &[&words[..], &["soon"]].concat()).refused(&["--command-limit"]);
}

/// A run of `start` and `end` commands.
fn run_with(place: &TestFolder, start: &str, end: &str, words: &[&str]) -> Child {
    let text = format!(
        "start_commands = [{start:?}]\n[target.a]\npath = \"null:1g\"\n[workload.w]\n\
         [[run]]\nload = 1000\nwarmup = \"0s\"\nfor = \"300ms\"\nend_commands = [{end:?}]\n"
    );
    place.text("a.toml", &text);
    let all = ["run", "a.toml", "--no-record", "--allow-commands"];
    begin_all(
        place,
        &[&all[..], &["--commands-may-write", "."], words].concat(),
    )
}

#[test]
fn a_command_before_a_run_that_leaves_somebody_behind_or_hangs_holds_nothing_up() {
    let place = TestFolder::new();
    let mut child = run_with(
        &place,
        "sleep 1000 & echo left",
        "touch hangs; sleep 1000",
        &[],
    );
    soon(|| place.path("hangs").exists());
    signal(&child, Signal::INT);
    assert_eq!(child.wait().expect("it ends").code(), Some(2));
    assert!(
        !anybody(&place),
        "who was left behind is ended with the run"
    );
}

#[test]
fn whom_a_command_leaves_behind_works_until_the_run_is_over_and_not_longer() {
    let place = TestFolder::new();
    let start =
        "{ while :; do sleep 0.1; done; } & echo $! >left; setsid sleep 1000 & echo $! >away";
    let mut child = run_with(&place, start, "kill -0 $(cat left) && touch works", &[]);
    assert_eq!(child.wait().expect("it ends").code(), Some(0));
    assert!(place.path("works").exists());
    let away: i32 = text(&place, "away").trim().parse().expect("a process");
    let away = Pid::from_raw(away).expect("a process");
    // What was begun with `setsid` is to outlive it, and nothing else does.
    kill_process(away, Signal::KILL).expect("it lives");
    soon(|| !anybody(&place));
}

#[test]
fn a_command_that_somebody_stops_is_ended_at_its_limit() {
    let place = TestFolder::new();
    let limit = ["--command-limit", "200ms"];
    let mut child = run_with(&place, "kill -STOP $$; touch went_on", "true", &limit);
    assert_eq!(child.wait().expect("it ends").code(), Some(2));
    let printed = text(&place, "output");
    holds!(printed, "SIGSTOP", "200ms");
    assert!(!place.path("went_on").exists());
    assert!(!anybody(&place));
}
