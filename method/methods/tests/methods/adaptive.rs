//! The adaptive curve on queues whose truth is a closed formula.

use crate::synthetic::bucket::Bucket;
use crate::synthetic::{Queue, intervals, step};
use plimsoll_evidence::{CurveVerdict, StepEvidence, Verdict};
use plimsoll_methods::{Adaptive, Method, Next, StepFacts, judge};
use plimsoll_plan::{AdaptiveSpec, Arrival, Load, Nanos, Slo, Statistic, Step};

/// M/M/1 of this capacity: response `1 / (capacity - rate)`, and never more than the capacity.
fn mm1(capacity: f64, step: &Step) -> Queue {
    match &step.load {
        Load::Rate { rate, .. } if rate.0 < 0.995 * capacity => {
            Queue::new(rate.0, 1e9 / (capacity - rate.0), 0.0)
        }
        Load::Rate { rate, .. } => {
            Queue::new(capacity, 200e6, (rate.0 - capacity).max(0.02 * capacity))
        }
        _ => Queue::new(
            capacity,
            f64::from(step.depths[0].slots) * 1e9 / capacity,
            0.0,
        ),
    }
}

fn measured(step: &Step, number: u32, queue: Queue) -> StepEvidence {
    let seconds = step.elapsed.as_secs_f64().ceil() as u32;
    judge(
        step,
        number,
        &intervals(queue, seconds),
        &StepFacts::clean(2),
    )
}

fn curve(limit_ms: u64, budget_s: u64) -> Adaptive {
    let slo = Slo {
        statistic: Statistic::Mean,
        limit: Nanos(limit_ms * 1_000_000),
    };
    let base = step(Load::Max);
    let budget = Some(Nanos::secs(budget_s));
    let (spec, base) = AdaptiveSpec::new(&base, Arrival::Exponential, vec![slo], budget, true);
    Adaptive::new(&[base], &spec)
}

/// Carries out what the curve asks for, until its verdict.
fn run(
    method: &Adaptive,
    queue: impl Fn(&Step, usize) -> Queue,
) -> (Vec<StepEvidence>, CurveVerdict) {
    let mut done: Vec<StepEvidence> = Vec::new();
    loop {
        let completed: Vec<&StepEvidence> = done.iter().collect();
        match method.next(&completed) {
            Next::Step(step) => {
                assert!(done.len() < 100, "it does not end");
                let evidence = measured(&step, done.len() as u32 + 1, queue(&step, done.len()));
                done.push(evidence);
            }
            Next::Done(Some(Verdict::Curve(verdict))) => return (done, verdict),
            other => panic!("{other:?}"),
        }
    }
}

fn rules(verdict: &CurveVerdict) -> Vec<&str> {
    verdict.findings.iter().map(|f| f.rule.as_str()).collect()
}

fn spent_s(steps: &[StepEvidence]) -> f64 {
    steps.iter().map(|s| s.warmup_s + s.counted_s).sum()
}

#[test]
fn the_capacity_at_a_limit_is_found_where_the_formula_has_it() {
    // A mean of 5 ms is kept up to 200/s below the capacity, one of 20 ms up to 50/s below it.
    for (limit_ms, truth) in [(5, 1800.0), (20, 1950.0)] {
        let (steps, verdict) = run(&curve(limit_ms, 180), |s, _| mm1(2000.0, s));
        let capacity = &verdict.capacities[0];
        let rate = capacity.rate.expect("it is kept somewhere");
        assert!(!capacity.at_least);
        assert!(
            (rate.mean / truth - 1.0).abs() < 0.01,
            "{limit_ms} ms: {rate:?}"
        );
        assert!(
            rate.half_width.expect("it has an interval") <= 0.012 * rate.mean,
            "{rate:?}"
        );
        assert!(spent_s(&steps) <= 181.0, "{}", spent_s(&steps));
        assert!(
            rules(&verdict).contains(&"no-hysteresis"),
            "{:?}",
            rules(&verdict)
        );
    }
}

#[test]
fn a_limit_that_nothing_keeps_has_no_capacity_and_costs_little() {
    // Alone an I/O takes 0.5 ms.
    let slow = |s: &Step| Queue {
        response_ns: mm1(2000.0, s).response_ns + 20e6,
        ..mm1(2000.0, s)
    };
    let (steps, verdict) = run(&curve(5, 180), |s, _| slow(s));
    assert_eq!(verdict.capacities[0].rate, None);
    assert!(verdict.decided, "that nothing keeps it is an answer");
    assert!(steps.len() <= 8, "{}", steps.len());
}

#[test]
fn where_the_response_leaps_the_capacity_lies_between_two_rates() {
    // A target that answers in 1 ms up to 1500/s, and falls behind past that.
    let held = |s: &Step| match &s.load {
        Load::Rate { rate, .. } if rate.0 <= 1500.0 => Queue::new(rate.0, 1e6, 0.0),
        _ => mm1(1500.0, s),
    };
    let (_, verdict) = run(&curve(5, 180), |s, _| held(s));
    let rate = verdict.capacities[0].rate.expect("there is one");
    let half_width = rate.half_width.expect("the gap");
    assert!((rate.mean - 1500.0).abs() <= half_width, "{rate:?}");
    assert!(half_width <= 0.012 * rate.mean, "{rate:?}");
    assert!(
        rules(&verdict).contains(&"capacity-between"),
        "{:?}",
        rules(&verdict)
    );
}

/// Verdict of a curve on a limiter, with so long a rest between two steps, and how long it took.
fn of_bucket(limit_ms: u64, burst_s: f64, rest_s: f64, seed: u64) -> (CurveVerdict, f64) {
    let method = curve(limit_ms, 180);
    let mut bucket = Bucket::new(LIMITED, LIMITED * burst_s + 1.0, 2e-4);
    let mut done: Vec<StepEvidence> = Vec::new();
    loop {
        let completed: Vec<&StepEvidence> = done.iter().collect();
        match method.next(&completed) {
            Next::Step(step) => {
                if !completed.is_empty() && method.rests_before(&completed, &step) {
                    bucket.rest(rest_s);
                }
                let number = done.len() as u32 + 1;
                let course = bucket.carry_out(&step, seed * 1000 + u64::from(number));
                let mut evidence = judge(&step, number, &course.intervals, &StepFacts::clean(2));
                evidence.warmup_s = step.warmup.as_secs_f64();
                done.push(evidence);
            }
            Next::Done(Some(Verdict::Curve(verdict))) => return (verdict, spent_s(&done)),
            other => panic!("{other:?}"),
        }
    }
}

const LIMITED: f64 = 2000.0;

#[test]
fn behind_a_limiter_of_rates_the_capacity_is_what_it_lets_through_all_the_time() {
    let mut allowances = 0;
    for (limit_ms, burst_s, rest_s) in [
        (1, 0.1, 0.0),
        (1, 2.0, 1.2),
        (5, 0.1, 1.2),
        (5, 2.0, 0.0),
        (5, 2.0, 1.2),
        (20, 0.1, 1.2),
        (20, 2.0, 0.0),
        (20, 2.0, 1.2),
    ] {
        for seed in 0..2 {
            let (verdict, spent) = of_bucket(limit_ms, burst_s, rest_s, seed);
            let case = format!("{limit_ms} ms, {burst_s} s, {rest_s} s, {seed}");
            let capacity = &verdict.capacities[0];
            let rate = capacity.rate.expect("it is kept somewhere");
            let off = rate.mean / LIMITED - 1.0;
            assert!(off.abs() < 0.02, "{case}: {rate:?}");
            assert!(
                !capacity.at_least && verdict.decided,
                "{case}: {verdict:#?}"
            );
            assert!(spent <= 181.0, "{case}: {spent}");
            allowances += usize::from(rules(&verdict).contains(&"burst-allowance"));
        }
    }
    // Two seconds saved up are seen each time; a tenth, where a rest lets them be.
    assert!(allowances >= 10, "{allowances}");
}

#[test]
fn behind_a_limiter_that_saves_nothing_up_random_arrivals_wait_for_each_other() {
    // M/D/1 (Pollaczek and Khinchine): a mean wait of w services is kept up to the utilisation 2 w / (1 + 2 w).
    for limit_ms in [1, 5] {
        for seed in 0..2 {
            let (verdict, _) = of_bucket(limit_ms, 0.0, 0.0, seed);
            let wait = (limit_ms as f64 / 1e3 - 2e-4) * LIMITED;
            let truth = 2.0 * wait / (1.0 + 2.0 * wait);
            let rate = verdict.capacities[0].rate.expect("it is kept somewhere");
            let off = rate.mean / LIMITED / truth - 1.0;
            assert!(
                off.abs() < 0.03,
                "{limit_ms} ms, {seed}: {rate:?} of {truth}"
            );
        }
    }
}

#[test]
fn a_response_that_stays_longer_after_a_high_load_is_hysteresis() {
    // After the sixth step all takes a fifth longer.
    let tired = |s: &Step, n: usize| {
        let queue = mm1(2000.0, s);
        let longer = if n > 6 { 1.2 } else { 1.0 };
        Queue {
            response_ns: queue.response_ns * longer,
            ..queue
        }
    };
    let (_, verdict) = run(&curve(5, 180), tired);
    assert!(
        rules(&verdict).contains(&"hysteresis"),
        "{:?}",
        rules(&verdict)
    );
}

#[test]
fn where_the_maximum_run_was_exceeded_a_kept_limit_decides_nothing() {
    // The closed loop is held up by something that the open one is not: whatever is asked for is carried, in no time.
    let (_, verdict) = run(&curve(50, 180), |step, _| match &step.load {
        Load::Rate { rate, .. } => Queue::new(rate.0, 5e5, 0.0),
        _ => Queue::new(283.0, 5e7, 0.0),
    });
    assert!(
        rules(&verdict).contains(&"maximum-exceeded"),
        "{:?}",
        rules(&verdict)
    );
    let capacity = &verdict.capacities[0];
    assert!(capacity.at_least, "{capacity:?}");
    assert!(!verdict.decided);
    let remarks = verdict.remarks().join(" ");
    assert!(remarks.contains("Undecided"), "{remarks}");
}

#[test]
fn what_the_budget_does_not_reach_is_said() {
    let (steps, verdict) = run(&curve(5, 60), |s, _| mm1(2000.0, s));
    assert!(spent_s(&steps) <= 61.0, "{}", spent_s(&steps));
    let full = run(&curve(5, 180), |s, _| mm1(2000.0, s)).1;
    assert!(
        !rules(&full).contains(&"adaptive-budget-short"),
        "{:?}",
        rules(&full)
    );
    assert!(
        rules(&verdict).contains(&"adaptive-budget"),
        "{:?}",
        rules(&verdict)
    );
}

#[test]
fn a_curve_that_is_cut_short_is_undecided_and_a_whole_one_is_not() {
    let method = curve(5, 180);
    let (mut steps, whole) = run(&method, |s, _| mm1(2000.0, s));
    assert!(whole.decided, "{:?}", whole.findings);
    steps.truncate(6);
    steps[5].end = plimsoll_evidence::End::Interrupted;
    let completed: Vec<&StepEvidence> = steps.iter().collect();
    let Next::Done(Some(verdict)) = method.next(&completed) else {
        panic!("it goes on");
    };
    assert!(!verdict.decided());
    let remarks = verdict.remarks();
    assert!(
        remarks
            .iter()
            .any(|s| s.contains("Undecided: the curve ended before")),
        "{remarks:?}"
    );
}

#[test]
fn a_resumed_curve_asks_for_what_the_first_one_asked_for() {
    let method = curve(5, 180);
    let (steps, verdict) = run(&method, |s, _| mm1(2000.0, s));
    for n in 0..steps.len() {
        let completed: Vec<&StepEvidence> = steps[..n].iter().collect();
        let Next::Step(next) = method.next(&completed) else {
            panic!("it was not done after {n}");
        };
        assert_eq!(next.name.as_str(), steps[n].name.as_str());
        assert_eq!(Some(steps[n].slots), Some(next.total_depth()));
    }
    // What follows its end is not looked at.
    let more: Vec<&StepEvidence> = steps.iter().chain(&steps[..2]).collect();
    assert_eq!(
        method.next(&more),
        Next::Done(Some(Verdict::Curve(verdict)))
    );
}

#[test]
fn points_that_the_budget_made_shorter_than_was_asked_are_said() {
    let said = |asked_s: u64| {
        let mut base = step(Load::Max);
        base.elapsed = Nanos::secs(asked_s);
        let budget = Some(Nanos::secs(60));
        let (spec, base) = AdaptiveSpec::new(&base, Arrival::Exponential, Vec::new(), budget, true);
        let method = Adaptive::new(&[base], &spec.asked_for(Nanos::secs(asked_s)));
        let (_, verdict) = run(&method, |step, _| mm1(2000.0, step));
        let about = verdict
            .findings
            .iter()
            .find(|f| f.rule == "adaptive-budget");
        about.expect("always said").message.clone()
    };
    // A sixth of the budget.
    let long = said(30);
    assert!(
        long.contains("No point was longer than 10.0s, though 30.0s was asked for"),
        "{long}"
    );
    assert!(!said(10).contains("asked for"));
}
