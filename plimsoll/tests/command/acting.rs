//! Actions beside the load, in `plimsoll disturb` and in plain runs: commands and faults run at their times, and what was done is
//! put back.

use crate::disturbing::Report;
use crate::place::{TestFolder, soon, typed};
use plimsoll_evidence::{ActionEvidence, StepEvidence};
use plimsoll_record::Record;
use rustix::process::{Pid, Signal, kill_process};

/// The steps of a record.
fn steps(place: &TestFolder, name: &str) -> Vec<StepEvidence> {
    let record = Record::open(&place.path(name)).expect("a record");
    record.steps().expect("steps")
}

const BESIDE: [&str; 8] = [
    "null:1g",
    "--rate",
    "2000",
    "--workers",
    "1",
    "--warmup",
    "200ms",
    "--quiet",
];

fn seconds(ns: Option<u64>) -> f64 {
    ns.expect("it began") as f64 / 1e9
}

#[test]
fn commands_run_at_their_times_beside_the_load_in_every_repeat() {
    let place = TestFolder::new();
    let words = typed(
        "disturb --at 1s --do 'echo pulled; echo $PPID >>pulled' --undo-at 2s --undo \
         'echo back >>back; echo $(wc -l <pulled) times' --times 2 --for 2500ms --record r.plim \
         --allow-commands --commands-may-write .",
    );
    let done = place
        .plimsoll(&[&words[..1], &BESIDE, &words[1..]].concat())
        .ran();
    done.says(&["pulled", "2 times"]);
    let steps = steps(&place, "r.plim");
    assert_eq!(steps.len(), 2);
    for (number, step) in (1..).zip(&steps) {
        let [pull, back] = step.actions.as_slice() else {
            panic!("{:#?}", step.actions);
        };
        assert_eq!(pull.planned_ns, Some(1_000_000_000));
        assert_eq!(back.planned_ns, Some(2_000_000_000));
        // Never before its time, whatever the step before was.
        assert!(
            seconds(pull.began_ns) >= 1.0 && seconds(back.began_ns) >= 2.0,
            "{step:#?}"
        );
        assert!(pull.ended_ns >= pull.began_ns);
        assert_eq!(pull.output.as_str(), "pulled\n");
        assert_eq!(back.output.trim(), format!("{number} times").as_str());
        assert_eq!((&pull.failed, &back.failed), (&None, &None));
        // The load went on all the while: the series has it, with the sections cut at the actions.
        let series = step.series.as_ref().expect("a series");
        assert_eq!(series.sections.len(), 3);
        assert!(
            series.sections.iter().all(|s| s.ios > 0),
            "{:#?}",
            series.sections
        );
        assert_eq!(series.bins.iter().map(|b| b.ios).sum::<u64>(), step.ios);
    }
    assert_eq!(
        std::fs::read_to_string(place.path("back"))
            .expect("written")
            .lines()
            .count(),
        2
    );
}

fn only(step: &StepEvidence, what: &str) -> ActionEvidence {
    let mut found = step.actions.iter().filter(|a| a.what.contains(what));
    found.next().expect("an action").clone()
}

#[test]
fn a_command_that_fails_decides_nothing_and_is_not_repeated() {
    let place = TestFolder::new();
    let words = typed(
        "disturb --at 500ms --do 'echo why >&2; exit 7' --undo-at 800ms --undo true --times 3 \
         --for 1s --record r.plim --allow-commands --json",
    );
    let done = place.plimsoll(&[&words[..1], &BESIDE, &words[1..]].concat());
    let report = Report::of(&done);
    assert!(!report.decided);
    assert_eq!(report.class.as_str(), "undecided");
    assert_eq!(report.findings, ["disturb-not-done"], "{report:#?}");
    let steps = steps(&place, "r.plim");
    assert_eq!(steps.len(), 1, "once is enough");
    let failed = only(&steps[0], "exit 7");
    let why = failed.failed.as_deref().expect("it failed");
    assert!(why.starts_with("exit status: 7"), "{why}");
    assert_eq!(failed.output, "why\n");
    // What was put back was put back.
    assert!(only(&steps[0], "true").began_ns.is_some());
}

#[test]
fn nothing_is_run_that_was_not_allowed() {
    let place = TestFolder::new();
    let words = typed("disturb --at 500ms --do 'touch ran' --for 1s --no-record");
    place
        .plimsoll(&[&words[..1], &BESIDE, &words[1..]].concat())
        .refused(&["touch ran", "--allow-commands"]);
    assert!(!place.path("ran").exists());
}

#[test]
fn what_was_done_is_put_back_where_the_step_is_interrupted_and_what_was_not_begun_is_not() {
    let place = TestFolder::new();
    let words = typed(
        "disturb --at 300ms --do 'touch pulled' --undo-at 50s --undo 'touch back' --for 60s \
         --record r.plim --allow-commands --commands-may-write .",
    );
    let mut child = place.begin(&[&words[..1], &BESIDE, &words[1..]].concat());
    soon(|| place.path("pulled").exists());
    assert!(!place.path("back").exists());
    kill_process(Pid::from_child(&child), Signal::INT).expect("signalled");
    child.wait().expect("ends");
    assert!(place.path("back").exists(), "it stayed pulled");
    let step = &steps(&place, "r.plim")[0];
    let back = only(step, "back");
    assert!(
        back.failed.is_none() && seconds(back.began_ns) < 50.0,
        "{back:#?}"
    );
    // Without anything to put back, nothing is.
    let place = TestFolder::new();
    let text = "[target.a]\npath = \"null:1g\"\n[workload.w]\n[[run]]\nload = 1000\nwarmup = \"0s\"\nfor = \"60s\"\n\
                limits = { ios = 500 }\nactions = [{ at = \"50s\", command = \"touch late\" }]\n";
    place.text("a.toml", text);
    place
        .plimsoll("run a.toml --record r.plim --allow-commands -q")
        .ok();
    let step = &steps(&place, "r.plim")[0];
    let late = only(step, "late");
    assert_eq!(
        late.failed.as_deref(),
        Some("the step was over before its time")
    );
    assert!(late.began_ns.is_none() && !place.path("late").exists());
}

#[test]
fn a_fault_that_a_step_did_not_live_to_see_does_not_happen_in_the_next() {
    let place = TestFolder::new();
    let text = "[target.a]\npath = \"lab:scale-out-flash-4?size=64m\"\n[workload.w]\n\
                [[run]]\nname = \"short\"\nload = 1000\nwarmup = \"0s\"\nfor = \"60s\"\nlimits = { ios = 2000 }\n\
                actions = [{ at = \"5s\", fault = \"path-down path=0\" }]\n\
                [[run]]\nname = \"long\"\nload = 1000\nfor = \"20s\"\n";
    place.text("a.toml", text);
    place
        .plimsoll(&["run", "a.toml", "--record", "r.plim", "-q"])
        .ok();
    let steps = steps(&place, "r.plim");
    let fault = only(&steps[0], "path-down");
    assert_eq!(
        (fault.began_ns, fault.failed.as_deref()),
        (None, Some("the step was over before its time"))
    );
    assert!(steps[1].paths.is_empty(), "{:#?}", steps[1].paths);
    assert_eq!(steps[1].arrays[0].paths[0].state, "up");
}

#[test]
fn a_disturbance_that_was_interrupted_goes_on_from_its_record() {
    let place = TestFolder::new();
    let words = typed(
        "disturb --at 500ms --do 'echo x >>pulled' --times 2 --for 1s --record r.plim \
         --allow-commands --commands-may-write .",
    );
    let mut child = place.begin(&[&words[..1], &BESIDE, &words[1..]].concat());
    // In the second repeat.
    soon(|| std::fs::read_to_string(place.path("pulled")).is_ok_and(|t| t.lines().count() == 2));
    child.kill().expect("killed");
    child.wait().expect("ended");
    let done = place
        .plimsoll("resume r.plim --allow-commands --commands-may-write . --json -q")
        .ran();
    let report = Report::of(&done);
    assert_eq!(report.rows.len(), 2, "{report:#?}");
    for step in steps(&place, "r.plim") {
        assert_eq!(only(&step, "echo x").failed, None);
    }
    // The repeat that was interrupted ran once more.
    let pulled = std::fs::read_to_string(place.path("pulled")).expect("written");
    assert_eq!(pulled.lines().count(), 3);
}
