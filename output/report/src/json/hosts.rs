//! The hosts of a step that several carried out together.

use super::step::{per_s, saturated};
use super::{each, joined, mean, us, without_empty};
use plimsoll_evidence::{Estimate, HostPart, StartTogether, StepEvidence};
use serde_json::{Value, json};

/// Hosts that came to their end; none where one did all.
pub(super) fn hosts(step: &StepEvidence) -> Vec<Value> {
    each(&step.hosts, |h| host(h, step.counted_s))
}

fn host(part: &HostPart, counted_s: f64) -> Value {
    let rate = mean(&part.rate, 1.0);
    let tail = json!({ "p99_us": us(part.response_p99_ns), "max_us": us(part.response_max_ns) });
    let document = json!({
        "host": part.host,
        "name": part.name,
        "workers": part.workers,
        "offered_iops": part.offered,
        "ios": part.ios,
        "iops": rate["mean"],
        "iops_ci95": rate["ci95"],
        "bytes": part.bytes,
        "bytes_per_s": per_s(part.bytes, counted_s),
        "errors": part.errors,
        "response": joined(time(&part.response_mean_ns, part.ios), tail),
        "service": time(&part.service_mean_ns, part.ios),
        "depth_mean": part.depth_mean,
        "saturation": part.saturation.as_ref().map(saturated),
        "late_by_host_ios": part.late_by_host,
        "end": part.end,
        "start": start(&part.start),
        "findings": part.findings,
    });
    without_empty(document, &["findings"])
}

/// A mean time; `null` where nothing came back.
fn time(ns: &Estimate, ios: u64) -> Value {
    let us = mean(ns, 1e3);
    let known = |key: &str| (ios > 0).then(|| us[key].clone());
    json!({ "mean_us": known("mean"), "mean_ci95_us": known("ci95") })
}

/// Start of a host's I/O.
fn start(start: &StartTogether) -> Value {
    json!({
        "late_us": start.late_ns as f64 / 1e3,
        "bound_us": start.bound_ns as f64 / 1e3,
        "drift_ppm": start.drift_ppm,
    })
}
