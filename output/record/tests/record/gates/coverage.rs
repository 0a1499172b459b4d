//! How often gates are wrong, on runs drawn at the limit, and laws that hold for all runs.

use super::{gate, runs};
use plimsoll_draw::Draw;
use plimsoll_record::compare::{GateOutcome, compare_figures};
use proptest::prelude::*;

/// Draws of a normal distribution (Box and Muller 1958), the same for the same seed.
struct Normal(Draw);

impl Normal {
    fn draw(&mut self, mean: f64, deviation: f64) -> f64 {
        let radius = (-2.0 * (1.0 - self.0.unit()).ln()).sqrt();
        mean + deviation * radius * (std::f64::consts::TAU * self.0.unit()).cos()
    }

    fn runs(&mut self, count: usize, mean: f64, deviation: f64) -> Vec<f64> {
        (0..count).map(|_| self.draw(mean, deviation)).collect()
    }
}

/// The shares of comparisons that pass and that fail where B's true mean is a given part of A's.
fn shares(true_ratio: f64, sizes: (usize, usize), deviations: (f64, f64)) -> (f64, f64) {
    const TRIALS: usize = 4000;
    let mut normal = Normal(Draw(sizes.0 as u64 * 1000 + sizes.1 as u64));
    let (mut passes, mut fails) = (0, 0);
    for _ in 0..TRIALS {
        let a = normal.runs(sizes.0, 100.0, deviations.0);
        let b = normal.runs(sizes.1, 100.0 * true_ratio, deviations.1);
        match gate(&a, &b, "iops < -3%").outcome {
            GateOutcome::Passes => passes += 1,
            GateOutcome::Fails => fails += 1,
            GateOutcome::Undecided => {}
        }
    }
    let share = |count| f64::from(count) / TRIALS as f64;
    (share(passes), share(fails))
}

#[test]
fn at_the_limit_no_more_than_one_in_twenty_passes_and_no_more_fails() {
    // Three standard errors of 4,000 trials at 5 %.
    let most = 0.05 + 3.0 * (0.05f64 * 0.95 / 4000.0).sqrt();
    for (sizes, deviations) in [
        ((5, 5), (2.0, 2.0)),
        ((5, 5), (1.0, 8.0)),
        ((5, 5), (8.0, 1.0)),
        ((5, 20), (2.0, 2.0)),
        ((5, 20), (8.0, 1.0)),
        ((20, 5), (1.0, 8.0)),
        ((8, 12), (3.0, 1.0)),
    ] {
        let (passes, fails) = shares(0.97, sizes, deviations);
        assert!(passes <= most, "{sizes:?} {deviations:?}: {passes} pass");
        assert!(fails <= most, "{sizes:?} {deviations:?}: {fails} fail");
        assert!(
            passes > 0.03 && fails > 0.03,
            "{passes} {fails}: a test that never says anything"
        );
    }
}

#[test]
fn the_loss_that_runs_would_have_seen_is_seen_four_times_in_five() {
    // Spread 2 % and five runs a side: (t(0.95, 8) + t(0.8, 8)) * 2 * sqrt(2 / 5) = (1.8595 + 0.8889) * 1.2649 = 3.48 %. So
    // a gate on no loss at all sees one of 3.48 % with a chance of 0.8, and one on 3 % passes where there is none if it
    // could see 3 %: at a spread of 3 / 3.4765 * 2 = 1.726 %.
    let (passes, _) = shares(1.0, (5, 5), (1.726, 1.726));
    assert!((passes - 0.8).abs() < 0.04, "{passes}");
}

/// Rates of the runs of one side.
fn side() -> impl Strategy<Value = Vec<f64>> {
    prop::collection::vec(50.0..150.0, 5..9)
}

/// The same mean with each run farther from it.
fn wider(runs: &[f64], times: f64) -> Vec<f64> {
    let mean = runs.iter().sum::<f64>() / runs.len() as f64;
    runs.iter().map(|run| mean + (run - mean) * times).collect()
}

proptest! {
    #[test]
    fn one_claim_at_most_is_made(a in side(), b in side(), limit in -40.0..40.0f64) {
        let step = gate(&a, &b, &format!("iops < {limit:+}%"));
        let test = step.test.unwrap();
        prop_assert!(test.p_pass + test.p_fail >= 1.0 - 1e-9, "{test:?}");
        let pass = test.p_pass_holm < 0.05;
        let fail = test.p_fail_holm < 0.05;
        prop_assert!(!(pass && fail));
        prop_assert_eq!(step.outcome == GateOutcome::Passes, pass);
        prop_assert_eq!(step.outcome == GateOutcome::Fails, fail);
    }

    #[test]
    fn what_fails_below_a_limit_passes_above_it(a in side(), b in side()) {
        let (below, above) = (gate(&a, &b, "iops < -3%"), gate(&a, &b, "iops > -3%"));
        let turned = match below.outcome {
            GateOutcome::Passes => GateOutcome::Fails,
            GateOutcome::Fails => GateOutcome::Passes,
            GateOutcome::Undecided => GateOutcome::Undecided,
        };
        prop_assert_eq!(above.outcome, turned);
    }

    #[test]
    fn noise_on_either_side_never_makes_a_claim_surer(
        a in side(), b in side(), times_a in 1.0..3.0f64, times_b in 1.0..3.0f64,
    ) {
        let narrow = gate(&a, &b, "iops < -3%").test.unwrap();
        let wide = gate(&wider(&a, times_a), &wider(&b, times_b), "iops < -3%").test.unwrap();
        // A claim that the data speaks for; the other is near 1 whatever the noise.
        if narrow.p_pass < 0.5 {
            prop_assert!(wide.p_pass >= narrow.p_pass - 1e-9, "{narrow:?} {wide:?}");
        }
        if narrow.p_fail < 0.5 {
            prop_assert!(wide.p_fail >= narrow.p_fail - 1e-9, "{narrow:?} {wide:?}");
        }
    }

    #[test]
    fn another_gate_never_makes_one_pass_or_fail(a in side(), b in side(), limit in -40.0..40.0f64) {
        let (a, b) = (runs(0, &a), runs(100, &b));
        let alone = compare_figures(&a, &b, &super::terms(&["iops < -3%"]));
        let other = format!("iops < {limit:+}%");
        let both = compare_figures(&a, &b, &super::terms(&["iops < -3%", &other]));
        let (alone, beside) = (alone.gates[0].outcome, both.gates[0].outcome);
        prop_assert!(beside == alone || beside == GateOutcome::Undecided, "{alone} {beside}");
    }
}

#[test]
fn a_little_noise_on_the_quiet_side_does_not_help() {
    // By Welch's own degrees of freedom it would: half of the interval is 0.9533 with b's spread alone, 0.9527 with some of
    // a's beside it.
    let wave = [-2.0, -1.0, 0.0, 1.0, 2.0].map(|v: f64| v / 2.5f64.sqrt());
    let side = |mean: f64, deviation: f64| wave.map(|v| mean + v * deviation).to_vec();
    let quiet = gate(&side(100.0, 0.0), &side(100.95, 1.0), "iops < 0%");
    let noisy = gate(&side(100.0, 0.3), &side(100.95, 1.0), "iops < 0%");
    let p = |step: &plimsoll_record::compare::GateStep| step.test.unwrap().p_pass;
    assert!(p(&noisy) >= p(&quiet), "{} {}", p(&noisy), p(&quiet));
}
