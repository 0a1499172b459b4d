//! What a curve says, on queues whose truth is known.

use crate::synthetic::*;
use plimsoll_evidence::{Capacity, CurveVerdict, SloStatistic, StepEvidence};
use plimsoll_methods::{curve_verdict, limits};
use proptest::prelude::*;

const DEFAULT: [u32; 6] = [10, 50, 70, 80, 90, 100];

/// The verdict on a server whose mean response (ns) at each rate is a formula; nothing is saturated.
fn verdict_of(
    rates: &[f64],
    response_ns: impl Fn(f64) -> f64,
    slos: &[(SloStatistic, u64)],
) -> CurveVerdict {
    let steps: Vec<StepEvidence> = rates
        .iter()
        .zip(2..)
        .map(|(rate, number)| {
            let mut e = measured(
                &step(open(*rate)),
                number,
                Queue::new(*rate, response_ns(*rate), 0.0),
            );
            // The formula exactly, without the samples' scatter.
            e.rate.mean = *rate;
            e.response_mean_ns.mean = response_ns(*rate);
            e
        })
        .collect();
    let points: Vec<(u32, &StepEvidence)> = (1..).zip(&steps).collect();
    curve_verdict(
        &mm1(10_000.0, &step(plimsoll_plan::Load::Max), 1),
        &points,
        slos,
    )
}

/// The whole of a curve on M/M/1.
fn mm1_verdict(capacity: f64, percents: &[u32]) -> CurveVerdict {
    let maximum = mm1(capacity, &step(plimsoll_plan::Load::Max), 1);
    let steps: Vec<StepEvidence> = percents
        .iter()
        .zip(2..)
        .map(|(p, n)| {
            let mut s = step(open(capacity * f64::from(*p) / 100.0));
            s.name = format!("rd1_({p}%)");
            mm1(capacity, &s, n)
        })
        .collect();
    let points: Vec<(u32, &StepEvidence)> = percents.iter().copied().zip(&steps).collect();
    curve_verdict(&maximum, &points, &limits(&[]))
}

fn has_note(v: &CurveVerdict, text: &str) -> bool {
    v.remarks().iter().any(|n| n.contains(text))
}

#[test]
fn the_points_come_by_rising_rate_with_the_maximum_last() {
    let v = mm1_verdict(10_000.0, &[90, 10, 100, 50, 80, 70]);
    let order: Vec<Option<u32>> = v.points.iter().map(|p| p.percent).collect();
    assert_eq!(
        order,
        [
            Some(10),
            Some(50),
            Some(70),
            Some(80),
            Some(90),
            Some(100),
            None
        ]
    );
    assert!((v.maximum.mean - 10_000.0).abs() < 20.0);
}

#[test]
fn a_saturated_point_is_marked_shows_its_backlog_and_is_in_no_capacity() {
    let v = mm1_verdict(10_000.0, &DEFAULT);
    let saturated: Vec<bool> = v.points.iter().map(|p| p.saturated).collect();
    // The last is the maximum: a closed loop asks for nothing that it could fall short of.
    assert_eq!(saturated, [false, false, false, false, false, true, false]);
    assert!((v.points[5].backlog_growth.unwrap() - 300.0).abs() < 1.0);
    assert_eq!(v.points[4].backlog_growth, None);
    assert!(has_note(
        &v,
        "Saturated, and so not in the latency curve: rd1_(100%)."
    ));
    assert!(has_note(&v, "closed loop, its 32 slots over its rate"));
    for c in v.capacities.iter().filter(|c| c.at_least) {
        assert!((c.rate.unwrap().mean - 9_000.0).abs() < 20.0);
    }
}

#[test]
fn points_in_which_ios_failed_are_named() {
    let maximum = mm1(10_000.0, &step(plimsoll_plan::Load::Max), 1);
    let mut points: Vec<StepEvidence> = (2..5)
        .map(|n| mm1(10_000.0, &step(open(1000.0)), n))
        .collect();
    for (point, name) in points.iter_mut().zip(["a", "b", "c"]) {
        point.name = name.to_owned();
    }
    let verdict = |points: &[StepEvidence]| {
        let percents: Vec<(u32, &StepEvidence)> = [10, 50, 90].into_iter().zip(points).collect();
        curve_verdict(&maximum, &percents, &limits(&[]))
    };
    assert!(!has_note(&verdict(&points), "failed in"));
    points[0].errors = 2;
    points[2].errors = 7;
    assert!(has_note(&verdict(&points), "9 I/Os failed in a, c:"));
}

#[test]
fn the_knee_of_a_queue_is_found_between_its_neighbouring_points() {
    let knee = mm1_verdict(10_000.0, &DEFAULT).knee.unwrap();
    assert!((knee.mean - 7_000.0).abs() < 20.0, "{knee:?}");
    assert!(
        (knee.half_width.unwrap() - 2_000.0).abs() < 40.0,
        "{knee:?}"
    );
    // Closer points see it more sharply. Where 1/(1-x) over 0.1..0.9 is farthest below its chord, its slope is the
    // chord's: 1/(1-x)^2 = 1/(0.9 * 0.1), x = 0.7.
    let fine: Vec<u32> = (2..=18).map(|i| i * 5).collect();
    let knee = mm1_verdict(10_000.0, &fine).knee.unwrap();
    assert!((knee.mean - 7_000.0).abs() <= 501.0, "{knee:?}");
    assert!(knee.half_width.unwrap() < 520.0);
}

#[test]
fn where_the_points_show_no_knee_none_is_made_up() {
    let rates = [1000.0, 3000.0, 5000.0, 7000.0, 9000.0];
    let flat = verdict_of(&rates, |_| 200_000.0, &[]);
    assert_eq!(flat.knee, None);
    assert!(has_note(&flat, "No knee among the unsaturated points"));
    let straight = verdict_of(&rates, |r| 100_000.0 + 50.0 * r, &[]);
    assert_eq!(straight.knee, None);
    assert!(has_note(&straight, "without a bend"));
    let few = verdict_of(&rates[..3], |r| 1e9 / (10_000.0 - r), &[]);
    assert_eq!(few.knee, None);
    assert!(has_note(&few, "3 unsaturated points"));
}

#[test]
fn a_flat_curve_that_saturates_at_once_says_where() {
    let maximum = mm1(10_000.0, &step(plimsoll_plan::Load::Max), 1);
    let mut steps: Vec<StepEvidence> = DEFAULT
        .iter()
        .zip(2..)
        .map(|(p, n)| {
            let rate = f64::from(*p) * 100.0;
            let queue = Queue::new(rate, 100_000.0, if *p == 100 { 200.0 } else { 0.0 });
            measured(&step(open(rate)), n, queue)
        })
        .collect();
    for (s, p) in steps.iter_mut().zip(DEFAULT) {
        s.name = format!("rd1_({p}%)");
    }
    let points: Vec<(u32, &StepEvidence)> = DEFAULT.iter().copied().zip(&steps).collect();
    let v = curve_verdict(&maximum, &points, &limits(&[]));
    assert_eq!(v.knee, None);
    assert!(
        has_note(&v, "It lies between rd1_(90%)"),
        "{:?}",
        v.remarks()
    );
    assert!(
        v.capacities
            .iter()
            .filter(|c| c.limit_ns > 500_000)
            .all(|c| c.at_least)
    );
}

/// Of M/M/1 at 9,000 of 10,000/s, nine are in flight.
#[test]
fn a_maximum_with_far_more_in_flight_than_carries_nearly_as_much_is_named_with_the_least() {
    for (slots, is_named) in [(512, true), (12, false)] {
        let mut maximum = mm1(10_000.0, &step(plimsoll_plan::Load::Max), 1);
        maximum.depth_mean = f64::from(slots);
        let mut point = mm1(10_000.0, &step(open(9_000.0)), 3);
        point.depth_mean = 9.0;
        let mut below = mm1(10_000.0, &step(open(5_000.0)), 2);
        below.depth_mean = 1.0;
        let v = curve_verdict(&maximum, &[(50, &below), (90, &point)], &limits(&[]));
        let found = v
            .findings
            .iter()
            .find(|f| f.rule == "more-in-flight-than-needed");
        assert_eq!(found.is_some(), is_named, "{slots}: {v:#?}");
        if let Some(found) = found {
            assert!(found.message.contains("9 carried "), "{}", found.message);
        }
    }
}

#[test]
fn capacity_on_a_straight_line_is_exact() {
    let slos = [
        (SloStatistic::Mean, 300_000),
        (SloStatistic::Mean, 50_000),
        (SloStatistic::Mean, 900_000),
    ];
    let v = verdict_of(&[1000.0, 4000.0, 9000.0], |r| 100_000.0 + 50.0 * r, &slos);
    let [inside, below, above]: [Capacity; 3] = v.capacities.try_into().unwrap();
    let rate = inside.rate.unwrap();
    assert!((rate.mean - 4000.0).abs() < 1e-6, "{rate:?}");
    // How far the curve lies below the line nobody measured.
    assert_eq!(rate.half_width, None);
    assert!(!inside.at_least);
    assert!((inside.response_mean_ns.unwrap() - 300_000.0).abs() < 1e-6);
    assert_eq!((below.rate, below.at_least), (None, false));
    assert!(above.at_least && above.rate.unwrap().mean == 9000.0);
}

#[test]
fn the_default_table_is_of_p99_and_errs_on_the_low_side() {
    let v = mm1_verdict(10_000.0, &DEFAULT);
    let rates: Vec<(u64, Option<f64>, bool)> = v
        .capacities
        .iter()
        .map(|c| (c.limit_ns / 1000, c.rate.map(|r| r.mean), c.at_least))
        .collect();
    // Of M/M/1, p99 = ln(100) / (capacity - rate).
    let truth = |limit_ns: f64| 10_000.0 - 100f64.ln() * 1e9 / limit_ns;
    assert_eq!(rates[0], (500, None, false));
    for (row, limit) in [(1, 1e6), (2, 2e6)] {
        let rate = rates[row].1.unwrap();
        assert!(
            rate <= truth(limit) && rate > 0.95 * truth(limit),
            "{rate} of {}",
            truth(limit)
        );
        assert_eq!(v.capacities[row].rate.unwrap().half_width, None);
        assert!(v.capacities[row].response_mean_ns.is_some());
    }
    assert!(rates[3].2 && rates[4].2);
}

#[test]
fn a_limit_that_was_broken_once_does_not_hold_at_more_load() {
    let dip = |r: f64| if r == 4000.0 { 900_000.0 } else { 200_000.0 };
    let slos = [(SloStatistic::Mean, 550_000)];
    let v = verdict_of(&[1000.0, 2000.0, 4000.0, 8000.0], dip, &slos);
    assert!((v.capacities[0].rate.unwrap().mean - 3000.0).abs() < 1e-6);
    assert!(has_note(&v, "The response falls with more load"));
}

#[test]
fn percentiles_without_support_make_no_capacity_and_are_named() {
    let slos = [
        (SloStatistic::Quantile(0.999_999), 1_000_000),
        (SloStatistic::Quantile(0.5), 1_000_000),
    ];
    let v = verdict_of(&[100.0, 200.0], |_| 200_000.0, &slos);
    assert_eq!(v.capacities.len(), 1);
    assert!(has_note(
        &v,
        "2 of 2 unsaturated points have too few I/Os for p99.9999"
    ));
}

#[test]
fn a_point_above_the_maximum_unmakes_it() {
    let v = verdict_of(&[1000.0, 12_000.0], |_| 200_000.0, &[]);
    assert!(has_note(&v, "The maximum was not the maximum"));
}

#[test]
fn equal_targets_and_missing_intervals_are_named() {
    let v = verdict_of(&[100.0, 100.0], |_| 200_000.0, &[]);
    assert!(has_note(&v, "asked for the same rate"));
    let maximum = mm1(10_000.0, &step(plimsoll_plan::Load::Max), 1);
    let mut short = mm1(10_000.0, &step(open(1000.0)), 2);
    short.name = "rd1_(10%)".to_string();
    short.rate.half_width = None;
    let v = curve_verdict(&maximum, &[(10, &short)], &[]);
    assert!(has_note(&v, "Interval not available for rd1_(10%)"));
}

#[test]
fn an_imported_point_is_saturated_by_its_depth() {
    let maximum = mm1(10_000.0, &step(plimsoll_plan::Load::Max), 1);
    let mut point = mm1(10_000.0, &step(open(5000.0)), 2);
    point.saturation = None;
    for (depth, saturated) in [(21.0, false), (22.0, true)] {
        point.depth_mean = depth;
        let v = curve_verdict(&maximum, &[(50, &point)], &limits(&[]));
        assert_eq!(
            v.points[0].saturated, saturated,
            "{depth} of {}",
            maximum.depth_mean
        );
    }
}

#[test]
fn a_curve_of_saturated_points_only_holds_no_limit() {
    let v = mm1_verdict(10_000.0, &[99, 100]);
    assert!(has_note(&v, "Every point is saturated"));
    assert_eq!(v.capacities.len(), 5);
    assert!(v.capacities.iter().all(|c| c.rate.is_none() && !c.at_least));
    assert_eq!(v.knee, None);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn a_higher_limit_never_means_less_capacity(
        mut rates in prop::collection::vec(50.0..500.0f64, 2..6),
        responses in prop::collection::vec(1e5..5e6f64, 6),
        limits in (1e5..5e6f64, 1e5..5e6f64),
    ) {
        rates.sort_by(f64::total_cmp);
        let (low, high) = (limits.0.min(limits.1) as u64, limits.0.max(limits.1) as u64);
        let slos = [(SloStatistic::Mean, low), (SloStatistic::Mean, high)];
        let at = |r: f64| responses[rates.iter().position(|x| *x == r).unwrap()];
        let v = verdict_of(&rates, at, &slos);
        let rate = |c: &Capacity| c.rate.map_or(0.0, |r| r.mean);
        prop_assert!(rate(&v.capacities[0]) <= rate(&v.capacities[1]) + 1e-6);
        if let Some(knee) = v.knee {
            prop_assert!(rates[0] < knee.mean && knee.mean < rates[rates.len() - 1]);
        }
    }
}
