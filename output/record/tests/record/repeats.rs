//! Records that hold repeats, and that were not made to their end.

use crate::sample;
use plimsoll_evidence::End;
use plimsoll_plan::{Item, Load, Nanos, Plan, Step};
use plimsoll_record::compare::{Basis, Comparison, Metric, Terms, compare};
use plimsoll_record::{Record, Recorder, RunStatus};
use std::path::Path;

/// Writes a record of a plan with `times` repeats of the step `rd1`: a step for each of these ends, and the run's own end.
fn record(path: &Path, times: u32, ends: &[End], status: Option<RunStatus>) -> Record {
    let step = Step::new("rd1", vec![], vec![], Load::Max, Nanos::secs(1));
    let plan = Plan::new(vec![], vec![Item::Step(step)]).repeated(times);
    let plan = serde_json::to_string(&plan).unwrap();
    let mut environment = sample::environment();
    environment.seed = times.into();
    let mut recorder = Recorder::create(path, &environment, &plan).unwrap();
    for (number, end) in (1..).zip(ends) {
        let run = format!("rd1#{number}");
        recorder.begin_step(number, &run, &run, "{}").unwrap();
        let mut step = sample::step(number, &run, 1.0 + f64::from(number) / 1000.0);
        (step.errors, step.end) = (0, *end);
        step.loops.clear();
        step.run = run;
        recorder.finish_step(&step).unwrap();
    }
    match status {
        Some(status) => recorder.finish(status).unwrap(),
        None => drop(recorder),
    }
    Record::open(path).unwrap()
}

fn sides(a: &Record, b: &Record) -> Comparison {
    let (a, b) = (std::slice::from_ref(a), std::slice::from_ref(b));
    compare(a, b, &Terms::default()).unwrap()
}

#[test]
fn repeats_that_are_whole_are_compared_where_the_last_was_interrupted_or_killed() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name);
    let whole = vec![End::Elapsed; 5];
    let all = record(&path("all.plim"), 5, &whole, Some(RunStatus::Completed));
    for (name, last, status) in [
        (
            "interrupted.plim",
            Some(End::Interrupted),
            Some(RunStatus::Interrupted),
        ),
        ("killed.plim", None, None),
    ] {
        let ends: Vec<End> = whole.iter().cloned().chain(last).collect();
        let cut = record(&path(name), 6, &ends, status);
        let comparison = sides(&cut, &all);
        assert_eq!((comparison.runs_a, comparison.runs_b), (5, 5), "{name}");
        assert!(comparison.a[0].ends_with(&format!("{name} (5 repeats)")));
        assert_eq!(comparison.steps[0].name, "rd1");
        let iops = &comparison.steps[0].metrics[0];
        assert_eq!(
            (iops.metric, iops.basis),
            (Metric::Iops, Basis::BetweenRepeats)
        );
        assert!(iops.verdict_words().contains("within these sittings"));
        let said = comparison.notes.join("\n");
        let left_out =
            said.contains("Repeat 6 of ") && said.contains("is incomplete and left out.");
        assert_eq!(left_out, name == "interrupted.plim", "{said}");
    }
}

#[test]
fn a_lone_repeat_that_was_cut_off_is_compared_as_what_it_is() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name);
    let all = record(
        &path("all.plim"),
        2,
        &[End::Elapsed, End::Elapsed],
        Some(RunStatus::Completed),
    );
    let cut = record(
        &path("cut.plim"),
        3,
        &[End::Interrupted],
        Some(RunStatus::Interrupted),
    );
    let comparison = sides(&all, &cut);
    assert_eq!((comparison.runs_a, comparison.runs_b), (2, 1));
    assert!(
        comparison
            .notes
            .iter()
            .any(|n| n.ends_with("cut.plim (repeat 1) is interrupted."))
    );
    assert!(comparison.steps[0].notes[0].contains("Ended before its time"));
}

#[test]
fn a_sitting_that_outweighs_other_runs_of_its_side_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name);
    let done = Some(RunStatus::Completed);
    let sitting = record(&path("sitting.plim"), 3, &[End::Elapsed; 3], done.clone());
    let other = record(&path("other.plim"), 2, &[End::Elapsed; 2], done);
    let both = [sitting, other];
    let comparison = compare(&both, &both[1..], &Terms::default()).unwrap();
    assert_eq!((comparison.runs_a, comparison.runs_b), (5, 2));
    let said = comparison.notes.join("\n");
    assert!(
        said.contains("sitting.plim counts 3 times among the 5 runs of A:"),
        "{said}"
    );
    assert!(!said.contains("runs of B:"), "{said}");
}
