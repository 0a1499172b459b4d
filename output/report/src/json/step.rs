//! One step of the document.

use super::latency::latency;
use super::{array, each, hosts, part, paths, seconds, without_empty};
use plimsoll_evidence::{
    ActionEvidence, EnvironmentTarget, ErrorSample, LostHost, OpSummary, Saturation, StepEvidence,
    Stretch,
};
use serde_json::{Value, json};

/// Fields that only some steps have.
const MAY_BE_MISSING: [&str; 8] = [
    "hosts",
    "lost_hosts",
    "paths",
    "arrays",
    "witnessed",
    "actions",
    "limit",
    "findings",
];

/// A step on some of these targets.
pub(super) fn step(step: &StepEvidence, targets: &[EnvironmentTarget]) -> Value {
    let per_s = |n: u64| per_s(n, step.counted_s);
    let looped = |(key, value): &(String, String)| json!({ "key": key, "value": value });
    let document = json!({
        "number": step.number,
        "name": step.name,
        "run": step.run,
        "loops": each(&step.loops, looped),
        "fill": step.fill,
        "load": step.load,
        "offered_iops": step.offered,
        "slots": step.slots,
        "workers": step.workers,
        "warmup_s": step.warmup_s,
        "counted_s": step.counted_s,
        "counted_intervals": step.counted_intervals,
        "ios": step.ios,
        "iops": step.rate.mean,
        "iops_ci95": step.rate.half_width,
        "bytes": step.bytes,
        "bytes_per_s": per_s(step.bytes),
        "errors": step.errors,
        "fsync_errors": step.fsync_errors(),
        "response": latency(&step.response, Some(&step.response_mean_ns)),
        "service": latency(&step.service, Some(&step.service_mean_ns)),
        "ops": each(&step.ops, |o| operation(o, per_s(o.ios))),
        "syncs": step.syncs.as_deref().map(|s| syncs(s, per_s(s.ios))),
        "workloads": part::workloads(step, targets),
        "targets": part::targets(step, targets),
        "streams": part::streams(step, targets),
        "depth_mean": step.depth_mean,
        "lateness": (!step.lateness.is_empty()).then(|| latency(&step.lateness, None)),
        "saturation": step.saturation.as_ref().map(saturated),
        "stalls": each(&step.stalls, time_span),
        "late_by_host": each(&step.late_by_host, time_span),
        "unfinished": step.unfinished,
        "cpu_ns_per_io": step.cpu_ns_per_io,
        "end": step.end,
        "error_samples": each(&step.error_samples, failed),
        "hosts": hosts::hosts(step),
        "lost_hosts": each(&step.lost_hosts, lost),
        "paths": each(&step.paths, paths),
        "arrays": each(&step.arrays, array),
        "witnessed": step.witnessed,
        "actions": each(&step.actions, action),
        "limit": step.limit,
        "notes": step.remarks(),
        "findings": step.findings,
    });
    without_empty(document, &MAY_BE_MISSING)
}

/// A count by second; 0 where no second was counted.
pub(crate) fn per_s(n: u64, counted_s: f64) -> f64 {
    match counted_s > 0.0 {
        true => n as f64 / counted_s,
        false => 0.0,
    }
}

pub(super) fn operation(op: &OpSummary, iops: f64) -> Value {
    json!({
        "op": op.op,
        "ios": op.ios,
        "iops": iops,
        "bytes": op.bytes,
        "errors": op.errors,
        "response": latency(&op.response, None),
        "service": latency(&op.service, None),
    })
}

/// fsyncs and flushes.
fn syncs(syncs: &OpSummary, per_s: f64) -> Value {
    json!({
        "count": syncs.ios,
        "per_s": per_s,
        "errors": syncs.errors,
        "service": latency(&syncs.service, None),
    })
}

pub(super) fn saturated(s: &Saturation) -> Value {
    json!({
        "saturated": s.saturated,
        "no_slot_share": s.no_slot_share,
        "shortfall": s.shortfall,
        "backlog_growth_per_s": s.backlog_growth,
        "backlog_end": s.backlog_end,
        "short_samples": s.short_samples,
    })
}

/// Time in which something held I/Os up.
fn time_span(stretch: &Stretch) -> Value {
    json!({
        "at_s": stretch.start_ns as f64 / 1e9,
        "length_s": stretch.length_ns as f64 / 1e9,
        "ios": stretch.ios,
    })
}

fn failed(e: &ErrorSample) -> Value {
    json!({
        "target": e.target,
        "op": e.op,
        "offset": e.offset,
        "length": e.length,
        "at_s": e.at_ns as f64 / 1e9,
        "what": e.what,
    })
}

/// A host whose part is missing.
fn lost(host: &LostHost) -> Value {
    json!({ "host": host.host, "name": host.name, "why": host.why })
}

/// An action while a step ran. Times from the step's start.
pub(crate) fn action(action: &ActionEvidence) -> Value {
    json!({
        "what": action.what,
        "planned_s": seconds(action.planned_ns),
        "began_s": seconds(action.began_ns),
        "ended_s": seconds(action.ended_ns),
        "failed": action.failed,
        "output": action.output,
    })
}
