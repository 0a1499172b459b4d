//! A step's hosts, as the page lists them.

use super::HostSeries;
use crate::json::each;
use crate::saturation::Cause;
use plimsoll_evidence::{HostPart, StepEvidence};
use serde_json::{Value, json};

/// The hosts of a step, those whose part is missing, and how they went beside each other; empty where one did all.
pub(super) fn hosts(step: &StepEvidence, series: Option<&HostSeries>) -> Value {
    let all: u64 = step.hosts.iter().map(|h| h.ios).sum();
    json!({
        "parts": each(&step.hosts, |h| part(h, all)),
        "lost": step.lost_hosts,
        "series": series,
    })
}

fn part(host: &HostPart, all: u64) -> Value {
    let saturation = host.saturation.filter(|s| s.saturated);
    let doubts: Vec<&str> = host.findings.iter().map(|f| f.message.as_str()).collect();
    json!({
        "host": host.host,
        "name": host.name,
        "workers": host.workers,
        "offered": host.offered,
        "ios": host.ios,
        // Of the I/Os of all that came to their end, 0..=1; null where there were none.
        "share": (all > 0).then(|| host.ios as f64 / all as f64),
        "bytes": host.bytes,
        "errors": host.errors,
        "rate": host.rate,
        "response_mean_ns": host.response_mean_ns,
        "response_p99_ns": host.response_p99_ns,
        "response_max_ns": host.response_max_ns,
        "service_mean_ns": host.service_mean_ns,
        "depth_mean": host.depth_mean,
        // What shows that its part is saturated, in words.
        "saturated_by": saturation.map(|s| Cause::of(&s).cell()),
        // I/Os that its generator issued late.
        "late_ios": host.late_by_host,
        "end": host.end,
        "start_late_ns": host.start.late_ns,
        "start_bound_ns": host.start.bound_ns,
        "drift_ppm": host.start.drift_ppm,
        // What was doubtful about its part alone.
        "doubts": doubts,
    })
}
