//! A step's workloads, targets and streams.

use super::latency::latency;
use super::step::{operation, per_s, saturated};
use super::{each, joined};
use crate::names::target_name;
use plimsoll_evidence::{EnvironmentTarget, Part, StepEvidence};
use serde_json::{Value, json};

/// Workloads of a step, with the names of the targets that they were on.
pub(super) fn workloads(step: &StepEvidence, targets: &[EnvironmentTarget]) -> Vec<Value> {
    let workload = |part: &Part| {
        let (workload, targets) = (part.workloads.concat(), names(part, targets));
        with_figures(json!({ "workload": workload, "targets": targets }), part)
    };
    step.by_workload().iter().map(workload).collect()
}

/// Targets of a step, with the names of the workloads that were on them.
pub(super) fn targets(step: &StepEvidence, targets: &[EnvironmentTarget]) -> Vec<Value> {
    let target = |part: &Part| {
        let target = names(part, targets).concat();
        with_figures(
            json!({ "target": target, "workloads": part.workloads }),
            part,
        )
    };
    step.by_target().iter().map(target).collect()
}

/// Each workload on each target.
pub(super) fn streams(step: &StepEvidence, targets: &[EnvironmentTarget]) -> Vec<Value> {
    let stream = |part: &Part| {
        let (workload, target) = (part.workloads.concat(), names(part, targets).concat());
        with_figures(json!({ "workload": workload, "target": target }), part)
    };
    step.by_stream().iter().map(stream).collect()
}

fn with_figures(names: Value, part: &Part) -> Value {
    let per_s = |n: u64| per_s(n, part.counted_s);
    let figures = json!({
        "offered_iops": part.offered,
        "ios": part.ios,
        "iops": part.rate.mean,
        "iops_ci95": part.rate.half_width,
        "bytes": part.bytes,
        "bytes_per_s": per_s(part.bytes),
        "errors": part.errors,
        "response": latency(&part.response(), Some(&part.response_mean_ns)),
        "service": latency(&part.service(), Some(&part.service_mean_ns)),
        "ops": each(&part.ops, |op| operation(op, per_s(op.ios))),
        "saturation": part.saturation.as_ref().map(saturated),
    });
    joined(names, figures)
}

fn names(part: &Part, targets: &[EnvironmentTarget]) -> Vec<String> {
    let name = |at: &u32| target_name(targets, *at);
    part.targets.iter().map(name).collect()
}
