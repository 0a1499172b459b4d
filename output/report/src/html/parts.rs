//! A step's workloads and targets, as the page lists them.

use crate::json::per_s;
use crate::names::target_name;
use crate::saturation::Cause;
use plimsoll_evidence::{EnvironmentTarget, Part, StepEvidence};
use plimsoll_measure::{Histogram, Op};
use serde_json::{Value, json};

/// The workloads of a step where there are several, and so its targets.
pub(super) fn parts(step: &StepEvidence, targets: &[EnvironmentTarget]) -> Value {
    let names = |part: &Part| -> Vec<String> {
        let name = |at: &u32| target_name(targets, *at);
        part.targets.iter().map(name).collect()
    };
    let workload = |part: &Part| line(part, &part.workloads.concat(), &names(part));
    let target = |part: &Part| line(part, &names(part).concat(), &part.workloads);
    json!({
        "workloads": several(&step.by_workload(), workload),
        "targets": several(&step.by_target(), target),
    })
}

/// One part is the step itself, and needs no line.
fn several(parts: &[Part], line: impl Fn(&Part) -> Value) -> Vec<Value> {
    match parts {
        [] | [_] => Vec::new(),
        _ => parts.iter().map(line).collect(),
    }
}

/// A workload with its targets, or a target with its workloads.
fn line(part: &Part, name: &str, with: &[String]) -> Value {
    let saturation = part.saturation.filter(|s| s.saturated);
    let mut line = json!({
        "name": name,
        "with": with,
        "offered": part.offered,
        "ios": part.ios,
        "bytes": part.bytes,
        "bytes_per_s": per_s(part.bytes, part.counted_s),
        "errors": part.errors,
        "rate": part.rate,
        "response_mean_ns": part.response_mean_ns,
        "service_mean_ns": part.service_mean_ns,
        "response": brief(&part.response()),
        "service": brief(&part.service()),
        // What shows that it is saturated, in words.
        "saturated_by": saturation.map(|s| Cause::of(&s).cell()),
    });
    for op in Op::ALL {
        let same = part.ops.iter().filter(|of| of.op == op);
        line[op.plural()] = json!(same.map(|of| of.ios).sum::<u64>());
    }
    line
}

/// The percentiles that a line has room for, ns; null where the sample doesn't support it.
fn brief(histogram: &Histogram) -> Value {
    json!({
        "p50_ns": histogram.supported_quantile_ns(0.5),
        "p99_ns": histogram.supported_quantile_ns(0.99),
        "p999_ns": histogram.supported_quantile_ns(0.999),
        "max_ns": histogram.max_ns(),
    })
}
