//! Changes of level are found where they are and nowhere else, and steadiness is reached, kept and lost.

use crate::series::{Marginal, correlation_time, distributed, seeded};
use plimsoll_measure::{SteadyState, segments, steady_episodes, steady_state};

#[test]
fn at_most_one_still_series_in_twenty_is_called_changed() {
    for marginal in Marginal::ALL {
        for phi in [0.0, 0.5, 0.9, 0.99] {
            for length in [30, 100, 1000, (10.0 * correlation_time(phi)) as usize] {
                let changed = (0..100)
                    .filter(|seed| {
                        segments(&distributed(*seed, phi, length, marginal))
                            .is_some_and(|found| found.parts.len() > 1)
                    })
                    .count();
                assert!(
                    changed <= 10,
                    "{marginal:?} {phi} {length}: {changed} of 200"
                );
            }
        }
    }
}

#[test]
fn a_cliff_and_a_dip_are_found_with_their_levels() {
    let found = (0..200)
        .filter(|seed| {
            let mut series = distributed(*seed, 0.8, 3000, Marginal::Normal);
            series[1000..].iter_mut().for_each(|v| *v -= 3.0);
            series[1800..2300].iter_mut().for_each(|v| *v -= 3.0);
            let Some(found) = segments(&series) else {
                return false;
            };
            let changes: Vec<_> = found.changes().collect();
            changes.len() == 3
                && changes
                    .iter()
                    .zip([1000, 1800, 2300])
                    .all(|(c, at)| c.at.abs_diff(at) <= 30)
                && (changes[0].before - 10.0).abs() < 0.5
                && (changes[0].after - 7.0).abs() < 0.5
                && (changes[1].after - 4.0).abs() < 0.7
        })
        .count();
    assert!(found >= 165, "{found} of 200");
}

#[test]
fn a_stall_is_no_change_of_level() {
    let mut series = distributed(3, 0.0, 500, Marginal::Normal);
    series[200] = 1e9;
    series[300..302].fill(0.0);
    assert_eq!(segments(&series).unwrap().parts.len(), 1);
}

#[test]
fn what_is_too_short_or_no_number_is_not_divided() {
    assert_eq!(segments(&[]), None);
    assert_eq!(segments(&[1.0; 39]), None);
    assert_eq!(segments(&[f64::NAN; 100]), None);
    let still = segments(&[1.0; 100]).unwrap();
    assert_eq!((still.parts.len(), still.parts[0].end), (1, 100));
}

/// A sample a second around a level.
fn around(seed: u64, level: impl Fn(usize) -> f64, seconds: usize) -> Vec<f64> {
    let mut random = seeded(seed);
    (0..seconds)
        .map(|i| level(i) * (1.0 + 0.05 * random.normal()))
        .collect()
}

#[test]
fn steadiness_is_reached_once_the_warm_up_is_over() {
    let series = around(1, |i| 1000.0 - 800.0 * (-(i as f64) / 100.0).exp(), 1800);
    let SteadyState::Reached(episode) = steady_state(&series, 1.0, 60.0) else {
        panic!("{:?}", steady_state(&series, 1.0, 60.0));
    };
    // The window passes where its line rises by no more than 10 %.
    assert!((60.0..=240.0).contains(&episode.from_s), "{episode:?}");
    assert_eq!(episode.known_at_s, episode.from_s + 300.0);
    assert!((episode.mean - 1000.0).abs() < 30.0, "{episode:?}");
}

#[test]
fn a_cliff_loses_it_and_a_new_level_is_found() {
    let cliff = |i: usize| if i < 1200 { 1000.0 } else { 600.0 };
    let long = steady_episodes(&around(2, cliff, 2400), 1.0, 60.0);
    assert_eq!(long.len(), 2, "{long:?}");
    assert_eq!(long[0].lost_at_s, Some(1200.0));
    assert!((long[0].mean - 1000.0).abs() < 10.0 && (long[1].mean - 600.0).abs() < 10.0);
    // Three rounds after the cliff there is no new level yet.
    let short = steady_state(&around(2, cliff, 1380), 1.0, 60.0);
    assert!(
        matches!(short, SteadyState::Lost(e) if e.lost_at_s == Some(1200.0)),
        "{short:?}"
    );
}

#[test]
fn a_slow_decline_is_lost_too_though_every_window_passes() {
    // 2 % a round: any five rounds fall by 8 %.
    let series = around(3, |i| 1000.0 * 0.98f64.powf(i as f64 / 60.0), 3600);
    let episodes = steady_episodes(&series, 1.0, 60.0);
    assert!(
        episodes[0].lost_at_s.is_some_and(|at| at < 1200.0),
        "{episodes:?}"
    );
}

#[test]
fn one_stalled_round_is_no_loss_and_what_never_holds_still_is_never_steady() {
    let stalled = around(
        4,
        |i| {
            if (900..960).contains(&i) {
                300.0
            } else {
                1000.0
            }
        },
        2400,
    );
    assert!(
        matches!(steady_state(&stalled, 1.0, 60.0), SteadyState::Reached(e) if e.from_s == 0.0)
    );
    let saw = around(5, |i| if i / 60 % 2 == 0 { 1000.0 } else { 500.0 }, 2400);
    assert_eq!(steady_state(&saw, 1.0, 60.0), SteadyState::Never);
    for nothing in [&[][..], &[1.0; 100], &[0.0; 1000], &[f64::NAN; 1000]] {
        assert_eq!(steady_state(nothing, 1.0, 60.0), SteadyState::Never);
    }
}

#[test]
fn a_still_series_stays_steady() {
    let kept = (0..200)
        .filter(|seed| {
            let series = around(*seed, |_| 1000.0, 6000);
            matches!(steady_state(&series, 1.0, 10.0), SteadyState::Reached(e) if e.from_s == 0.0)
        })
        .count();
    assert!(kept >= 195, "{kept} of 200");
}
