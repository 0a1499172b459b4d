//! One step of the document.

use super::arrays::Array;
use super::latency::Latency;
use super::paths::Paths;
use plimsoll_evidence::{End, ErrorSample, FailedOp, OpSummary, Saturation, StepEvidence};
use plimsoll_measure::Op;
use serde::Serialize;

/// One step.
#[derive(Serialize)]
pub(super) struct Step<'a> {
    number: u32,
    name: &'a str,
    run: &'a str,
    loops: Vec<Loop<'a>>,
    fill: bool,
    load: &'a str,
    offered_iops: Option<f64>,
    slots: u64,
    workers: u32,
    warmup_s: f64,
    counted_s: f64,
    counted_intervals: [u32; 2],
    ios: u64,
    iops: f64,
    iops_ci95: Option<f64>,
    bytes: u64,
    bytes_per_s: f64,
    errors: u64,
    fsync_errors: u64,
    response: Latency,
    service: Latency,
    ops: Vec<Operation>,
    stream_ios: Vec<u64>,
    depth_mean: f64,
    lateness: Option<Latency>,
    saturation: Option<Saturated>,
    cpu_ns_per_io: Option<f64>,
    end: End,
    error_samples: Vec<Failed<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    paths: Vec<Paths<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    arrays: Vec<Array<'a>>,
    notes: &'a [String],
}

#[derive(Serialize)]
struct Loop<'a> {
    key: &'a str,
    value: &'a str,
}

#[derive(Serialize)]
struct Operation {
    op: Op,
    ios: u64,
    iops: f64,
    bytes: u64,
    errors: u64,
    response: Latency,
    service: Latency,
}

#[derive(Serialize)]
struct Saturated {
    saturated: bool,
    no_slot_share: f64,
    shortfall: f64,
    backlog_growth_per_s: f64,
    backlog_end: u64,
}

#[derive(Serialize)]
struct Failed<'a> {
    target: &'a str,
    op: FailedOp,
    offset: u64,
    length: u64,
    at_s: f64,
    what: &'a str,
}

impl<'a> Step<'a> {
    pub(super) fn of(step: &'a StepEvidence) -> Self {
        let per_s = |n: u64| match step.counted_s > 0.0 {
            true => n as f64 / step.counted_s,
            false => 0.0,
        };
        Step {
            number: step.number,
            name: &step.name,
            run: &step.run,
            loops: step
                .loops
                .iter()
                .map(|(key, value)| Loop { key, value })
                .collect(),
            fill: step.fill,
            load: &step.load,
            offered_iops: step.offered,
            slots: step.slots,
            workers: step.workers,
            warmup_s: step.warmup_s,
            counted_s: step.counted_s,
            counted_intervals: step.counted_intervals.into(),
            ios: step.ios,
            iops: step.rate.mean,
            iops_ci95: step.rate.half_width,
            bytes: step.bytes,
            bytes_per_s: per_s(step.bytes),
            errors: step.errors,
            fsync_errors: step.fsync_errors,
            response: Latency::of(&step.response, Some(&step.response_mean_ns)),
            service: Latency::of(&step.service, Some(&step.service_mean_ns)),
            ops: step
                .ops
                .iter()
                .map(|o| operation(o, per_s(o.ios)))
                .collect(),
            stream_ios: step.streams.iter().map(|s| s.ios).collect(),
            depth_mean: step.depth_mean,
            lateness: (!step.lateness.is_empty()).then(|| Latency::of(&step.lateness, None)),
            saturation: step.saturation.as_ref().map(saturated),
            cpu_ns_per_io: step.cpu_ns_per_io,
            end: step.end,
            error_samples: step.error_samples.iter().map(failed).collect(),
            paths: step.paths.iter().map(Paths::of).collect(),
            arrays: step.arrays.iter().map(Array::of).collect(),
            notes: &step.notes,
        }
    }
}

fn operation(op: &OpSummary, iops: f64) -> Operation {
    Operation {
        op: op.op,
        ios: op.ios,
        iops,
        bytes: op.bytes,
        errors: op.errors,
        response: Latency::of(&op.response, None),
        service: Latency::of(&op.service, None),
    }
}

fn saturated(s: &Saturation) -> Saturated {
    Saturated {
        saturated: s.saturated,
        no_slot_share: s.no_slot_share,
        shortfall: s.shortfall,
        backlog_growth_per_s: s.backlog_growth,
        backlog_end: s.backlog_end,
    }
}

fn failed(e: &ErrorSample) -> Failed<'_> {
    Failed {
        target: &e.target,
        op: e.op,
        offset: e.offset,
        length: e.length,
        at_s: e.at_ns as f64 / 1e9,
        what: &e.what,
    }
}
