//! Worked examples. The constants are of SciPy 1.17: `stats.ttest_ind(B, c * A, equal_var=False, alternative=...)` with
//! c = 0.97, and `stats.t.ppf`, `stats.t.sf` for the rest.

use super::{gate, runs};
use plimsoll_record::compare::{FurtherRuns, GateOutcome, compare_figures};

const STEADY: [f64; 5] = [100.0, 101.0, 99.0, 100.0, 100.0];

#[track_caller]
fn near(got: f64, wanted: f64) {
    assert!((got / wanted - 1.0).abs() < 1e-6, "{got} is not {wanted}");
}

#[test]
fn a_side_that_mostly_broke_down_does_not_pass_for_its_wide_spread() {
    let step = gate(&STEADY, &[100.0, 60.0, 95.0, 55.0, 90.0], "iops < -3%");
    assert_eq!(step.outcome, GateOutcome::Undecided, "{step:?}");
    let test = step.test.unwrap();
    near(test.p_fail, 0.071_661_099_785_624_72);
    near(test.p_pass, 0.928_338_900_214_375_3);
    near(test.measured, -20.0);
    // (t.ppf(0.95, 4.0086) + t.ppf(0.8, 4.0086)) * 9.35927, in percent of 100.
    near(step.detectable.unwrap(), 28.744_481_230_403_19);
    // The fewest k with (t.ppf(0.95, nu) + t.ppf(0.8, nu)) * error of 5 + k runs each <= 17: 6.
    assert_eq!(step.further_runs, Some(FurtherRuns::About { runs: 6 }));
    assert_eq!(
        step.text,
        "-20.00 %; a loss of more than 3 % is neither excluded nor shown. These runs would have seen a loss of 29 %; \
         about 6 further runs of each side would decide"
    );
}

#[test]
fn a_loss_that_the_data_excludes_passes() {
    let step = gate(&STEADY, &[99.5, 100.5, 100.0, 98.0, 101.0], "iops < -3%");
    assert_eq!(step.outcome, GateOutcome::Passes, "{step:?}");
    // Welch's own is 0.0013746; b's spread alone, with its 4 degrees of freedom, is the weaker evidence.
    near(step.test.unwrap().p_pass, 0.002_772_982_658_483_828);
    near(step.detectable.unwrap(), 1.687_412_002_652_049);
    assert_eq!(step.further_runs, None);
    assert_eq!(
        step.text,
        "-0.20 %; a loss of more than 3 % is excluded (p = 0.0028)"
    );
}

#[test]
fn a_loss_that_the_data_shows_fails() {
    let step = gate(&STEADY, &[90.0, 91.0, 89.0, 92.0, 90.0], "iops < -3%");
    assert_eq!(step.outcome, GateOutcome::Fails, "{step:?}");
    assert!(step.test.unwrap().p_fail < 0.0002, "{step:?}");
    assert!(
        step.text
            .starts_with("-9.60 %; a loss of more than 3 % is shown"),
        "{step:?}"
    );
}

#[test]
fn sides_of_different_sizes_are_judged_by_their_own_degrees_of_freedom() {
    let a = [100.0, 104.0, 97.0, 101.0, 98.0];
    let step = gate(
        &a,
        &[99.0, 103.0, 96.0, 100.0, 95.0, 98.0, 97.0],
        "iops < -3%",
    );
    assert_eq!(step.outcome, GateOutcome::Undecided);
    near(step.test.unwrap().p_pass, 0.216_288_005_360_326_5);
    near(step.detectable.unwrap(), 4.254_987_712_757_205);
    assert_eq!(step.further_runs, Some(FurtherRuns::About { runs: 49 }));
    // Nearly on the limit: 1,482 runs by the same formula, which nobody makes.
    let step = gate(
        &a,
        &[96.0, 103.0, 95.0, 100.0, 92.0, 98.0, 97.0],
        "iops < -3%",
    );
    near(step.test.unwrap().p_pass, 0.438_221_086_967_170_06);
    assert_eq!(
        step.further_runs,
        Some(FurtherRuns::MoreThan { runs: 1000 })
    );
    assert!(
        step.text
            .ends_with("even 1000 further runs of each side would not decide")
    );
}

#[test]
fn a_limit_of_the_value_itself_is_a_test_of_b_alone() {
    let b = [1.02, 1.05, 0.99, 1.04, 1.01].map(|v| v * 1000.0);
    // stats.ttest_1samp(b, 1100, alternative='less')
    let step = gate(&[5.0], &b, "iops > 1100");
    assert_eq!(step.outcome, GateOutcome::Passes, "{step:?}");
    near(step.test.unwrap().p_pass, 0.000_933_596_661_392_803_2);
    assert_eq!(gate(&[5.0], &b, "iops < 1100").outcome, GateOutcome::Fails);
    assert_eq!(
        gate(&b, &[1020.0], "iops > 1100").outcome,
        GateOutcome::Undecided
    );
}

#[test]
fn too_few_runs_are_undecided_and_say_what_it_takes() {
    let one = gate(&[100.0], &[50.0], "iops < -3%");
    assert_eq!(one.outcome, GateOutcome::Undecided);
    assert!(
        one.text.starts_with("within-run uncertainty only"),
        "{one:?}"
    );
    assert_eq!(one.further_runs, Some(FurtherRuns::AtLeast { runs: 4 }));
    let four = gate(
        &[100.0, 101.0, 99.0, 100.0],
        &[50.0, 51.0, 49.0, 50.0],
        "iops < -3%",
    );
    assert_eq!(four.outcome, GateOutcome::Undecided);
    assert_eq!(four.further_runs, Some(FurtherRuns::About { runs: 1 }));
    assert!(four.text.contains("would have seen a loss of"), "{four:?}");
}

#[test]
fn runs_that_repeat_exactly_decide_but_on_the_limit_itself() {
    assert_eq!(
        gate(&[100.0; 5], &[98.0; 5], "iops < -3%").outcome,
        GateOutcome::Passes
    );
    assert_eq!(
        gate(&[100.0; 5], &[96.0; 5], "iops < -3%").outcome,
        GateOutcome::Fails
    );
    let on = gate(&[100.0; 5], &[75.0; 5], "iops < -25%");
    assert_eq!(on.outcome, GateOutcome::Undecided);
    assert_eq!(on.further_runs, Some(FurtherRuns::Unknowable));
    let nothing = gate(&[0.0; 5], &[75.0; 5], "iops < -25%");
    assert_eq!(nothing.outcome, GateOutcome::Undecided);
    assert!(nothing.text.contains("A's mean is 0"), "{nothing:?}");
}

#[test]
fn the_confidence_that_is_asked_for_is_the_one_that_decides() {
    let (a, b) = (
        runs(0, &STEADY),
        runs(100, &[100.0, 60.0, 95.0, 55.0, 90.0]),
    );
    // p_fail is 0.0717.
    for (confidence, wanted) in [("92", GateOutcome::Fails), ("93", GateOutcome::Undecided)] {
        let mut terms = super::terms(&["iops < -3%"]);
        terms.confidence = confidence.parse().unwrap();
        let comparison = compare_figures(&a, &b, &terms);
        assert_eq!(comparison.outcome(), Some(wanted), "{confidence}");
    }
}
