//! Comparing runs.

use crate::sample;
use plimsoll_record::compare::{Basis, GateOutcome, Metric, Outcome, Terms, compare};
use plimsoll_record::{Record, RecordError, Recorder, RunStatus};
use tempfile::TempDir;

/// Writes one run whose step `rd1` is faster by `scale`, on a kernel.
fn run(dir: &TempDir, name: &str, scale: f64, kernel: &str, saturated: bool) -> Record {
    let path = dir.path().join(name);
    let mut environment = sample::environment();
    environment.host.kernel = kernel.into();
    let mut recorder = Recorder::create(&path, &environment, "{}").unwrap();
    recorder.begin_step(1, "rd1", "rd1", "{}").unwrap();
    let mut step = sample::step(1, "rd1", scale);
    step.errors = 0;
    step.saturation.as_mut().unwrap().saturated = saturated;
    recorder.finish_step(&step).unwrap();
    recorder.finish(RunStatus::Completed).unwrap();
    Record::open(&path).unwrap()
}

/// Runs made in the given order: `A` of about 1, `B` of about `scale`.
fn sides(dir: &TempDir, order: &str, scale: f64) -> (Vec<Record>, Vec<Record>) {
    let (mut a, mut b) = (Vec::new(), Vec::new());
    for (i, side) in order.chars().enumerate() {
        let jitter = 1.0 + (i * 7 % 5) as f64 * 0.002;
        match side {
            'A' => a.push(run(dir, &format!("{i}.plim"), jitter, "6.1", false)),
            _ => b.push(run(dir, &format!("{i}.plim"), jitter * scale, "6.1", false)),
        }
    }
    (a, b)
}

/// Outcome of a rule on two sides.
fn gated(a: &[Record], b: &[Record], rule: &str) -> GateOutcome {
    let terms = Terms {
        rules: vec![rule.parse().unwrap()],
        ..Terms::default()
    };
    compare(a, b, &terms).unwrap().outcome().unwrap()
}

#[test]
fn five_interleaved_runs_a_side_give_a_verdict() {
    let dir = tempfile::tempdir().unwrap();
    let (a, b) = sides(&dir, "ABBAABBAAB", 0.9);
    let comparison = compare(&a, &b, &Terms::default()).unwrap();
    assert_eq!(comparison.order, "ABBAABBAAB");
    assert!(comparison.notes.is_empty(), "{:?}", comparison.notes);
    let control = &comparison.steps[0].notes[0];
    assert!(control.starts_with("A/A control: "), "{control}");
    let metrics = &comparison.steps[0].metrics;
    let of = |metric| metrics.iter().find(|m| m.metric == metric).unwrap();
    assert_eq!(of(Metric::Iops).outcome, Outcome::Worse);
    assert_eq!(of(Metric::ResponseMean).outcome, Outcome::Worse);
    let answer = comparison.answer();
    assert!(
        answer.starts_with("B is worse than A in iops, ") && answer.contains("response"),
        "{answer}"
    );
    assert_eq!(of(Metric::Iops).basis, Basis::BetweenRuns);
    assert!((of(Metric::Iops).change_percent().unwrap() + 10.0).abs() < 0.5);
    assert_eq!(of(Metric::CpuPerIo).outcome, Outcome::NoDifference);
    for (rule, wanted) in [
        ("iops < -3%", GateOutcome::Fails),
        ("p99 > +5%", GateOutcome::Fails),
        ("iops < -20%", GateOutcome::Passes),
        ("response > 100us", GateOutcome::Fails),
    ] {
        assert_eq!(gated(&a, &b, rule), wanted, "{rule}");
    }
}

#[test]
fn runs_of_the_same_thing_show_no_difference() {
    let dir = tempfile::tempdir().unwrap();
    let (a, b) = sides(&dir, "ABBAABBAAB", 1.0);
    let comparison = compare(&a, &b, &Terms::default()).unwrap();
    for metric in &comparison.steps[0].metrics {
        assert_eq!(metric.outcome, Outcome::NoDifference, "{}", metric.metric);
    }
    assert_eq!(gated(&a, &b, "iops < -3%"), GateOutcome::Passes);
    // That there is no loss at all cannot be shown by finding none.
    assert_eq!(gated(&a, &b, "iops < -0%"), GateOutcome::Undecided);
}

#[test]
fn a_real_but_tiny_difference_is_no_better_and_no_worse() {
    let dir = tempfile::tempdir().unwrap();
    let (a, b) = sides(&dir, "ABBAABBAAB", 1.015);
    let comparison = compare(&a, &b, &Terms::default()).unwrap();
    assert_eq!(comparison.steps[0].metrics[0].outcome, Outcome::Negligible);
    let answer = comparison.answer();
    assert!(answer.starts_with("B differs from A in"), "{answer}");
}

#[test]
fn one_run_a_side_has_intervals_but_no_verdict() {
    let dir = tempfile::tempdir().unwrap();
    let (a, b) = sides(&dir, "AB", 0.5);
    let comparison = compare(&a, &b, &Terms::default()).unwrap();
    assert!(comparison.notes[0].starts_with("Within-run uncertainty only, no verdict"));
    let iops = &comparison.steps[0].metrics[0];
    assert_eq!(iops.outcome, Outcome::NoVerdict);
    assert_eq!(iops.basis, Basis::WithinRuns);
    assert_eq!(iops.p, None);
    assert!(iops.half_width.unwrap() > 0.0);
    assert_eq!(gated(&a, &b, "iops < -3%"), GateOutcome::Undecided);
    assert_eq!(gated(&a, &b, "iops < 1k"), GateOutcome::Undecided);
}

#[test]
fn a_run_that_is_given_twice_is_no_repeat() {
    let dir = tempfile::tempdir().unwrap();
    run(&dir, "a", 1.0, "6.1", false);
    run(&dir, "b", 2.0, "6.1", false);
    let five = |name: &str| {
        (0..5)
            .map(|_| Record::open(&dir.path().join(name)).unwrap())
            .collect::<Vec<_>>()
    };
    let comparison = compare(&five("a"), &five("b"), &Terms::default()).unwrap();
    assert_eq!(comparison.order, "AB");
    assert_eq!(comparison.steps[0].metrics[0].outcome, Outcome::NoVerdict);
    assert!(comparison.notes.iter().any(|n| n.contains("given twice")));
}

#[test]
fn sides_without_a_step_in_common_cannot_be_compared() {
    let dir = tempfile::tempdir().unwrap();
    let a = [run(&dir, "a", 1.0, "6.1", false)];
    let path = dir.path().join("b");
    let mut recorder = Recorder::create(&path, &sample::environment(), "{}").unwrap();
    recorder.begin_step(1, "rd2", "rd2", "{}").unwrap();
    let mut step = sample::step(1, "rd2", 1.0);
    step.loops.clear();
    recorder.finish_step(&step).unwrap();
    recorder.finish(RunStatus::Completed).unwrap();
    let error = compare(&a, &[Record::open(&path).unwrap()], &Terms::default()).unwrap_err();
    assert!(matches!(error, RecordError::NothingInCommon { .. }));
    assert_eq!(
        error.to_string(),
        "the two sides have no step in common: A has rd1; B has rd2. Steps are matched by their names: give the same one to what is to be compared"
    );
}

#[test]
fn runs_in_blocks_are_warned_of() {
    let dir = tempfile::tempdir().unwrap();
    let (a, b) = sides(&dir, "AAABBB", 1.0);
    let comparison = compare(&a, &b, &Terms::default()).unwrap();
    assert!(
        comparison
            .notes
            .iter()
            .any(|n| n.contains("not interleaved (AAABBB)")),
        "{:?}",
        comparison.notes
    );
    assert!(comparison.notes[0].starts_with("No verdict: that needs at least 5"));
}

#[test]
fn a_saturated_side_has_no_response_times_to_compare() {
    let dir = tempfile::tempdir().unwrap();
    let a = [run(&dir, "a", 1.0, "6.1", false)];
    let b = [run(&dir, "b", 1.0, "6.1", true)];
    let comparison = compare(&a, &b, &Terms::default()).unwrap();
    let step = &comparison.steps[0];
    assert!(step.metrics.iter().all(|m| m.metric != Metric::ResponseP99));
    assert!(step.metrics.iter().any(|m| m.metric == Metric::ServiceMean));
    assert!(step.notes[0].starts_with("Saturated in 0 of 1 runs of A and 1 of 1 of B"));
    assert_eq!(gated(&a, &b, "p99 > 1ms"), GateOutcome::Fails);
}

#[test]
fn the_table_shows_changes_and_what_else_is_different() {
    let dir = tempfile::tempdir().unwrap();
    let a = [run(&dir, "a", 1.0, "6.1", false)];
    let b = [run(&dir, "b", 1.1, "6.8", false)];
    let text = compare(&a, &b, &Terms::default()).unwrap().to_string();
    assert!(text.contains("iops"), "{text}");
    assert!(text.contains("+10.00 %"), "{text}");
    assert!(text.contains("kernel: A 6.1; B 6.8"), "{text}");
    assert!(!text.contains("seed"), "{text}");
}
