//! The hosts of a step that several carried out together.

use super::Mean;
use super::step::{Saturated, per_s, saturated};
use plimsoll_evidence::{End, Estimate, Finding, HostPart, StartTogether, StepEvidence};
use serde::Serialize;

/// One host's part.
#[derive(Serialize)]
pub(super) struct Host<'a> {
    host: u32,
    name: &'a str,
    workers: u32,
    offered_iops: Option<f64>,
    ios: u64,
    iops: Option<f64>,
    iops_ci95: Option<f64>,
    bytes: u64,
    bytes_per_s: f64,
    errors: u64,
    response: Response,
    service: Time,
    depth_mean: f64,
    saturation: Option<Saturated>,
    late_by_host_ios: u64,
    end: End,
    start: Start,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    findings: &'a [Finding],
}

/// A mean time; `null` where nothing came back.
#[derive(Serialize)]
struct Time {
    mean_us: Option<f64>,
    mean_ci95_us: Option<f64>,
}

#[derive(Serialize)]
struct Response {
    #[serde(flatten)]
    mean: Time,
    p99_us: Option<f64>,
    max_us: Option<f64>,
}

/// When its I/O began.
#[derive(Serialize)]
struct Start {
    late_us: f64,
    bound_us: f64,
    drift_ppm: Option<f64>,
}

/// A host whose part is missing.
#[derive(Serialize)]
pub(super) struct Lost<'a> {
    host: u32,
    name: &'a str,
    why: &'a str,
}

/// Those that came to their end; empty where one host did all.
pub(super) fn hosts(step: &StepEvidence) -> Vec<Host<'_>> {
    step.hosts.iter().map(|h| host(h, step.counted_s)).collect()
}

/// Those that did not.
pub(super) fn lost(step: &StepEvidence) -> Vec<Lost<'_>> {
    let lost = step.lost_hosts.iter();
    lost.map(|l| Lost {
        host: l.host,
        name: &l.name,
        why: &l.why,
    })
    .collect()
}

fn host(part: &HostPart, counted_s: f64) -> Host<'_> {
    let us = |ns: Option<u64>| ns.map(|ns| ns as f64 / 1e3);
    let rate = Mean::of(&part.rate, 1.0);
    Host {
        host: part.host,
        name: &part.name,
        workers: part.workers,
        offered_iops: part.offered,
        ios: part.ios,
        iops: rate.mean,
        iops_ci95: rate.ci95,
        bytes: part.bytes,
        bytes_per_s: per_s(part.bytes, counted_s),
        errors: part.errors,
        response: Response {
            mean: time(&part.response_mean_ns, part.ios),
            p99_us: us(part.response_p99_ns),
            max_us: us(part.response_max_ns),
        },
        service: time(&part.service_mean_ns, part.ios),
        depth_mean: part.depth_mean,
        saturation: part.saturation.as_ref().map(saturated),
        late_by_host_ios: part.late_by_host,
        end: part.end,
        start: start(&part.start),
        findings: &part.findings,
    }
}

fn time(ns: &Estimate, ios: u64) -> Time {
    let us = Mean::of(ns, 1e3);
    Time {
        mean_us: us.mean.filter(|_| ios > 0),
        mean_ci95_us: us.ci95.filter(|_| ios > 0),
    }
}

fn start(start: &StartTogether) -> Start {
    Start {
        late_us: start.late_ns as f64 / 1e3,
        bound_us: start.bound_ns as f64 / 1e3,
        drift_ppm: start.drift_ppm,
    }
}
