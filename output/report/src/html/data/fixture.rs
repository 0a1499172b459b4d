//! Small evidence for tests.

use plimsoll_evidence::{End, Estimate, Interval, OpSummary, Phase, StepEvidence, StreamSummary};
use plimsoll_measure::{Histogram, IntervalStats, Op};

/// A step of `intervals` seconds in which nothing completed.
pub(crate) fn step(number: u32, intervals: u32) -> StepEvidence {
    StepEvidence {
        targets_bytes: 0,
        timeline: None,
        host: 0,
        number,
        name: format!("step{number}"),
        run: "run".to_owned(),
        loops: Vec::new(),
        fill: false,
        offered: None,
        load: "max".to_owned(),
        slots: 8,
        workers: 1,
        warmup_s: 0.0,
        counted_s: f64::from(intervals),
        counted_intervals: (1, intervals),
        ios: 0,
        bytes: 0,
        errors: 0,
        fsync_errors: 0,
        rate: Estimate::bare(0.0),
        response_mean_ns: Estimate::bare(0.0),
        service_mean_ns: Estimate::bare(0.0),
        response: Histogram::new(),
        service: Histogram::new(),
        ops: Vec::new(),
        streams: Vec::new(),
        stalls: Vec::new(),
        late_by_host: Vec::new(),
        unfinished: 0,
        actions: Vec::new(),
        series: None,
        depth_mean: 0.0,
        lateness: Histogram::new(),
        saturation: None,
        cpu_ns_per_io: None,
        end: End::Elapsed,
        error_samples: Vec::new(),
        paths: Vec::new(),
        arrays: Vec::new(),
        notes: Vec::new(),
        findings: Vec::new(),
    }
}

/// A stream of this many reads of 4 KiB.
pub(crate) fn stream(workload: &str, target: u32, ios: u64) -> StreamSummary {
    let mut response = Histogram::new();
    (0..ios).for_each(|i| response.record(100_000 + i));
    StreamSummary {
        host: 0,
        counted_s: None,
        workload: workload.to_owned(),
        target,
        offered: None,
        ios,
        bytes: ios * 4096,
        errors: 0,
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
        saturation: None,
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
    Interval {
        host: 0,
        step,
        number,
        start_ns: u64::from(number - 1) * 1_000_000_000,
        length_ns: 1_000_000_000,
        phase: Phase::Counted,
        stats,
        cpu: None,
        arrays: Vec::new(),
    }
}
