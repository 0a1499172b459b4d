//! One step of the document.

use super::arrays::Array;
use super::hosts::{self, Host, Lost};
use super::latency::Latency;
use super::part::{self, Stream, Target, Workload};
use super::paths::Paths;
use plimsoll_evidence::{
    ActionEvidence, End, EnvironmentTarget, ErrorSample, Finding, Limit, OpSummary, Saturation,
    StepEvidence, Stretch, Witnessed,
};
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
    syncs: Option<Syncs>,
    workloads: Vec<Workload>,
    targets: Vec<Target>,
    streams: Vec<Stream>,
    depth_mean: f64,
    lateness: Option<Latency>,
    saturation: Option<Saturated>,
    stalls: Vec<TimeSpan>,
    late_by_host: Vec<TimeSpan>,
    unfinished: u64,
    cpu_ns_per_io: Option<f64>,
    end: End,
    error_samples: Vec<Failed<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    hosts: Vec<Host<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    lost_hosts: Vec<Lost<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    paths: Vec<Paths<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    arrays: Vec<Array<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    witnessed: Option<&'a Witnessed>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    actions: Vec<Action<'a>>,
    /// What limited it, of a closed loop and of a load past what its targets carry.
    #[serde(skip_serializing_if = "Option::is_none")]
    limit: Option<&'a Limit>,
    notes: Vec<String>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    findings: &'a [Finding],
}

#[derive(Serialize)]
struct Loop<'a> {
    key: &'a str,
    value: &'a str,
}

#[derive(Serialize)]
pub(super) struct Operation {
    op: Op,
    ios: u64,
    iops: f64,
    bytes: u64,
    errors: u64,
    response: Latency,
    service: Latency,
}

#[derive(Serialize)]
pub(super) struct Saturated {
    saturated: bool,
    no_slot_share: f64,
    shortfall: f64,
    backlog_growth_per_s: f64,
    backlog_end: u64,
    short_samples: f64,
}

/// When something held I/Os up.
#[derive(Serialize)]
struct TimeSpan {
    at_s: f64,
    length_s: f64,
    ios: u64,
}

#[derive(Serialize)]
struct Failed<'a> {
    target: &'a str,
    op: Op,
    offset: u64,
    length: u64,
    at_s: f64,
    what: &'a str,
}

/// What was done while it ran. Times from its start.
#[derive(Serialize)]
pub(crate) struct Action<'a> {
    what: &'a str,
    planned_s: Option<f64>,
    began_s: Option<f64>,
    ended_s: Option<f64>,
    failed: Option<&'a str>,
    output: &'a str,
}

impl<'a> Action<'a> {
    /// One of a step's.
    pub(crate) fn of(action: &'a ActionEvidence) -> Self {
        let seconds = |ns: Option<u64>| ns.map(|ns| ns as f64 / 1e9);
        Action {
            what: &action.what,
            planned_s: seconds(action.planned_ns),
            began_s: seconds(action.began_ns),
            ended_s: seconds(action.ended_ns),
            failed: action.failed.as_deref(),
            output: &action.output,
        }
    }
}

impl<'a> Step<'a> {
    /// Of a step on some of these targets.
    pub(super) fn of(step: &'a StepEvidence, targets: &[EnvironmentTarget]) -> Self {
        let per_s = |n: u64| per_s(n, step.counted_s);
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
            fsync_errors: step.fsync_errors(),
            response: Latency::of(&step.response, Some(&step.response_mean_ns)),
            service: Latency::of(&step.service, Some(&step.service_mean_ns)),
            ops: step
                .ops
                .iter()
                .map(|o| operation(o, per_s(o.ios)))
                .collect(),
            syncs: step.syncs.as_ref().map(|s| Syncs::of(s, step.counted_s)),
            workloads: part::workloads(step, targets),
            targets: part::targets(step, targets),
            streams: part::streams(step, targets),
            depth_mean: step.depth_mean,
            lateness: (!step.lateness.is_empty()).then(|| Latency::of(&step.lateness, None)),
            saturation: step.saturation.as_ref().map(saturated),
            stalls: step.stalls.iter().map(time_span).collect(),
            late_by_host: step.late_by_host.iter().map(time_span).collect(),
            unfinished: step.unfinished,
            cpu_ns_per_io: step.cpu_ns_per_io,
            end: step.end,
            error_samples: step.error_samples.iter().map(failed).collect(),
            hosts: hosts::hosts(step),
            lost_hosts: hosts::lost(step),
            paths: step.paths.iter().map(Paths::of).collect(),
            arrays: step.arrays.iter().map(Array::of).collect(),
            witnessed: step.witnessed.as_ref(),
            actions: step.actions.iter().map(Action::of).collect(),
            limit: step.limit.as_ref(),
            notes: step.remarks(),
            findings: &step.findings,
        }
    }
}

/// A count by second; 0 where no second was counted.
pub(super) fn per_s(n: u64, counted_s: f64) -> f64 {
    match counted_s > 0.0 {
        true => n as f64 / counted_s,
        false => 0.0,
    }
}

/// fsyncs and flushes.
#[derive(Serialize)]
struct Syncs {
    count: u64,
    per_s: f64,
    errors: u64,
    service: Latency,
}

impl Syncs {
    fn of(syncs: &OpSummary, counted_s: f64) -> Self {
        Syncs {
            count: syncs.ios,
            per_s: per_s(syncs.ios, counted_s),
            errors: syncs.errors,
            service: Latency::of(&syncs.service, None),
        }
    }
}

pub(super) fn operation(op: &OpSummary, iops: f64) -> Operation {
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

pub(super) fn saturated(s: &Saturation) -> Saturated {
    Saturated {
        saturated: s.saturated,
        no_slot_share: s.no_slot_share,
        shortfall: s.shortfall,
        backlog_growth_per_s: s.backlog_growth,
        backlog_end: s.backlog_end,
        short_samples: s.short_samples,
    }
}

fn time_span(stretch: &Stretch) -> TimeSpan {
    TimeSpan {
        at_s: stretch.start_ns as f64 / 1e9,
        length_s: stretch.length_ns as f64 / 1e9,
        ios: stretch.ios,
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
