//! Steps and intervals made of closed formulas, for tests.
pub mod bucket;
pub mod noise;
pub mod queue;

use plimsoll_draw::{STEP, mix64, unit};
use plimsoll_evidence::{Interval, Phase, StepEvidence};
use plimsoll_measure::{IntervalStats, Sample};
use plimsoll_methods::{StepFacts, judge};
use plimsoll_plan::*;

pub const SECOND_NS: u64 = 1_000_000_000;

pub fn stream(workload: &str, share: f64) -> Stream {
    Stream {
        share,
        ..Stream::new(
            workload,
            TargetId(0),
            Mix::READS,
            SizeSpec::Fixed(Bytes(4096)),
            AddressSpec::whole(Pattern::RANDOM),
        )
    }
}

/// A step `rd1` of 30 s after 5 s of warm-up, 32 slots, one stream.
pub fn step(load: Load) -> Step {
    Step {
        warmup: Nanos::secs(5),
        ..Step::new(
            "rd1",
            vec![stream("wd1", 100.0)],
            Depth::each([TargetId(0)], 32),
            load,
            Nanos::secs(30),
        )
    }
}

pub fn open(rate: f64) -> Load {
    Load::rate(Rate(rate), Arrival::Exponential)
}

pub fn curve(percents: &[u32]) -> CurveSpec {
    CurveSpec {
        base: step(Load::Max),
        percents: percents.to_vec(),
        arrival: Arrival::Exponential,
        stop_service: None,
        slos: Vec::new(),
        search: None,
    }
}

/// Noise in -1..1, of a number.
pub fn noise(i: u64) -> f64 {
    2.0 * unit(mix64(i.wrapping_mul(STEP))) - 1.0
}

/// Behaviour of a queue at one load.
#[derive(Clone, Copy)]
pub struct Queue {
    /// I/Os done per second.
    pub rate: f64,
    /// Mean response, ns; exponentially distributed.
    pub response_ns: f64,
    /// I/Os that come but are not done, per second.
    pub backlog_growth: f64,
}

impl Queue {
    pub const fn new(rate: f64, response_ns: f64, backlog_growth: f64) -> Self {
        Queue {
            rate,
            response_ns,
            backlog_growth,
        }
    }
}

/// One second of it: `number` from 1; each 100 ms sample within 2 % of its mean.
pub fn second(queue: Queue, number: u32, warmup: bool) -> Interval {
    let mut stats = IntervalStats::new(1);
    for k in 0..10 {
        let wobble = noise(u64::from(number) * 10 + k);
        let ios = (queue.rate / 10.0 * (1.0 + 0.02 * wobble)).round() as u64;
        let response = queue.response_ns * (1.0 + 0.02 * noise(u64::from(number) * 1000 + k));
        stats.samples.push(Sample {
            ios,
            bytes: ios * 4096,
            timed: ios,
            response_sum_ns: (ios as f64 * response) as u64,
            service_sum_ns: (ios as f64 * response * 0.9) as u64,
        });
    }
    let ios: u64 = stats.samples.iter().map(|s| s.ios).sum();
    let reads = &mut stats.streams[0].ops[0];
    reads.ios = ios;
    reads.bytes = ios * 4096;
    for i in 0..ios {
        let quantile = (i as f64 + 0.5) / ios as f64;
        let response = -queue.response_ns * (1.0 - quantile).ln();
        reads.response.record(response as u64);
        reads.service.record((response * 0.9) as u64);
    }
    let behind = queue.backlog_growth.max(0.0);
    stats.streams[0].due = ios + behind as u64;
    stats.backlog_end = (behind * f64::from(number)) as u64;
    stats.streams[0].late_for_slot = if behind > 0.0 { ios / 2 } else { 0 };
    stats.depth_integral_ns = (queue.rate * queue.response_ns) as u64;
    stats.depth_max = 32;
    let start_ns = u64::from(number - 1) * SECOND_NS;
    Interval::new(
        1,
        number,
        start_ns..start_ns + SECOND_NS,
        match warmup {
            true => Phase::WarmUp,
            false => Phase::Counted,
        },
        stats,
    )
}

/// 2 s of warm-up at half the rate, then `seconds` s that count.
pub fn intervals(queue: Queue, seconds: u32) -> Vec<Interval> {
    let cold = Queue {
        rate: queue.rate / 2.0,
        ..queue
    };
    (1..=2)
        .map(|n| second(cold, n, true))
        .chain((3..3 + seconds).map(|n| second(queue, n, false)))
        .collect()
}

/// Evidence that a step on a queue would give.
pub fn measured(step: &Step, number: u32, queue: Queue) -> StepEvidence {
    judge(step, number, &intervals(queue, 30), &StepFacts::clean(2))
}

/// A server of `capacity` I/Os per second with random arrivals and service times: M/M/1, response
/// `1 / (capacity - rate)`; past 97 % of it it's saturated, and in a closed loop of 32 it's full.
pub fn mm1(capacity: f64, step: &Step, number: u32) -> StepEvidence {
    let queue = match &step.load {
        Load::Rate { rate, .. } if rate.0 < 0.97 * capacity => {
            Queue::new(rate.0, 1e9 / (capacity - rate.0), 0.0)
        }
        Load::Rate { rate, .. } => Queue::new(0.97 * capacity, 50e6, rate.0 - 0.97 * capacity),
        _ => Queue::new(capacity, 32.0 * 1e9 / capacity, 0.0),
    };
    measured(step, number, queue)
}
