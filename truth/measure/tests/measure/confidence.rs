//! The intervals cover what they say, on series whose truth is known.

use plimsoll_draw::Draw;
use plimsoll_measure::{
    Histogram, effective_count, fine_quantile, mean_interval, quantile_interval, ratio_interval,
};
use proptest::prelude::*;

const MEAN: f64 = 1000.0;

/// `x_t - mean = phi (x_{t-1} - mean) + e_t`, started in its stationary distribution.
fn autoregressive(seed: u64, phi: f64, length: usize) -> Vec<f64> {
    let mut random = Draw(seed);
    let mut x = random.normal() / (1.0 - phi * phi).sqrt();
    (0..length)
        .map(|_| {
            x = phi * x + random.normal();
            MEAN + x
        })
        .collect()
}

/// Of 400 series: how many had an interval, and the share of those that covered the mean.
fn coverage(phi: f64, length: usize) -> (usize, f64) {
    let intervals: Vec<_> = (0..400)
        .filter_map(|seed| {
            let m = mean_interval(&autoregressive(seed * 7919, phi, length)).unwrap();
            m.half_width.map(|h| (m.mean, h))
        })
        .collect();
    let covered = intervals
        .iter()
        .filter(|(m, h)| (m - MEAN).abs() <= *h)
        .count();
    (intervals.len(), covered as f64 / intervals.len() as f64)
}

#[test]
fn intervals_of_independent_samples_cover_95_percent() {
    for length in [20, 50, 300, 1000] {
        let (available, share) = coverage(0.0, length);
        // The correlation of 20 values is itself known badly; some series are refused by chance.
        assert!(
            available >= 340,
            "{length} samples: only {available} of 400"
        );
        assert!((0.92..=0.99).contains(&share), "{length} samples: {share}");
    }
}

#[test]
fn intervals_of_correlated_samples_cover_95_percent_where_they_are_available() {
    for (phi, length) in [
        (0.3, 300),
        (0.5, 300),
        (0.5, 1000),
        (0.8, 1000),
        (0.9, 3000),
    ] {
        let (available, share) = coverage(phi, length);
        assert!(
            available >= 300,
            "phi {phi}, {length}: only {available} of 400"
        );
        assert!(
            (0.90..=0.99).contains(&share),
            "phi {phi}, {length}: {share}"
        );
    }
}

#[test]
fn the_textbook_interval_would_not_cover() {
    // What the batches are for: without them, 95 % intervals of this series cover about 49 %.
    let covered = (0..400)
        .filter(|seed| {
            let x = autoregressive(seed * 7919, 0.8, 1000);
            let n = x.len() as f64;
            let mean = x.iter().sum::<f64>() / n;
            let var = x.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (n - 1.0);
            (mean - MEAN).abs() <= 1.96 * (var / n).sqrt()
        })
        .count();
    assert!((160..=230).contains(&covered), "{covered} of 400");
}

#[test]
fn a_series_too_short_for_its_correlation_has_no_interval() {
    // Its values resemble each other over 400 samples; 100 of them cannot show that every time, but nearly.
    let refused = (0..200)
        .filter(|seed| {
            let m = mean_interval(&autoregressive(*seed, 0.995, 100)).unwrap();
            (m.half_width, m.batches) == (None, 0)
        })
        .count();
    assert!(refused >= 190, "{refused} of 200");
    // A ramp, the strongest correlation there is.
    let ramp: Vec<f64> = (0..400).map(f64::from).collect();
    assert_eq!(mean_interval(&ramp).unwrap().half_width, None);
}

#[test]
fn fewer_than_twenty_samples_have_no_interval_and_none_have_no_mean() {
    let m = mean_interval(&[1.0; 19]).unwrap();
    assert_eq!((m.mean, m.half_width), (1.0, None));
    assert!(mean_interval(&[]).is_none());
    assert!(mean_interval(&[1.0, f64::NAN]).is_none());
    assert!(ratio_interval(&[1.0], &[0.0]).is_none());
    assert!(ratio_interval(&[1.0, 2.0], &[1.0]).is_none());
}

#[test]
fn a_constant_series_is_known_exactly() {
    let m = mean_interval(&[0.1; 200]).unwrap();
    assert!((m.mean - 0.1).abs() < 1e-12);
    assert!(m.half_width.unwrap() < 1e-12);
}

#[test]
fn the_mean_of_a_ratio_covers_where_the_mean_of_means_would_be_biased() {
    // Each sample: a number of I/Os that varies, and the sum of their times; busy samples are slow. The true mean
    // over I/Os is E[n * t] / E[n] = (10*1 + 90*3) / 100.
    let truth = 2.8;
    let covered = (0..400)
        .filter(|seed| {
            let mut random = Draw(seed * 104_729);
            let (sums, counts): (Vec<f64>, Vec<f64>) = (0..300)
                .map(|_| {
                    let (n, t) = if random.inside() < 0.5 {
                        (10.0, 1.0)
                    } else {
                        (90.0, 3.0)
                    };
                    (n * (t + 0.2 * random.normal()), n)
                })
                .unzip();
            let r = ratio_interval(&sums, &counts).unwrap();
            r.half_width.is_some_and(|h| (r.mean - truth).abs() <= h)
        })
        .count();
    assert!((360..=397).contains(&covered), "{covered} of 400");
}

#[test]
fn quantile_intervals_cover_95_percent() {
    for (q, n) in [(0.5, 200), (0.99, 5000)] {
        let truth = -1e6 * (1.0f64 - q).ln();
        let covered = (0..400)
            .filter(|seed| {
                let mut random = Draw(seed * 65_537);
                let mut h = Histogram::new();
                (0..n).for_each(|_| h.record((-1e6 * random.inside().ln()) as u64));
                let (low, high) = quantile_interval(&h, q, f64::from(n)).unwrap();
                (low as f64..=high as f64).contains(&truth)
            })
            .count();
        // The outer bucket edges make it a little wide.
        assert!((372..=399).contains(&covered), "q {q}: {covered} of 400");
    }
}

#[test]
fn a_fine_quantile_covers_95_percent_too_and_is_narrower_than_its_buckets() {
    let (q, n) = (0.99, 200_000);
    let truth = -1e6 * f64::ln(1.0 - q);
    let (mut covered, mut width, mut coarse) = (0, 0.0, 0.0);
    for seed in 0..300 {
        let mut random = Draw(7_000 + seed);
        let mut h = Histogram::new();
        (0..n).for_each(|_| h.record((-1e6 * random.inside().ln()) as u64));
        let fine = fine_quantile(&h, q, f64::from(n)).unwrap();
        let (low, high) = quantile_interval(&h, q, f64::from(n)).unwrap();
        covered += usize::from((fine.low..=fine.high).contains(&truth));
        assert!((fine.low..=fine.high).contains(&fine.value) && fine.blurred < 0.1);
        width += (fine.high - fine.low) / 300.0;
        coarse += (high - low) as f64 / 300.0;
    }
    // 285 of 300, give or take 3 standard deviations of 3.8.
    assert!((273..=297).contains(&covered), "{covered} of 300");
    // Its own standard error is 0.48 % of the value, and a bucket 0.78 %.
    assert!(
        width < 0.021 * truth && coarse > 1.3 * width,
        "{width} {coarse}"
    );
}

#[test]
fn a_quantile_of_equal_values_is_as_blurred_as_its_bucket() {
    let mut h = Histogram::new();
    h.record_many(1_000_000, 10_000);
    h.record_many(5_000_000, 2_000);
    let fine = fine_quantile(&h, 0.9, 12_000.0).unwrap();
    assert_eq!(fine.blurred, 1.0);
    // Nothing lies above the largest value.
    assert!(
        fine.value <= 5_000_000.0 && fine.high <= 5_000_000.0,
        "{fine:?}"
    );
    assert_eq!(fine_quantile(&h, 0.99, 100.0), None);
    assert_eq!(fine_quantile(&Histogram::new(), 0.5, 10.0), None);
}

#[test]
fn correlated_values_are_worth_fewer_and_widen_a_quantile() {
    let mut random = Draw(1);
    let mut h = Histogram::new();
    (0..10_000).for_each(|_| h.record((-1e6 * random.inside().ln()) as u64));
    // A mean known ten times worse than independent values would give it: a hundredth of the values.
    let sd = h.std_dev_ns().unwrap();
    let effective = effective_count(h.count(), sd, 10.0 * sd / 100.0);
    assert!((effective - 100.0).abs() < 1e-6);
    let (low, high) = quantile_interval(&h, 0.5, 10_000.0).unwrap();
    let (wide_low, wide_high) = quantile_interval(&h, 0.5, effective).unwrap();
    assert!(wide_low < low && high < wide_high);
    // A hundred values cannot bound a p99 from above.
    assert_eq!(quantile_interval(&h, 0.99, effective), None);
}

proptest! {
    #[test]
    fn scaling_a_series_scales_its_interval(seed in any::<u64>(), factor in 0.001..1000.0f64) {
        let x = autoregressive(seed, 0.3, 200);
        let scaled: Vec<f64> = x.iter().map(|v| v * factor).collect();
        let (a, b) = (mean_interval(&x).unwrap(), mean_interval(&scaled).unwrap());
        prop_assert!((a.mean * factor - b.mean).abs() <= 1e-9 * b.mean.abs());
        prop_assert_eq!(a.batches, b.batches);
        if let (Some(h), Some(k)) = (a.half_width, b.half_width) {
            prop_assert!((h * factor - k).abs() <= 1e-6 * k);
        }
    }

    #[test]
    fn an_interval_rests_on_twenty_to_forty_batches(seed in any::<u64>(), length in 20usize..2000) {
        let m = mean_interval(&autoregressive(seed, 0.5, length)).unwrap();
        prop_assert!(m.half_width.is_none() || (20..=40).contains(&m.batches));
    }

    #[test]
    fn a_quantile_lies_in_its_interval(values in prop::collection::vec(1u64..1 << 40, 50..500), q in 0.2..0.8f64) {
        let mut h = Histogram::new();
        values.iter().for_each(|v| h.record(*v));
        if let Some((low, high)) = quantile_interval(&h, q, values.len() as f64) {
            let v = h.quantile_ns(q).unwrap();
            prop_assert!(low <= v && v <= high, "{low} {v} {high}");
        }
    }
}
