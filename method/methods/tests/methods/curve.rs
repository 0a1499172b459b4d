//! The order of a curve's steps, and where it ends.

use crate::synthetic::*;
use plimsoll_evidence::{CurveVerdict, End, Estimate, StepEvidence, StreamSummary, Verdict};
use plimsoll_methods::{Curve, Next};
use plimsoll_plan::{CurveSpec, DepthSearch, Load, Nanos, Rate, Step};

/// Runs a curve to its end on a server of this capacity.
fn run(spec: &CurveSpec, capacity: f64) -> (Vec<Step>, Vec<StepEvidence>, Next) {
    let curve = Curve::new(spec);
    let (mut steps, mut done) = (Vec::new(), Vec::new());
    loop {
        match curve.next(&done) {
            Next::Step(step) => {
                done.push(mm1(capacity, &step, done.len() as u32 + 1));
                steps.push(*step);
            }
            end => return (steps, done, end),
        }
    }
}

fn rate_of(step: &Step) -> f64 {
    match &step.load {
        Load::Rate { rate, .. } => rate.0,
        other => panic!("{other:?} is no rate"),
    }
}

#[test]
fn the_maximum_comes_first_as_it_is_then_the_percentages_in_their_order() {
    let spec = curve(&[90, 10, 50]);
    let (steps, done, end) = run(&spec, 13_084.8);
    assert_eq!(steps[0], spec.base);
    let names: Vec<&str> = steps.iter().map(|s| s.name.as_str()).collect();
    assert_eq!(names, ["rd1", "rd1_(90%)", "rd1_(10%)", "rd1_(50%)"]);
    let max = done[0].rate.mean.round();
    let expected: Vec<f64> = [0.9, 0.1, 0.5]
        .iter()
        .map(|p| ((max * p) / 100.0).ceil() * 100.0)
        .collect();
    assert_eq!(steps[1..].iter().map(rate_of).collect::<Vec<_>>(), expected);
    for point in &steps[1..] {
        assert_eq!(point.warmup, spec.base.warmup);
        assert_eq!(point.elapsed, spec.base.elapsed);
        assert_eq!(point.run, spec.base.run);
    }
    assert!(matches!(end, Next::Done(Some(Verdict::Curve(_)))));
}

#[test]
fn a_resumed_curve_goes_on_with_the_step_that_it_would_have_run() {
    let spec = curve(&[10, 50, 90]);
    let (steps, done, _) = run(&spec, 10_000.0);
    for cut in 0..done.len() {
        let Next::Step(next) = Curve::new(&spec).next(&done[..cut]) else {
            panic!("{cut} steps are not all");
        };
        assert_eq!(*next, steps[cut]);
    }
}

#[test]
fn steps_after_the_curves_end_are_not_its_own() {
    let spec = curve(&[10, 50]);
    let (_, mut done, end) = run(&spec, 10_000.0);
    done.push(mm1(10_000.0, &step(open(1.0)), 4));
    let curve = Curve::new(&spec);
    assert_eq!(curve.consumed(&done), 3);
    assert_eq!(curve.next(&done), end);
}

#[test]
fn a_point_past_the_limit_stops_everything_but_the_maximum_does_not() {
    let mut spec = curve(&[10, 90, 50]);
    // The maximum's mean service time is 2.9 ms, that of 90 % about 0.9 ms.
    spec.stop_service = Some(Nanos(500_000));
    let (steps, _, end) = run(&spec, 10_000.0);
    assert_eq!(steps.len(), 3);
    let Next::StopAll(Verdict::Curve(verdict)) = end else {
        panic!("{end:?}");
    };
    let last = verdict.remarks().pop().unwrap();
    assert_eq!(
        last,
        "Stopped after rd1_(90%): its mean service time is past the curve's limit of 500us; 1 points did not run."
    );
}

#[test]
fn a_step_that_broke_off_ends_the_curve_with_what_there_is() {
    for end in [End::Interrupted, End::Errors, End::Hung] {
        let spec = curve(&[10, 50]);
        let maximum = mm1(10_000.0, &spec.base, 1);
        let mut point = mm1(10_000.0, &step(open(1_000.0)), 2);
        point.end = end;
        let Next::Done(Some(Verdict::Curve(verdict))) =
            Curve::new(&spec).next(&[maximum.clone(), point])
        else {
            panic!("{end:?} goes on");
        };
        // The maximum alone.
        assert_eq!(verdict.points.len(), 1);
        assert!(verdict.capacities.is_empty(), "{:?}", verdict.capacities);
        let remark = "after rd1: 2 of 2 points were not measured";
        assert!(verdict.remarks().iter().any(|n| n.contains(remark)));
        let mut maximum = maximum;
        maximum.end = end;
        assert_eq!(Curve::new(&spec).next(&[maximum]), Next::Done(None));
    }
    // A limit of bytes or one pass over the data is a proper end.
    let spec = curve(&[10]);
    let mut maximum = mm1(10_000.0, &spec.base, 1);
    maximum.end = End::Limit;
    assert!(matches!(Curve::new(&spec).next(&[maximum]), Next::Step(_)));
}

/// A curve that looks for its depth, on a server that `enough` slots fill: what it runs, and its verdict.
fn searched(enough: u32, percents: &[u32]) -> (Vec<Step>, CurveVerdict) {
    let mut spec = curve(percents);
    spec.search = Some(DepthSearch {
        first: 16,
        most: 256,
        warmup: Nanos::secs(1),
        elapsed: Nanos::secs(3),
    });
    let (mut steps, mut done) = (Vec::new(), Vec::new());
    loop {
        let step = match Curve::new(&spec).next(&done) {
            Next::Step(step) => *step,
            Next::Done(Some(Verdict::Curve(verdict))) => return (steps, verdict),
            end => panic!("{end:?}"),
        };
        let carried = 100.0 * f64::from(step.depths[0].slots.min(enough));
        done.push(mm1(carried, &step, done.len() as u32 + 1));
        steps.push(step);
    }
}

#[test]
fn a_curve_without_a_depth_looks_for_it_and_its_points_have_slots_to_spare() {
    let (steps, verdict) = searched(50, &[50]);
    let ran: Vec<_> = steps
        .iter()
        .map(|s| (s.name.as_str(), s.depths[0].slots, s.elapsed))
        .collect();
    let (short, whole) = (Nanos::secs(3), curve(&[]).base.elapsed);
    let base = curve(&[]).base.name;
    assert_eq!(
        ran,
        [
            (format!("{base}_(depth=16)").as_str(), 16, short),
            (format!("{base}_(depth=32)").as_str(), 32, short),
            (format!("{base}_(depth=64)").as_str(), 64, short),
            (format!("{base}_(depth=128)").as_str(), 128, short),
            (format!("{base}_(depth=256)").as_str(), 256, short),
            (base.as_str(), 64, whole),
            (format!("{base}_(50%)").as_str(), 256, whole),
        ]
    );
    // The search is in no point: the verdict's are the maximum and the one that was asked for.
    assert_eq!(verdict.points.len(), 2);
    assert!((verdict.maximum.mean - 5000.0).abs() < 50.0);
    let note = verdict
        .remarks()
        .into_iter()
        .find(|n| n.contains("carries the most"))
        .unwrap();
    assert!(note.contains("A depth of 64 on each target"), "{note}");
}

#[test]
fn a_maximum_that_slots_limit_says_so() {
    let (_, verdict) = searched(10_000, &[50]);
    assert!(
        verdict
            .remarks()
            .iter()
            .any(|n| n.contains("still grew at the greatest depth"))
    );
    // And where the depth was given, that nothing else was tried.
    let spec = curve(&[50]);
    let mut done = vec![mm1(5000.0, &spec.base, 1)];
    let Next::Step(point) = Curve::new(&spec).next(&done) else {
        panic!("a point is due");
    };
    assert_eq!(point.depths, spec.base.depths);
    done.push(mm1(5000.0, &point, 2));
    let Next::Done(Some(Verdict::Curve(verdict))) = Curve::new(&spec).next(&done) else {
        panic!("it is over");
    };
    assert!(
        verdict
            .remarks()
            .iter()
            .any(|n| n.contains("whether more would carry more was not tried"))
    );
}

#[test]
fn a_maximum_that_contradicts_the_search_says_so() {
    let mut spec = curve(&[]);
    spec.search = Some(DepthSearch::of(&spec.base));
    // Until the maximum the target does 5000/s at any depth; what it does then is given.
    let notes = |then: f64| {
        let mut done = Vec::new();
        loop {
            match Curve::new(&spec).next(&done) {
                Next::Step(step) => {
                    let rate = if step.name == spec.base.name {
                        then
                    } else {
                        5000.0
                    };
                    done.push(mm1(rate, &step, done.len() as u32 + 1));
                }
                Next::Done(Some(Verdict::Curve(verdict))) => return verdict.remarks(),
                end => panic!("{end:?}"),
            }
        }
    };
    let contradicts = |notes: &[String]| notes.iter().any(|n| n.contains("changed in between"));
    assert!(contradicts(&notes(2000.0)) && contradicts(&notes(9000.0)));
    assert!(!contradicts(&notes(5050.0)));
}

/// A cliff inside of the maximum is what makes its mean unsure.
#[test]
fn a_maximum_with_a_cliff_in_it_contradicts_the_search_whatever_its_scatter() {
    let mut spec = curve(&[]);
    spec.search = Some(DepthSearch::of(&spec.base));
    let mut done = Vec::new();
    let verdict = loop {
        match Curve::new(&spec).next(&done) {
            Next::Step(step) => {
                let is_maximum = step.name == spec.base.name;
                let rate = if is_maximum { 3000.0 } else { 5000.0 };
                let mut evidence = mm1(rate, &step, done.len() as u32 + 1);
                if is_maximum {
                    evidence.rate.half_width = Some(2500.0);
                }
                done.push(evidence);
            }
            Next::Done(Some(Verdict::Curve(verdict))) => break verdict,
            end => panic!("{end:?}"),
        }
    };
    let mut found = verdict.findings.iter();
    assert!(
        found.any(|f| f.rule == "maximum-unlike-search"),
        "{verdict:#?}"
    );
}

#[test]
fn a_point_that_carries_far_less_than_the_maximum_contradicts_it() {
    // The target does 5000/s until the point of 90 %, and then what is given.
    let found = |then: f64| {
        let spec = curve(&[50, 90]);
        let mut done: Vec<StepEvidence> = Vec::new();
        loop {
            match Curve::new(&spec).next(&done) {
                Next::Step(step) => {
                    let rate = if done.len() == 2 { then } else { 5000.0 };
                    done.push(mm1(rate, &step, done.len() as u32 + 1));
                }
                Next::Done(Some(Verdict::Curve(verdict))) => {
                    let mut found = verdict.findings.into_iter();
                    return found.find(|f| f.rule == "maximum-not-held");
                }
                end => panic!("{end:?}"),
            }
        }
    };
    let fell = found(1500.0).expect("a cliff");
    assert!(
        fell.message.contains("/s, and rd1_(90%) carried") && fell.values.len() == 3,
        "{}",
        fell.message
    );
    assert_eq!(found(5000.0), None);
}

#[test]
fn a_search_that_is_cut_short_is_no_curve() {
    let mut spec = curve(&[50]);
    spec.search = Some(DepthSearch::of(&spec.base));
    let mut first = mm1(5000.0, &spec.base, 1);
    first.end = End::Interrupted;
    assert_eq!(Curve::new(&spec).next(&[first]), Next::Done(None));
}

/// Streams that did so many I/Os.
fn reached(ios: &[u64]) -> Vec<StreamSummary> {
    let of = |ios: &u64| StreamSummary {
        workload: "wd".into(),
        ios: *ios,
        rate: Estimate::bare(0.0),
        response_mean_ns: Estimate::bare(0.0),
        service_mean_ns: Estimate::bare(0.0),
        ..StreamSummary::default()
    };
    ios.iter().map(of).collect()
}

#[test]
fn after_an_uncontrolled_maximum_the_points_keep_the_observed_shares() {
    let mut spec = curve(&[50]);
    spec.base.streams = vec![stream("wd1", 50.0), stream("wd2", 50.0)];
    let mut maximum = mm1(10_000.0, &spec.base, 1);
    maximum.streams = reached(&[225_000, 75_000]);
    let shares = |spec: &CurveSpec, maximum: &StepEvidence| match Curve::new(spec).next(&[maximum])
    {
        Next::Step(s) => s.streams.iter().map(|s| s.share).collect::<Vec<_>>(),
        end => panic!("{end:?}"),
    };
    assert_eq!(shares(&spec, &maximum), [75.0, 25.0]);
    // A controlled one kept the shares that were asked for.
    spec.base.load = Load::MaxShared;
    assert_eq!(shares(&spec, &maximum), [50.0, 50.0]);
    // Nothing observed is nothing learnt.
    spec.base.load = Load::Max;
    maximum.streams = Vec::new();
    assert_eq!(shares(&spec, &maximum), [50.0, 50.0]);
}

#[test]
fn streams_of_a_fixed_rate_are_not_in_the_percentage() {
    let mut spec = curve(&[50]);
    spec.base.streams = vec![stream("wd1", 100.0), stream("wd2", 0.0)];
    spec.base.streams[1].fixed_rate = Some(Rate(1000.0));
    let mut maximum = mm1(10_000.0, &spec.base, 1);
    maximum.rate.mean = 10_000.0;
    maximum.streams = reached(&[270_000, 30_000]);
    let Next::Step(point) = Curve::new(&spec).next(&[maximum]) else {
        panic!("a point is due");
    };
    assert_eq!(rate_of(&point), 4_500.0);
    assert_eq!(point.streams[0].share, 100.0);
}

#[test]
fn there_is_no_verdict_before_the_maximum() {
    assert_eq!(Curve::new(&curve(&[50])).verdict::<StepEvidence>(&[]), None);
}
