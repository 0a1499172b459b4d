//! Answers that others have published for the same data.

use plimsoll_measure::{Bend, NoKnee, WarmUp, kneedle, order_ranks, segments, theil_sen, warm_up};

/// Annual flow of the Nile at Aswan, 1871 to 1970, 10^8 m^3 (Cobb 1978; `Nile` of R's datasets).
const NILE: [f64; 100] = [
    1120.0, 1160.0, 963.0, 1210.0, 1160.0, 1160.0, 813.0, 1230.0, 1370.0, 1140.0, 995.0, 935.0,
    1110.0, 994.0, 1020.0, 960.0, 1180.0, 799.0, 958.0, 1140.0, 1100.0, 1210.0, 1150.0, 1250.0,
    1260.0, 1220.0, 1030.0, 1100.0, 774.0, 840.0, 874.0, 694.0, 940.0, 833.0, 701.0, 916.0, 692.0,
    1020.0, 1050.0, 969.0, 831.0, 726.0, 456.0, 824.0, 702.0, 1120.0, 1100.0, 832.0, 764.0, 821.0,
    768.0, 845.0, 864.0, 862.0, 698.0, 845.0, 744.0, 796.0, 1040.0, 759.0, 781.0, 865.0, 845.0,
    944.0, 984.0, 897.0, 822.0, 1010.0, 771.0, 676.0, 649.0, 846.0, 812.0, 742.0, 801.0, 1040.0,
    860.0, 874.0, 848.0, 890.0, 744.0, 749.0, 838.0, 1050.0, 918.0, 986.0, 797.0, 923.0, 975.0,
    815.0, 1020.0, 906.0, 901.0, 1170.0, 912.0, 746.0, 919.0, 718.0, 714.0, 740.0,
];

#[test]
fn the_nile_fell_in_1899_when_the_dam_was_built() {
    let found = segments(&NILE).unwrap();
    let changes: Vec<_> = found.changes().collect();
    // 28 years before, means 1097.75 and 849.97 (Cobb 1978 and many since).
    let [change] = changes[..] else {
        panic!("{changes:?}");
    };
    assert_eq!(change.at, 28);
    assert!((change.before - 1097.75).abs() < 1e-9, "{change:?}");
    assert!((change.after - 849.972_222).abs() < 1e-5, "{change:?}");
}

#[test]
fn the_slope_of_the_nile_is_that_of_scipy() {
    // scipy.stats.theilslopes 1.17, which takes the values for independent: -2.6, 95 % from -3.628 to -1.429.
    let trend = theil_sen(&NILE, 0.95).unwrap();
    assert!((trend.slope + 2.6).abs() < 1e-12, "{trend:?}");
    // They are correlated, so that the interval has to be wider.
    assert!(trend.low < -3.628 && trend.high > -1.429, "{trend:?}");
    assert!(trend.effective < 100.0, "{trend:?}");
}

#[test]
fn the_knee_of_the_papers_figure_is_found_on_both_sides() {
    // Satopaa and others 2011, figure 2: y = -1 / (x + 0.1) + 5 on 10 points of 0..1, knee at 0.22.
    let x: Vec<f64> = (0..10).map(|i| f64::from(i) / 9.0).collect();
    let levels: Vec<(f64, f64)> = x.iter().map(|x| (*x, -1.0 / (x + 0.1) + 5.0)).collect();
    let knee = kneedle(&levels, Bend::Level, 0.0).unwrap();
    assert!((knee.x - 2.0 / 9.0).abs() < 1e-12, "{knee:?}");
    // The same turned about its middle bends upwards, at 1 - 0.22.
    let upwards: Vec<(f64, f64)> = x.iter().map(|x| (*x, 1.0 + 1.0 / (1.1 - x))).collect();
    let knee = kneedle(&upwards, Bend::Upwards, 0.0).unwrap();
    assert!((knee.x - 7.0 / 9.0).abs() < 1e-12, "{knee:?}");
    assert_eq!(
        kneedle(&levels[..3], Bend::Level, 0.0),
        Err(NoKnee::TooFew(3))
    );
    assert!(matches!(
        kneedle(&levels, Bend::Level, 100.0),
        Err(NoKnee::Flat(_))
    ));
    let straight: Vec<(f64, f64)> = x.iter().map(|x| (*x, 1.0 + x)).collect();
    assert_eq!(
        kneedle(&straight, Bend::Upwards, 0.0),
        Err(NoKnee::Straight)
    );
}

#[test]
fn ranks_are_those_of_the_binomial_tables() {
    // The first two are in every table of the sign test (Conover 1999, A3); all by scipy.stats.binom 1.17.
    for (count, q, low, high) in [
        (10, 0.5, 2, 9),
        (20, 0.5, 6, 15),
        (100, 0.9, 84, 96),
        (1000, 0.99, 983, 997),
        (1_000_000, 0.999, 998_938, 999_062),
    ] {
        let ranks = order_ranks(count, q, 0.95);
        assert_eq!(ranks.low, Some(low), "{count} {q}");
        assert_eq!(ranks.high, Some(high), "{count} {q}");
    }
    // Five values do not enclose a median with 95 %, six do.
    assert_eq!(order_ranks(5, 0.5, 0.95).low, None);
    assert_eq!(order_ranks(6, 0.5, 0.95).low, Some(1));
    // Wilks 1941: the largest of 59 values is above the 95th percentile with 95 %, that of 58 is not.
    assert_eq!(order_ranks(59, 0.95, 0.90).high, Some(59));
    assert_eq!(order_ranks(58, 0.95, 0.90).high, None);
}

#[test]
fn the_largest_counts_take_no_time_and_nonsense_no_ranks() {
    let ranks = order_ranks(u64::MAX, 0.5, 0.95);
    assert!(ranks.low.unwrap() < ranks.high.unwrap());
    let ranks = order_ranks(3_000_000_000, 0.999_999_99, 0.95);
    // 30 expected beyond; Poisson with this mean: 2.5 % below 20, 2.5 % above 42.
    assert_eq!(3_000_000_000 - ranks.low.unwrap(), 41);
    assert_eq!(3_000_000_000 - ranks.high.unwrap(), 19);
    for q in [f64::NAN, -0.1, 1.1] {
        assert_eq!(order_ranks(100, q, 0.95).low, None);
    }
    assert_eq!(order_ranks(0, 0.5, 0.95).high, None);
}

#[test]
fn mser5_cuts_the_nile_where_its_formula_does_by_hand() {
    // numpy: argmin over d <= 10 of sum((z[d:] - mean)^2) / (20 - d)^2 is 9.
    assert_eq!(warm_up(&NILE), WarmUp::Ends(45));
    let falling: Vec<f64> = (0..200).map(|i| f64::from(200 - i)).collect();
    assert_eq!(warm_up(&falling), WarmUp::NotFound);
    assert_eq!(warm_up(&NILE[..49]), WarmUp::TooShort);
}
