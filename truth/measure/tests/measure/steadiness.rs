//! Where a warm-up ends, and what holds still.

use plimsoll_measure::{mser5, snia_window};
use proptest::prelude::*;

/// Noise in -1..1 without a generator: the golden ratio's multiples are spread evenly.
fn noise(i: usize) -> f64 {
    (i as f64 * 0.618_033_988_749_895).fract() * 2.0 - 1.0
}

#[test]
fn mser5_cuts_a_warm_up_and_no_more() {
    let series: Vec<f64> = (0..300)
        .map(|i| 1000.0 + 20.0 * noise(i) - 800.0 * (-(i as f64) / 12.0).exp())
        .collect();
    let cut = mser5(&series).unwrap();
    assert!((25..=75).contains(&cut), "{cut}");
}

#[test]
fn mser5_keeps_a_series_that_was_steady_from_its_start() {
    let series: Vec<f64> = (0..300).map(|i| 1000.0 + 20.0 * noise(i)).collect();
    assert!(mser5(&series).unwrap() <= 30);
    assert_eq!(mser5(&[5.0; 100]), Some(0));
}

#[test]
fn mser5_finds_no_end_of_a_warm_up_that_lasts_to_the_end() {
    let ramp: Vec<f64> = (0..300).map(|i| i as f64 + noise(i)).collect();
    assert_eq!(mser5(&ramp), None);
    assert_eq!(mser5(&[5.0; 49]), None, "too short to say");
}

#[test]
fn the_window_has_the_specified_limits() {
    let cases: [(&[f64], bool); 6] = [
        (&[100.0, 100.0, 100.0, 100.0, 100.0], true),
        // Range exactly 20 % of the mean, no slope.
        (&[90.0, 110.0, 100.0, 110.0, 90.0], true),
        (&[89.0, 111.0, 100.0, 111.0, 89.0], false),
        // A rise of exactly 10 %, then of more.
        (&[95.0, 97.5, 100.0, 102.5, 105.0], true),
        (&[94.0, 97.0, 100.0, 103.0, 106.0], false),
        // Only the last five count.
        (&[1.0, 100.0, 101.0, 99.0, 100.0, 100.0], true),
    ];
    for (rounds, steady) in cases {
        assert_eq!(snia_window(rounds).unwrap().steady, steady, "{rounds:?}");
    }
    assert_eq!(snia_window(&[1.0; 4]), None);
    assert_eq!(snia_window(&[0.0; 5]), None);
}

proptest! {
    #[test]
    fn neither_test_minds_the_unit(factor in 0.001..1000.0f64, values in prop::collection::vec(10.0..20.0f64, 50..200)) {
        let scaled: Vec<f64> = values.iter().map(|v| v * factor).collect();
        let (a, b) = (snia_window(&values).unwrap(), snia_window(&scaled).unwrap());
        prop_assert!((a.range - b.range).abs() < 1e-9 && (a.rise - b.rise).abs() < 1e-9);
    }

    #[test]
    fn mser5_never_cuts_half(values in prop::collection::vec(0.0..1e6f64, 0..400)) {
        if let Some(cut) = mser5(&values) {
            prop_assert!(cut % 5 == 0 && cut * 2 < values.len());
        }
    }
}
