//! What befalls one side alone is a failure of the gate and not a gap; on both sides nothing can be said.

use super::{judged, outcome, rd1, steady};
use plimsoll_evidence::Estimate;
use plimsoll_record::compare::{GateOutcome, Metric, RunFigures};

/// Does something to a run.
type Deed = fn(&mut RunFigures);

const TROUBLES: [(&str, Deed); 5] = [
    ("saturates", |run| rd1(run).saturated = true),
    ("has failed I/Os", |run| rd1(run).errors = 1),
    ("is missing", |run| run.steps.clear()),
    ("ended before its time", |run| rd1(run).cut_short = true),
    ("was found invalid", |run| rd1(run).invalid = true),
];

#[test]
fn trouble_in_one_run_of_one_side_fails_the_gate() {
    for (what, deed) in TROUBLES {
        for (of_a, counted) in [
            (true, "1 of 5 runs of A and 0 of 5 of B"),
            (false, "0 of 5 runs of A and 1 of 5 of B"),
        ] {
            let (mut a, mut b) = steady();
            deed(if of_a { &mut a[3] } else { &mut b[3] });
            let comparison = judged(&a, &b, &["iops < -3%"]);
            assert_eq!(
                comparison.outcome(),
                Some(GateOutcome::Fails),
                "{what} {counted}"
            );
            let text = &comparison.gates[0].steps[0].text;
            assert!(text.contains(what) && text.contains(counted), "{text}");
        }
    }
}

#[test]
fn the_same_trouble_on_both_sides_is_undecided() {
    for (what, deed) in TROUBLES {
        let (mut a, mut b) = steady();
        deed(&mut a[0]);
        deed(&mut b[3]);
        let comparison = judged(&a, &b, &["iops < -3%"]);
        assert_eq!(comparison.outcome(), Some(GateOutcome::Undecided), "{what}");
        assert!(comparison.gates[0].steps[0].text.contains(what));
    }
}

#[test]
fn a_percentile_that_one_side_loses_fails_the_gate_on_it_and_no_other() {
    let (mut a, mut b) = steady();
    for run in a.iter_mut().chain(&mut b) {
        let p99 = 1e6 + run.started_unix_ns as f64;
        rd1(run)
            .values
            .insert(Metric::ResponseP99, Estimate::bare(p99));
    }
    assert_eq!(outcome(&a, &b, "p99 > +5%"), GateOutcome::Passes);
    rd1(&mut b[4]).values.remove(&Metric::ResponseP99);
    assert_eq!(outcome(&a, &b, "p99 > +5%"), GateOutcome::Fails);
    assert_eq!(outcome(&a, &b, "iops < -3%"), GateOutcome::Passes);
    rd1(&mut a[4]).values.remove(&Metric::ResponseP99);
    assert_eq!(outcome(&a, &b, "p99 > +5%"), GateOutcome::Undecided);
}

#[test]
fn a_step_that_only_one_side_has_fails_the_gate() {
    let (a, mut b) = steady();
    for run in &mut b {
        run.steps.push(super::step("rd2", 5.0));
    }
    let comparison = judged(&a, &b, &["iops < -3%"]);
    assert_eq!(comparison.outcome(), Some(GateOutcome::Fails));
    assert_eq!(comparison.only_in_b, ["rd2"]);
    assert_eq!(comparison.gates[0].steps[0].outcome, GateOutcome::Passes);
    let only = super::terms(&["iops < -3%"]);
    let only = plimsoll_record::compare::Terms {
        steps: vec!["rd1".into()],
        ..only
    };
    let chosen = plimsoll_record::compare::compare_figures(&a, &b, &only);
    assert_eq!(chosen.outcome(), Some(GateOutcome::Passes));
}

#[test]
fn a_limit_of_the_value_itself_does_not_ask_a() {
    let (mut a, mut b) = steady();
    rd1(&mut a[0]).errors = 7;
    assert_eq!(outcome(&a, &b, "iops < 90"), GateOutcome::Passes);
    rd1(&mut b[0]).errors = 7;
    assert_ne!(outcome(&a, &b, "iops < 90"), GateOutcome::Passes);
}

#[test]
fn a_percentile_is_known_to_its_bucket_and_no_better() {
    // All runs of a side fall into one bucket, 0.41 % wide, so that repeats show no spread at all.
    let (mut a, mut b) = steady();
    let mut set = |of_b: f64| {
        a.iter_mut().for_each(|run| {
            rd1(run)
                .values
                .insert(Metric::ResponseP99, Estimate::bare(1_000_000.0));
        });
        b.iter_mut().for_each(|run| {
            rd1(run)
                .values
                .insert(Metric::ResponseP99, Estimate::bare(of_b));
        });
        ["p99 > +0.3%", "p99 > +5%"].map(|rule| outcome(&a, &b, rule))
    };
    assert_eq!(
        set(1_000_000.0),
        [GateOutcome::Undecided, GateOutcome::Passes]
    );
    assert_eq!(
        set(1_004_000.0),
        [GateOutcome::Undecided, GateOutcome::Passes]
    );
    assert_eq!(set(1_016_000.0), [GateOutcome::Fails, GateOutcome::Passes]);
    assert_eq!(set(1_060_000.0), [GateOutcome::Fails, GateOutcome::Fails]);
}
