//! A step's hosts, as the page lists them.

use super::HostSeries;
use crate::saturation::Cause;
use plimsoll_evidence::{End, Estimate, HostPart, LostHost, StepEvidence};
use serde::Serialize;

/// The hosts of a step; empty where one did all.
#[derive(Serialize)]
pub(super) struct HostsView<'a> {
    parts: Vec<PartView<'a>>,
    /// Those whose part is missing.
    lost: &'a [LostHost],
    /// How they went beside each other.
    series: Option<&'a HostSeries>,
}

/// One host's part.
#[derive(Serialize)]
struct PartView<'a> {
    host: u32,
    name: &'a str,
    workers: u32,
    offered: Option<f64>,
    ios: u64,
    /// Of the I/Os of all that came to their end, 0..=1; `None` where there were none.
    share: Option<f64>,
    bytes: u64,
    errors: u64,
    rate: Estimate,
    response_mean_ns: Estimate,
    response_p99_ns: Option<u64>,
    response_max_ns: Option<u64>,
    service_mean_ns: Estimate,
    depth_mean: f64,
    /// What shows that its part is saturated, in words.
    saturated_by: Option<String>,
    /// I/Os that its generator issued late.
    late_ios: u64,
    end: End,
    start_late_ns: u64,
    start_bound_ns: u64,
    drift_ppm: Option<f64>,
    /// What was doubtful about its part alone.
    doubts: Vec<&'a str>,
}

impl<'a> HostsView<'a> {
    pub(super) fn of(step: &'a StepEvidence, series: Option<&'a HostSeries>) -> Self {
        let all: u64 = step.hosts.iter().map(|h| h.ios).sum();
        HostsView {
            parts: step.hosts.iter().map(|h| part(h, all)).collect(),
            lost: &step.lost_hosts,
            series,
        }
    }
}

fn part(host: &HostPart, all: u64) -> PartView<'_> {
    let saturation = host.saturation.filter(|s| s.saturated);
    PartView {
        host: host.host,
        name: &host.name,
        workers: host.workers,
        offered: host.offered,
        ios: host.ios,
        share: (all > 0).then(|| host.ios as f64 / all as f64),
        bytes: host.bytes,
        errors: host.errors,
        rate: host.rate,
        response_mean_ns: host.response_mean_ns,
        response_p99_ns: host.response_p99_ns,
        response_max_ns: host.response_max_ns,
        service_mean_ns: host.service_mean_ns,
        depth_mean: host.depth_mean,
        saturated_by: saturation.map(|s| Cause::of(&s).cell()),
        late_ios: host.late_by_host,
        end: host.end,
        start_late_ns: host.start.late_ns,
        start_bound_ns: host.start.bound_ns,
        drift_ppm: host.start.drift_ppm,
        doubts: host.findings.iter().map(|f| f.message.as_str()).collect(),
    }
}
