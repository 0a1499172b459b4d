//! Small evidence for tests.

use plimsoll_evidence::{Estimate, Interval, OpSummary, Phase, StepEvidence, StreamSummary};
use plimsoll_measure::{Histogram, IntervalStats, Op};

/// A step of `intervals` seconds in which nothing completed.
pub(crate) fn step(number: u32, intervals: u32) -> StepEvidence {
    StepEvidence {
        run: "run".to_owned(),
        slots: 8,
        workers: 1,
        counted_s: f64::from(intervals),
        counted_intervals: (1, intervals),
        ..StepEvidence::new(number, format!("step{number}"))
    }
}

/// A stream of this many reads of 4 KiB.
pub(crate) fn stream(workload: &str, target: u32, ios: u64) -> StreamSummary {
    let mut response = Histogram::new();
    (0..ios).for_each(|i| response.record(100_000 + i));
    StreamSummary {
        workload: workload.to_owned(),
        target,
        ios,
        bytes: ios * 4096,
        rate: Estimate::bare(ios as f64 / 10.0),
        response_mean_ns: Estimate::bare(response.mean_ns().unwrap_or(0.0)),
        service_mean_ns: Estimate::bare(90_000.0),
        ops: vec![OpSummary {
            op: Op::Read,
            ios,
            bytes: ios * 4096,
            errors: 0,
            service: response.clone(),
            response,
        }],
        ..StreamSummary::default()
    }
}

/// One second with this many reads of 4 KiB, each 100 µs.
pub(crate) fn interval(step: u32, number: u32, ios: u64) -> Interval {
    let mut stats = IntervalStats::new(1);
    let reads = &mut stats.streams[0].ops[Op::Read as usize];
    reads.ios = ios;
    reads.bytes = ios * 4096;
    (0..ios).for_each(|_| reads.response.record(100_000));
    (0..ios).for_each(|_| reads.service.record(90_000));
    let start_ns = u64::from(number - 1) * 1_000_000_000;
    Interval::new(
        step,
        number,
        start_ns..start_ns + 1_000_000_000,
        Phase::Counted,
        stats,
    )
}
