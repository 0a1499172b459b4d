//! A step's workloads and targets, as the page lists them.

use crate::names::target_name;
use crate::saturation::Cause;
use plimsoll_evidence::{EnvironmentTarget, Estimate, Part, StepEvidence};
use plimsoll_measure::Histogram;
use serde::Serialize;

/// A step in its parts.
#[derive(Serialize)]
pub(super) struct Parts {
    /// Where there are several workloads.
    workloads: Vec<PartView>,
    /// Where there are several targets.
    targets: Vec<PartView>,
}

/// A workload or a target of a step.
#[derive(Serialize)]
struct PartView {
    name: String,
    /// The targets of a workload, or the workloads of a target.
    with: Vec<String>,
    offered: Option<f64>,
    ios: u64,
    bytes: u64,
    bytes_per_s: f64,
    errors: u64,
    rate: Estimate,
    reads: u64,
    writes: u64,
    trims: u64,
    response_mean_ns: Estimate,
    service_mean_ns: Estimate,
    response: Brief,
    service: Brief,
    /// What shows that it is saturated, in words.
    saturated_by: Option<String>,
}

/// The percentiles that a line has room for, ns; `None` where the sample doesn't support it.
#[derive(Serialize)]
struct Brief {
    p50_ns: Option<u64>,
    p99_ns: Option<u64>,
    p999_ns: Option<u64>,
    max_ns: Option<u64>,
}

impl Brief {
    fn of(histogram: &Histogram) -> Self {
        Brief {
            p50_ns: histogram.supported_quantile_ns(0.5),
            p99_ns: histogram.supported_quantile_ns(0.99),
            p999_ns: histogram.supported_quantile_ns(0.999),
            max_ns: histogram.max_ns(),
        }
    }
}

impl Parts {
    /// Of a step on some of these targets.
    pub(super) fn of(step: &StepEvidence, targets: &[EnvironmentTarget]) -> Self {
        let names = |part: &Part| -> Vec<String> {
            let name = |at: &u32| target_name(targets, *at);
            part.targets.iter().map(name).collect()
        };
        let workload = |part: &Part| view(part, part.workloads.concat(), names(part));
        let target = |part: &Part| view(part, names(part).concat(), part.workloads.clone());
        Parts {
            workloads: several(step.by_workload(), workload),
            targets: several(step.by_target(), target),
        }
    }
}

/// One part is the step itself, and needs no line.
fn several(parts: Vec<Part>, view: impl Fn(&Part) -> PartView) -> Vec<PartView> {
    match parts.len() {
        0 | 1 => Vec::new(),
        _ => parts.iter().map(view).collect(),
    }
}

fn view(part: &Part, name: String, with: Vec<String>) -> PartView {
    let ios_of = |name: &str| {
        let same = part.ops.iter().filter(|op| op.op.name() == name);
        same.map(|op| op.ios).sum()
    };
    PartView {
        name,
        with,
        offered: part.offered,
        ios: part.ios,
        bytes: part.bytes,
        bytes_per_s: match part.counted_s > 0.0 {
            true => part.bytes as f64 / part.counted_s,
            false => 0.0,
        },
        errors: part.errors,
        rate: part.rate,
        reads: ios_of("read"),
        writes: ios_of("write"),
        trims: ios_of("trim"),
        response_mean_ns: part.response_mean_ns,
        service_mean_ns: part.service_mean_ns,
        response: Brief::of(&part.response()),
        service: Brief::of(&part.service()),
        saturated_by: part
            .saturation
            .filter(|s| s.saturated)
            .map(|s| Cause::of(&s).cell()),
    }
}
