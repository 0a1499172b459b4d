//! A bounded part of the simulations in `docs/statistics.md`: intervals are right as often as they say, on series whose
//! truth is known, and where a series is too short they say so. The whole is `examples/coverage`.

use crate::series::{Marginal, autoregressive, correlation_time, distributed, seeded};
use plimsoll_measure::{
    Confidence, Decision, NoConfidence, Stopping, mean_confidence, ratio_confidence, theil_sen,
};

const REPETITIONS: u64 = 400;

fn holds(c: &Confidence, truth: f64) -> bool {
    (c.low..=c.high).contains(&truth)
}

/// How many of the repetitions have an answer, and how many of those are right.
fn tally(answer: impl Fn(u64) -> Option<bool>) -> (f64, f64) {
    let answers: Vec<bool> = (0..REPETITIONS).filter_map(answer).collect();
    let right = answers.iter().filter(|right| **right).count();
    (
        answers.len() as f64 / REPETITIONS as f64,
        right as f64 / answers.len() as f64,
    )
}

fn mean_tally(phi: f64, length: usize, marginal: Marginal) -> (f64, f64) {
    tally(|seed| {
        let c = mean_confidence(&distributed(seed, phi, length, marginal), 0.95).ok()?;
        Some(holds(&c, marginal.mean()))
    })
}

#[test]
fn intervals_of_a_hundred_correlation_times_cover_95_percent_whatever_the_distribution() {
    for marginal in Marginal::ALL {
        for phi in [0.0, 0.5, 0.9] {
            for times in [100.0, 300.0] {
                let length = (times * correlation_time(phi)) as usize;
                let (given, right) = mean_tally(phi, length, marginal);
                assert!(given > 0.98, "{marginal:?} {phi} {length}: {given} given");
                // 93 to 97 %, give or take what 400 repetitions scatter by.
                assert!(
                    (0.912..=0.988).contains(&right),
                    "{marginal:?} {phi} {length}: {right}"
                );
            }
        }
    }
}

#[test]
fn a_series_of_few_correlation_times_has_a_wide_interval_or_none() {
    for marginal in Marginal::ALL {
        for phi in [0.5, 0.8, 0.95] {
            for times in [5.0, 10.0, 20.0, 30.0, 40.0] {
                let length = ((times * correlation_time(phi)) as usize).max(30);
                let (given, right) = mean_tally(phi, length, marginal);
                let wrong = given * (1.0 - right);
                // Of all series; two standard errors above 5 %.
                assert!(
                    given == 0.0 || wrong < 0.068,
                    "{marginal:?} {phi} {length}: {wrong}"
                );
                // And of those that have one; a few say nothing.
                assert!(
                    given < 0.1 || right > 0.915,
                    "{marginal:?} {phi} {length}: {right} of {given}"
                );
            }
            let (given, _) = mean_tally(phi, 30, marginal);
            assert!(
                given < 0.02,
                "{marginal:?} {phi}, 30 samples: {given} given"
            );
        }
    }
}

#[test]
fn a_ratio_is_covered_where_busy_samples_are_slow() {
    // I/Os of a sample follow a correlated load, and the time of each rises with it. E[n t] / E[n] by integration: with
    // n = 100 e^(z/2) and t = e^(z/2), E[n t] = 100 e^(1/2), E[n] = 100 e^(1/8).
    let truth = 0.375f64.exp();
    let (given, right) = tally(|seed| {
        let z = autoregressive(&mut seeded(seed), 0.8, 1800);
        let ios: Vec<f64> = z.iter().map(|z| 100.0 * (z / 2.0).exp()).collect();
        let times: Vec<f64> = z.iter().map(|z| 100.0 * z.exp()).collect();
        Some(holds(&ratio_confidence(&times, &ios, 0.95).ok()?, truth))
    });
    assert!(
        given > 0.98 && (0.912..=0.988).contains(&right),
        "{given} {right}"
    );
}

#[test]
fn a_slow_wander_under_white_noise_is_seen() {
    // Its lag-1 autocorrelation is about a half, as of a series with the time 3; its correlation time is 20.
    let (given, right) = tally(|seed| {
        let mut random = seeded(seed);
        let mut series = autoregressive(&mut random, 0.95, 4000);
        series.iter_mut().for_each(|v| *v += random.normal());
        Some(holds(&mean_confidence(&series, 0.95).ok()?, 0.0))
    });
    assert!(given > 0.95 && right > 0.912, "{given} {right}");
}

#[test]
fn what_wanders_is_no_trend_and_what_rises_is() {
    for (phi, length) in [(0.0, 100), (0.8, 900), (0.95, 3900)] {
        let (given, right) = tally(|seed| {
            let series = distributed(seed, phi, length, Marginal::Lognormal);
            Some(theil_sen(&series, 0.95).ok()?.p > 0.05)
        });
        assert!(given > 0.95 && right > 0.93, "{phi}: {given} {right}");
    }
    let slope = 0.004;
    let (given, right) = tally(|seed| {
        let mut series = distributed(seed, 0.8, 2700, Marginal::Normal);
        let slanted = series.iter_mut().enumerate();
        slanted.for_each(|(i, v)| *v += slope * i as f64);
        let trend = theil_sen(&series, 0.95).ok()?;
        Some(trend.p < 1e-6 && (trend.low..=trend.high).contains(&slope))
    });
    assert!(given > 0.95 && right > 0.92, "{given} {right}");
}

#[test]
fn a_trend_where_there_is_none_is_said_one_time_in_twenty_at_most() {
    // Cells of the grid of 100 correlation times and more, each with seeds of its own.
    let cells = [
        (0.0, 100),
        (0.0, 300),
        (0.5, 300),
        (0.5, 900),
        (0.8, 900),
        (0.8, 2700),
        (0.9, 1900),
    ];
    let (mut asked, mut alarms) = (0, 0);
    for (first, (phi, length)) in (0..).step_by(100_000).zip(cells) {
        for seed in first..first + REPETITIONS {
            let series = distributed(seed, phi, length, Marginal::Normal);
            let Ok(trend) = theil_sen(&series, 0.95) else {
                continue;
            };
            asked += 1;
            alarms += u32::from(trend.p <= 0.05);
        }
    }
    let share = f64::from(alarms) / f64::from(asked);
    assert!(asked > 2_700 && share <= 0.05, "{alarms} of {asked}");
}

#[test]
fn stopping_at_a_planned_look_keeps_its_promise_where_peeking_breaks_it() {
    let rule = Stopping::new(0.02, 0.95, 50, 5000);
    let (mut planned, mut peeked) = (0, 0);
    for seed in 0..300 {
        let series = distributed(seed, 0.0, 5000, Marginal::Normal);
        let mut have = 0;
        let stopped = loop {
            match rule.decide(&series[..have]) {
                Decision::Until(more) => {
                    assert!(more > have && rule.looks().contains(&more));
                    have = more;
                }
                Decision::Narrow(c) => break c,
                Decision::Last(_) => panic!("5000 samples are enough"),
            }
        };
        assert!(stopped.relative_half_width() <= 0.02);
        // What came later makes no difference to where it stopped.
        assert_eq!(rule.decide(&series), Decision::Narrow(stopped));
        planned += u32::from(holds(&stopped, 10.0));
        let first_narrow = (50..5000)
            .step_by(5)
            .filter_map(|n| mean_confidence(&series[..n], 0.95).ok())
            .find(|c| c.relative_half_width() <= 0.02)
            .unwrap();
        peeked += u32::from(holds(&first_narrow, 10.0));
    }
    assert!(planned >= 285, "{planned} of 300");
    assert!(
        peeked < 279,
        "peeking was right in {peeked} of 300, and should not have been"
    );
}

#[test]
fn a_measurement_that_never_gets_narrow_ends_with_what_it_knows() {
    let rule = Stopping::new(1e-6, 0.95, 50, 400);
    let series = distributed(1, 0.0, 400, Marginal::Normal);
    assert_eq!(rule.decide(&[]), Decision::Until(50));
    assert!(matches!(rule.decide(&series), Decision::Last(Ok(_))));
    let ramp: Vec<f64> = (0..400).map(f64::from).collect();
    assert!(matches!(
        rule.decide(&ramp),
        Decision::Last(Err(NoConfidence::TooShort { .. }))
    ));
}

#[test]
fn what_is_no_series_has_no_interval_and_does_no_harm() {
    for bad in [&[][..], &[1.0, f64::NAN], &[f64::INFINITY; 100]] {
        assert_eq!(mean_confidence(bad, 0.95), Err(NoConfidence::NotNumbers));
    }
    assert_eq!(
        ratio_confidence(&[1.0; 50], &[1.0; 49], 0.95),
        Err(NoConfidence::NotNumbers)
    );
    assert_eq!(
        ratio_confidence(&[1.0; 50], &[0.0; 50], 0.95),
        Err(NoConfidence::NotNumbers)
    );
    assert_eq!(
        mean_confidence(&[5.0; 10], 0.95),
        Err(NoConfidence::TooShort { needed: Some(24) })
    );
    let still = mean_confidence(&[5.0; 100], 0.95).unwrap();
    assert_eq!(still.low, 5.0);
    assert_eq!(still.high, 5.0);
    assert_eq!(still.relative_half_width(), 0.0);
    let flat = theil_sen(&[3.0; 100], 0.95).unwrap();
    assert_eq!((flat.slope, flat.p), (0.0, 1.0));
    assert!(theil_sen(&[1.0; 3], 0.95).is_err());
}
