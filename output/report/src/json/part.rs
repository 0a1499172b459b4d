//! A step's workloads, targets and streams.

use super::latency::Latency;
use super::step::{Operation, Saturated, operation, saturated};
use crate::names::target_name;
use plimsoll_evidence::{EnvironmentTarget, Part, StepEvidence};
use serde::Serialize;

/// One workload of a step, with the names of the targets that it was on.
#[derive(Serialize)]
pub(super) struct Workload {
    workload: String,
    targets: Vec<String>,
    #[serde(flatten)]
    figures: Figures,
}

/// One target of a step, with the names of the workloads that were on it.
#[derive(Serialize)]
pub(super) struct Target {
    target: String,
    workloads: Vec<String>,
    #[serde(flatten)]
    figures: Figures,
}

/// A workload on a target.
#[derive(Serialize)]
pub(super) struct Stream {
    workload: String,
    target: String,
    #[serde(flatten)]
    figures: Figures,
}

#[derive(Serialize)]
struct Figures {
    offered_iops: Option<f64>,
    ios: u64,
    iops: f64,
    iops_ci95: Option<f64>,
    bytes: u64,
    bytes_per_s: f64,
    errors: u64,
    response: Latency,
    service: Latency,
    ops: Vec<Operation>,
    saturation: Option<Saturated>,
}

impl Figures {
    fn of(part: &Part) -> Self {
        let per_s = |n: u64| super::step::per_s(n, part.counted_s);
        Figures {
            offered_iops: part.offered,
            ios: part.ios,
            iops: part.rate.mean,
            iops_ci95: part.rate.half_width,
            bytes: part.bytes,
            bytes_per_s: per_s(part.bytes),
            errors: part.errors,
            response: Latency::of(&part.response(), Some(&part.response_mean_ns)),
            service: Latency::of(&part.service(), Some(&part.service_mean_ns)),
            ops: part
                .ops
                .iter()
                .map(|op| operation(op, per_s(op.ios)))
                .collect(),
            saturation: part.saturation.as_ref().map(saturated),
        }
    }
}

pub(super) fn workloads(step: &StepEvidence, targets: &[EnvironmentTarget]) -> Vec<Workload> {
    let workload = |part: &Part| Workload {
        workload: part.workloads.concat(),
        targets: names(part, targets),
        figures: Figures::of(part),
    };
    step.by_workload().iter().map(workload).collect()
}

pub(super) fn targets(step: &StepEvidence, targets: &[EnvironmentTarget]) -> Vec<Target> {
    let target = |part: &Part| Target {
        target: names(part, targets).concat(),
        workloads: part.workloads.clone(),
        figures: Figures::of(part),
    };
    step.by_target().iter().map(target).collect()
}

pub(super) fn streams(step: &StepEvidence, targets: &[EnvironmentTarget]) -> Vec<Stream> {
    let stream = |part: &Part| Stream {
        workload: part.workloads.concat(),
        target: names(part, targets).concat(),
        figures: Figures::of(part),
    };
    step.by_stream().iter().map(stream).collect()
}

fn names(part: &Part, targets: &[EnvironmentTarget]) -> Vec<String> {
    let name = |at: &u32| target_name(targets, *at);
    part.targets.iter().map(name).collect()
}
