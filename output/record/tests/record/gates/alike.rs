//! Only like is compared with like.

use super::{fact, judged, outcome, rd1, runs, steady, terms};
use plimsoll_evidence::Estimate;
use plimsoll_record::compare::{GateOutcome, Metric, Outcome, RunFigures, Terms, compare_figures};

fn different(rules: &[&str]) -> Terms {
    Terms {
        different: true,
        ..terms(rules)
    }
}

/// B with something else, and what the gate says without and with `--different`.
fn outcomes(deed: impl Fn(&mut RunFigures)) -> [Option<GateOutcome>; 2] {
    let (a, mut b) = steady();
    b.iter_mut().for_each(deed);
    let rules = ["iops < -3%"];
    [terms(&rules), different(&rules)].map(|terms| compare_figures(&a, &b, &terms).outcome())
}

const ONLY_IF_ASKED: [Option<GateOutcome>; 2] =
    [Some(GateOutcome::Undecided), Some(GateOutcome::Passes)];

#[test]
fn what_was_asked_for_has_to_be_the_same() {
    assert_eq!(
        outcomes(|run| rd1(run).asked = vec![fact("block size", "8 KiB")]),
        ONLY_IF_ASKED
    );
    assert_eq!(
        outcomes(|run| run.measured = vec![fact("simulated", "true")]),
        ONLY_IF_ASKED
    );
    let of_place = outcomes(|run| run.facts = vec![fact("kernel", "7.0")]);
    assert_eq!(of_place, [Some(GateOutcome::Passes); 2]);
}

#[test]
fn differences_stand_before_the_results_and_are_said_once_for_all_steps() {
    let (mut a, mut b) = steady();
    for (side, size) in [(&mut a, "4 KiB"), (&mut b, "8 KiB")] {
        for run in side {
            rd1(run).asked = vec![fact("block size", size)];
            let mut second = rd1(run).clone();
            second.name = "rd2".into();
            run.steps.push(second);
            run.facts = vec![fact("kernel", size)];
        }
    }
    let comparison = judged(&a, &b, &[]);
    assert_eq!(comparison.measured.len(), 1);
    let text = comparison.to_string();
    let at = |part: &str| text.find(part).unwrap_or_else(|| panic!("{part}: {text}"));
    assert!(at("block size (in every step): A 4 KiB; B 8 KiB") < at("kernel: A 4 KiB; B 8 KiB"));
    assert!(at("kernel: A") < at("no verdict (not the same measurement)"));
}

#[test]
fn a_step_that_is_alike_has_its_verdict_beside_one_that_is_not() {
    let (mut a, mut b) = steady();
    for (side, size) in [(&mut a, "4 KiB"), (&mut b, "8 KiB")] {
        for run in side {
            let mut second = rd1(run).clone();
            second.name = "rd2".into();
            second.asked = vec![fact("block size", size)];
            run.steps.push(second);
        }
    }
    let comparison = judged(&a, &b, &[]);
    let outcomes: Vec<Outcome> = comparison
        .steps
        .iter()
        .map(|s| s.metrics[0].outcome)
        .collect();
    assert_eq!(outcomes, [Outcome::NoDifference, Outcome::NotAlike]);
}

#[test]
fn runs_of_one_side_that_differ_among_themselves_are_no_repeats() {
    let (mut a, b) = steady();
    rd1(&mut a[0]).asked = vec![fact("depth", "64")];
    assert_eq!(outcome(&a, &b, "iops < -3%"), GateOutcome::Undecided);
}

#[test]
fn a_key_that_another_version_does_not_write_is_no_difference() {
    let with = |version: &'static str| {
        outcomes(move |run| {
            run.version = version.into();
            rd1(run).asked = vec![fact("think time", "none")];
        })
    };
    assert_eq!(with("1"), ONLY_IF_ASKED);
    assert_eq!(with("2"), [Some(GateOutcome::Passes); 2]);
}

#[test]
fn more_offered_rate_is_no_better_iops() {
    let (mut a, mut b) = steady();
    for (side, offered) in [(&mut a, 100.0), (&mut b, 200.0)] {
        for run in side {
            let iops = offered + run.started_unix_ns as f64 % 10.0 * 0.01;
            let step = rd1(run);
            step.offered = vec![offered];
            step.values.insert(Metric::Iops, Estimate::bare(iops));
            step.values
                .insert(Metric::ServiceMean, Estimate::bare(iops));
        }
    }
    let comparison = judged(&a, &b, &["iops < -3%"]);
    assert_eq!(comparison.measured[0].fact.name, "offered rate");
    assert_eq!(comparison.outcome(), Some(GateOutcome::Undecided));
    // Nor where it may differ: then times have verdicts, and rates have none.
    let comparison = compare_figures(&a, &b, &different(&["iops < -3%", "service > +3%"]));
    let outcomes: Vec<GateOutcome> = comparison.gates.iter().map(|g| g.outcome).collect();
    assert_eq!(outcomes, [GateOutcome::Undecided, GateOutcome::Fails]);
    let of = |metric| {
        let mut metrics = comparison.steps[0].metrics.iter();
        metrics.find(|m| m.metric == metric).unwrap().outcome
    };
    assert_eq!(
        [of(Metric::Iops), of(Metric::ServiceMean)],
        [Outcome::AskedFor, Outcome::Worse]
    );
}

#[test]
fn an_open_loop_beside_a_closed_one_has_no_better_iops() {
    let (a, mut b) = steady();
    b.iter_mut().for_each(|run| rd1(run).offered = vec![100.0]);
    let comparison = compare_figures(&a, &b, &different(&["iops < -3%"]));
    assert_eq!(comparison.outcome(), Some(GateOutcome::Undecided));
}

#[test]
fn a_run_is_no_repeat_of_itself() {
    let (a, mut b) = steady();
    b[2] = a[1].clone();
    assert_eq!(outcome(&a, &b, "iops < -3%"), GateOutcome::Undecided);
    assert_eq!(outcome(&a, &a, "iops < -3%"), GateOutcome::Undecided);
}

#[test]
fn a_simulated_run_with_the_same_seed_is_the_same_run() {
    let (mut a, mut b) = steady();
    for run in a.iter_mut().chain(&mut b) {
        run.simulated = true;
    }
    assert_eq!(outcome(&a, &b, "iops < -3%"), GateOutcome::Passes);
    b.iter_mut().for_each(|run| run.seed = 7);
    let comparison = judged(&a, &b, &["iops < -3%"]);
    assert_eq!(comparison.order, "AAAAAB");
    assert_eq!(comparison.outcome(), Some(GateOutcome::Undecided));
    assert!(
        comparison
            .to_string()
            .contains("the same seed (7); it is no repeat")
    );
}

#[test]
fn what_runs_say_of_themselves_is_shown() {
    let (mut a, mut b) = steady();
    rd1(&mut a[0]).notes = vec!["The generator was late by 3.00ms.".into()];
    rd1(&mut b[1]).notes = vec!["The generator was late by 9.10ms.".into()];
    b[0].notes = vec!["rd: never got steady".into()];
    let text = judged(&a, &b, &[]).to_string();
    assert!(
        text.contains("A in 1 of 5, B in 1 of 5: The generator was late by 3.00ms; in B: The generator was late by 9.10ms."),
        "{text}"
    );
    assert!(text.contains("B in 1 of 5: rd: never got steady"), "{text}");
}

/// Simulated runs with these seeds, the same in `facts` or not.
fn simulated(first: i64, host: &str, version: &str) -> Vec<RunFigures> {
    let mut runs = super::runs(first, &[100.0, 101.0, 102.0, 103.0, 104.0]);
    for (seed, run) in (1..).zip(&mut runs) {
        run.seed = seed;
        run.simulated = true;
        run.version = version.into();
        run.facts = vec![fact("hostname", host), fact("target 1: name", "lab:x")];
    }
    runs
}

#[test]
fn the_same_simulated_seeds_on_both_sides_are_the_same_numbers_twice_on_whatever_host() {
    let a = simulated(1, "one", "1");
    for (host, version) in [("one", "1"), ("two", "1"), ("one", "2")] {
        let comparison = judged(&a, &simulated(10, host, version), &["iops < -3%"]);
        assert_eq!(comparison.outcome(), Some(GateOutcome::Undecided));
        let why = comparison.withheld.as_deref().unwrap_or_default();
        assert!(why.contains("not independent"), "{why}");
        // Without a gate it is said as well.
        assert!(
            comparison
                .notes
                .iter()
                .any(|n| n.contains("not independent"))
        );
    }
    // Another version whose array does other things is another run; so is another array.
    let mut other = simulated(10, "one", "2");
    other.iter_mut().for_each(|run| {
        let iops = rd1(run).values.get_mut(&Metric::Iops).unwrap();
        *iops = Estimate::bare(iops.mean + 1.0);
    });
    assert_eq!(judged(&a, &other, &[]).withheld, None);
    let mut other = simulated(10, "one", "1");
    other
        .iter_mut()
        .for_each(|run| run.facts[1] = fact("target 1: name", "lab:y"));
    assert_eq!(judged(&a, &other, &[]).withheld, None);
}

#[test]
fn what_is_clearly_worse_and_still_within_the_limit_of_both_sides_is_said() {
    let side = |first, p99_us: f64, limit_us: Option<f64>| {
        let mut side = runs(first, &[1000.0, 1001.0, 1002.0, 1003.0, 1004.0]);
        for (run, jitter) in side.iter_mut().zip([0.0, 1.0, 2.0, 3.0, 4.0]) {
            let p99 = Estimate::bare((p99_us + jitter) * 1e3);
            rd1(run).values.insert(Metric::ResponseP99, p99);
            rd1(run).limits = limit_us
                .map(|us| (Metric::ResponseP99, us * 1e3))
                .into_iter()
                .collect();
        }
        side
    };
    let said = |before: f64, after: f64, limits: [Option<f64>; 2]| {
        let (a, b) = (side(1, before, limits[0]), side(11, after, limits[1]));
        let notes = compare_figures(&a, &b, &Terms::default())
            .steps
            .remove(0)
            .notes;
        notes.into_iter().find(|note| note.contains("limit"))
    };
    let both = [Some(2000.0); 2];
    let drift = "p99: 1.20ms is within the limit of 2.00ms, but in A it was 802us.";
    assert_eq!(said(800.0, 1200.0, both).as_deref(), Some(drift));
    for (before, after, limits) in [
        (1200.0, 800.0, both),
        (800.0, 2100.0, both),
        (800.0, 800.0, both),
        (800.0, 1200.0, [None, both[1]]),
    ] {
        assert_eq!(said(before, after, limits), None);
    }
}
