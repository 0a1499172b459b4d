//! Several steps and rules are one family of tests.

use super::{gate, judged, outcome, runs, steady, step};
use plimsoll_record::compare::{GateOutcome, Outcome};

#[test]
fn a_second_step_makes_each_test_harder_and_the_output_says_so() {
    // Alone this fails with p = 0.0456 (SciPy, one-sided).
    let (a, b) = (
        [100.0, 101.0, 99.0, 100.0, 100.0],
        [97.0, 90.0, 96.0, 88.0, 95.0],
    );
    let alone = gate(&a, &b, "iops < -3%");
    let p = alone.test.unwrap().p_fail;
    assert!(p > 0.025 && p < 0.05, "{p}");
    assert_eq!(alone.outcome, GateOutcome::Fails);
    let (mut a, mut b) = (runs(0, &a), runs(100, &b));
    for run in a.iter_mut().chain(&mut b) {
        let spread = run.started_unix_ns as f64 % 7.0;
        run.steps.push(step("rd2", 98.0 + spread));
    }
    let comparison = judged(&a, &b, &["iops < -3%"]);
    let [rd1, _] = comparison.gates[0].steps.as_slice() else {
        panic!("{comparison:?}");
    };
    let test = rd1.test.unwrap();
    assert_eq!(test.p_fail, p);
    assert!((test.p_fail_holm - 2.0 * p).abs() < 1e-12, "{test:?}");
    assert_eq!(rd1.outcome, GateOutcome::Undecided);
    assert_eq!(comparison.gate_tests, 2);
    let text = comparison.to_string();
    assert!(
        text.contains("2 tests over all steps and rules, adjusted by Holm's method"),
        "{text}"
    );
}

#[test]
fn one_step_that_fails_makes_the_gate_fail_and_all_have_to_pass() {
    let (mut a, mut b) = steady();
    let rates = [200.0, 201.0, 199.0, 200.5, 199.5];
    for (run, rate) in a.iter_mut().zip(rates) {
        run.steps.push(step("rd2", rate));
    }
    for (run, rate) in b.iter_mut().zip(rates) {
        run.steps.push(step("rd2", rate));
    }
    assert_eq!(outcome(&a, &b, "iops < -3%"), GateOutcome::Passes);
    for (run, rate) in b.iter_mut().zip(rates) {
        run.steps[1] = step("rd2", rate * 0.9);
    }
    assert_eq!(outcome(&a, &b, "iops < -3%"), GateOutcome::Fails);
    for (run, rate) in b.iter_mut().zip([200.0, 120.0, 190.0, 110.0, 180.0]) {
        run.steps[1] = step("rd2", rate);
    }
    assert_eq!(outcome(&a, &b, "iops < -3%"), GateOutcome::Undecided);
}

#[test]
fn the_table_s_verdicts_are_a_family_too() {
    let rates = |scale: f64| [100.0, 101.0, 99.0, 100.0, 100.0].map(|r| r * scale);
    // 2.2 % less, p = 0.0013: enough for one test and not for forty.
    let side = |first, rates: [f64; 5], steps: usize| {
        let mut side = runs(first, &rates);
        for (run, rate) in side.iter_mut().zip(rates) {
            let more = (1..steps).map(|n| step(&format!("rd{}", n + 1), rate));
            run.steps.extend(more);
        }
        side
    };
    let wide = [97.0, 99.0, 98.0, 96.5, 98.5];
    for (steps, wanted) in [(1, Outcome::Worse), (100, Outcome::NoDifference)] {
        let comparison = judged(&side(0, rates(1.0), steps), &side(100, wide, steps), &[]);
        let metric = comparison.steps[0].metrics[0];
        assert_eq!(metric.outcome, wanted, "{metric:?}");
        assert_eq!(
            metric.p_holm.unwrap(),
            (metric.p.unwrap() * steps as f64).min(1.0)
        );
    }
}
