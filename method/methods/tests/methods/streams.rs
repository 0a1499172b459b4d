//! Streams judged by themselves, those with a rate of their own among them.

use crate::synthetic::*;
use plimsoll_evidence::{Interval, StepEvidence};
use plimsoll_measure::{Demand, IntervalStats, Sample};
use plimsoll_methods::{StepFacts, judge};
use plimsoll_plan::{Load, Nanos, Rate, Step, Window};

const CALM: Queue = Queue::new(1000.0, 200_000.0, 0.0);

fn judged(step: &Step, intervals: &[Interval]) -> StepEvidence {
    judge(step, 1, intervals, &StepFacts::clean(2))
}

/// Two streams side by side: the second one has a rate of its own and reaches `reached` of it.
fn beside(load: Load, asked: f64, reached: f64) -> (Step, Vec<Interval>) {
    let mut s = step(load);
    s.streams.push(stream("own", 0.0));
    s.streams[1].fixed_rate = Some(Rate(asked));
    let queue = Queue {
        rate: reached,
        backlog_growth: asked - reached,
        ..CALM
    };
    let all = (1..=30)
        .map(|n| {
            let mut both = second(CALM, n, false);
            let own = second(queue, n + 100, false);
            if s.load == Load::Max {
                both.stats.streams[0].due = 0;
            }
            for (sum, part) in both.stats.samples.iter_mut().zip(&own.stats.samples) {
                sum.merge(part);
            }
            both.stats.streams.extend(own.stats.streams);
            both
        })
        .collect();
    (s, all)
}

#[test]
fn a_workload_with_a_rate_of_its_own_is_judged_by_itself_whatever_the_load_is() {
    for load in [Load::Max, open(1000.0)] {
        let (s, all) = beside(load.clone(), 5000.0, 4000.0);
        let e = judged(&s, &all);
        let own = e.streams[1].saturation.unwrap();
        assert!(
            own.saturated && (own.shortfall - 0.2).abs() < 0.01,
            "{own:?}"
        );
        assert!((own.backlog_growth - 1000.0).abs() < 20.0, "{own:?}");
        assert_eq!(e.streams[1].offered, Some(5000.0));
        // The other has none, or keeps its own.
        match load {
            Load::Max => assert_eq!(e.streams[0].saturation, None),
            _ => assert!(!e.streams[0].saturation.unwrap().saturated),
        }
        assert!(e.saturation.unwrap().saturated, "{:?}", e.saturation);

        let (s, all) = beside(load, 5000.0, 5000.0);
        let e = judged(&s, &all);
        assert!(!e.saturation.unwrap().saturated, "{:?}", e.saturation);
        assert!(!e.streams[1].saturation.unwrap().saturated);
    }
}

#[test]
fn a_workload_that_is_alone_with_its_rate_is_an_open_loop() {
    let mut s = step(Load::Max);
    s.streams[0].fixed_rate = Some(Rate(900_000.0));
    let queue = Queue {
        backlog_growth: 899_000.0,
        ..CALM
    };
    let e = judged(&s, &intervals(queue, 30));
    assert_eq!(e.offered, Some(900_000.0));
    assert!(e.saturation.unwrap().saturated);
    assert_eq!(e.streams[0].saturation, e.saturation);
}

#[test]
fn streams_have_rates_and_times_of_their_own_with_intervals() {
    let (s, all) = beside(Load::Max, 5000.0, 5000.0);
    let e = judged(&s, &all);
    for (stream, rate) in e.streams.iter().zip([1000.0, 5000.0]) {
        assert!((stream.rate.mean / rate - 1.0).abs() < 0.02, "{stream:?}");
        assert!(stream.rate.half_width.is_some_and(|h| h < 0.02 * rate));
        let mean = stream.response_mean_ns;
        assert!((mean.mean / 200_000.0 - 1.0).abs() < 0.02, "{mean:?}");
        assert!(mean.half_width.is_some());
    }
    let sum: f64 = e.streams.iter().map(|s| s.rate.mean).sum();
    assert!((sum / e.rate.mean - 1.0).abs() < 1e-6);
}

/// A step of one second without a warm-up, in samples: what came due, and what was done, of a workload that works from 0 until
/// `until_ms`; the other one is calm.
fn short(until_ms: u64, due: &[u64], done: &[u64]) -> StepEvidence {
    let (mut s, _) = beside(Load::Max, 1000.0, 1000.0);
    s.streams[0].fixed_rate = Some(Rate(100.0));
    s.streams[1].window = Window {
        from: Nanos(0),
        until: (until_ms < 1000).then_some(Nanos(until_ms * 1_000_000)),
        ..Window::default()
    };
    let mut stats = IntervalStats::new(2);
    for (stream, (due, done)) in stats
        .streams
        .iter_mut()
        .zip([(&[10; 10][..], &[10; 10][..]), (due, done)])
    {
        stream.demand = (0..10)
            .map(|n| Demand {
                due: due.get(n).copied().unwrap_or(0),
                done: done.get(n).copied().unwrap_or(0),
                ..Demand::default()
            })
            .collect();
        stream.due = due.iter().sum();
        stream.ops[0].ios = done.iter().sum();
    }
    let done = |n: usize| stats.streams.iter().map(|s| s.demand[n].done).sum();
    let sample = |n| Sample {
        ios: done(n),
        ..Sample::default()
    };
    stats.samples = (0..10).map(sample).collect();
    let interval = Interval {
        stats,
        ..second(CALM, 1, false)
    };
    judged(&s, &[interval])
}

#[test]
fn a_short_time_shows_too_much_load_and_neither_a_stall_nor_a_slow_target_is_one() {
    let told = |until_ms, due: &[u64], done: &[u64]| {
        let e = short(until_ms, due, done);
        assert!(!e.streams[0].saturation.unwrap().saturated);
        let s = e.streams[1].saturation.unwrap();
        assert_eq!(e.saturation.unwrap().saturated, s.saturated);
        (s.saturated, s.undecided)
    };
    let (saturated, undecided, carried) = ((true, false), (false, true), (false, false));
    for (due, done) in [(650, 500), (1500, 500), (50_000, 500)] {
        assert_eq!(told(200, &[due; 2], &[done; 2]), saturated);
        assert_eq!(told(400, &[due; 4], &[done; 4]), saturated);
        assert_eq!(told(1000, &[due; 10], &[done; 10]), saturated);
    }
    assert_eq!(told(200, &[450; 2], &[440, 452]), carried);
    // It stood still, in the one half or in both.
    assert_eq!(told(200, &[450; 2], &[450, 0]), undecided);
    assert_eq!(told(200, &[450; 2], &[0, 0]), undecided);
    // Each I/O takes 60 ms, or 150 ms, and more and more come back.
    assert_eq!(told(200, &[450; 2], &[180, 450]), undecided);
    assert_eq!(told(200, &[450; 2], &[0, 225]), undecided);
    // Or 600 ms of a whole second.
    assert_eq!(
        told(1000, &[450; 10], &[0, 0, 0, 0, 0, 0, 450, 450, 450, 450]),
        undecided
    );
    // Too few.
    assert_eq!(told(200, &[13; 2], &[9; 2]), undecided);
}

#[test]
fn what_cannot_be_told_of_a_workload_is_said_of_that_one() {
    let e = short(200, &[13; 2], &[9; 2]);
    let remarks = e.remarks();
    let named =
        "Whether the load of workload `own` is carried cannot be told: 31% of what came due";
    assert!(remarks.iter().any(|r| r.starts_with(named)), "{remarks:?}");
    assert_eq!(e.stalls, []);
}
