//! Streams judged by themselves, those with a rate of their own among them.

mod synthetic;

use plimsoll_evidence::{Interval, StepEvidence};
use plimsoll_methods::{StepFacts, judge};
use plimsoll_plan::{Load, Rate, Step};
use synthetic::*;

const CALM: Queue = Queue {
    rate: 1000.0,
    response_ns: 200_000.0,
    backlog_growth: 0.0,
};

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
