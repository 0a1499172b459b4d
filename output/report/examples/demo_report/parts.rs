//! A run of three workloads on two targets: at its maximum, with two stalls, and past what one target carries.

use crate::synthetic::{Ask, judged, measure};
use plimsoll_draw::Draw;
use plimsoll_evidence::{
    Estimate, Interval, OpSummary, Phase, Saturation, StepEvidence, StreamSummary, Stretch,
};
use plimsoll_measure::{IntervalStats, Op, OpStats};

/// The streams: a workload's name and its target.
const STREAMS: [(&str, u32); 4] = [
    ("oltp", 0),
    ("oltp", 1),
    ("report scan", 0),
    ("redo log", 1),
];

/// The steps and their intervals.
pub fn steps() -> (Vec<StepEvidence>, Vec<Vec<Interval>>) {
    let mut random = Draw(11);
    let mut ask = |number, name: &str, offered| {
        let ask = Ask {
            run: "mixed".to_owned(),
            offered,
            warmup: 3,
            intervals: 40,
            streams: STREAMS.len(),
            write_share: 0.3,
            hot_share: 0.05,
            ..Ask::new(number, name.to_owned(), 12_000.0)
        };
        let (step, intervals) = measure(&ask, &mut random);
        (ask, step, intervals)
    };
    let (_, maximum, first) = ask(1, "mixed", None);
    let (stalled_ask, _, mut second) = ask(2, "mixed_(60%)", Some(7_200.0));
    let (_, mut saturated, third) = ask(3, "mixed_(105%)", Some(12_600.0));
    stand_still(&mut second);
    let mut stalled = judged(&stalled_ask, &second);
    stalled.stalls = vec![stretch(14_000, 1_400, 9_870), stretch(31_250, 300, 2_104)];
    stalled.late_by_host = vec![stretch(22_000, 120, 861)];
    stalled.unfinished = 3;
    second.push(drain(44));
    saturated.saturation = saturated.saturation.map(|s| Saturation {
        short_samples: 0.97,
        ..s
    });
    let mut all = vec![maximum, stalled, saturated];
    let intervals = vec![first, second, third];
    for (step, intervals) in all.iter_mut().zip(&intervals) {
        step.streams = streams(step, intervals);
    }
    (all, intervals)
}

fn stretch(start_ms: u64, length_ms: u64, ios: u64) -> Stretch {
    Stretch {
        start_ns: start_ms * 1_000_000,
        length_ns: length_ms * 1_000_000,
        ios,
    }
}

/// Nothing comes back in one second, and all of it in the next.
fn stand_still(intervals: &mut [Interval]) {
    let held = std::mem::replace(&mut intervals[14].stats, IntervalStats::new(STREAMS.len()));
    let streams = &mut intervals[15].stats.streams;
    for (stream, late) in streams.iter_mut().zip(&held.streams) {
        for (op, late) in stream.ops.iter_mut().zip(&late.ops) {
            op.ios += late.ios;
            op.bytes += late.bytes;
            op.service.merge(&late.service);
            (0..late.ios).for_each(|i| {
                op.response
                    .record(400_000_000 + i * 1_000_000_000 / late.ios.max(1))
            });
        }
    }
}

/// Interval of what came back after the end.
fn drain(number: u32) -> Interval {
    let mut stats = IntervalStats::new(STREAMS.len());
    stats.streams[3].ops[Op::Write as usize].ios = 17;
    let start_ns = u64::from(number - 1) * 1_000_000_000;
    Interval::new(
        2,
        number,
        start_ns..start_ns + 250_000_000,
        Phase::Drain,
        stats,
    )
}

fn streams(step: &StepEvidence, intervals: &[Interval]) -> Vec<StreamSummary> {
    let mut total = IntervalStats::new(STREAMS.len());
    intervals
        .iter()
        .filter(|i| i.counts())
        .for_each(|i| total.merge(&i.stats));
    let stream = |((workload, target), ops): (&(&str, u32), &[OpStats])| {
        let ops: Vec<OpSummary> = Op::ALL
            .into_iter()
            .zip(ops)
            .filter(|(_, o)| o.ios > 0)
            .map(|(op, sum)| OpSummary::of(op, sum))
            .collect();
        let mut all = OpStats::default();
        ops.iter().for_each(|o| {
            all.response.merge(&o.response);
            all.service.merge(&o.service);
        });
        let ios = ops.iter().map(|o| o.ios).sum();
        StreamSummary {
            syncs: None,
            host: 0,
            counted_s: None,
            workload: (*workload).to_owned(),
            target: *target,
            offered: step.offered.map(|rate| rate / STREAMS.len() as f64),
            ios,
            bytes: ops.iter().map(|o| o.bytes).sum(),
            errors: 0,
            rate: near(ios as f64 / step.counted_s),
            response_mean_ns: near(all.response.mean_ns().unwrap_or(0.0)),
            service_mean_ns: near(all.service.mean_ns().unwrap_or(0.0)),
            ops,
            // Of those that share a target one may be held up alone.
            saturation: step.saturation.map(|s| Saturation {
                saturated: s.saturated && *workload == "redo log",
                ..s
            }),
        }
    };
    STREAMS
        .iter()
        .zip(total.streams.iter().map(|s| s.ops.as_slice()))
        .map(stream)
        .collect()
}

fn near(mean: f64) -> Estimate {
    Estimate {
        mean,
        half_width: Some(mean * 0.013),
        batches: 40,
    }
}
