//! The one document of `--json`.
//!
//! The schema is `docs/run.schema.json`. Times are microseconds (`_us`) or seconds (`_s`), sizes bytes, rates per
//! second, shares 0..=1. A number that isn't known is `null`, never 0. `schema` counts up when a field changes its meaning or goes
//! away; new fields may come at any time.

mod arrays;
mod curve;
mod hosts;
mod latency;
mod part;
mod paths;
mod step;

pub(crate) use arrays::array;
pub(crate) use paths::paths;
use plimsoll_evidence::{Environment, Estimate, Finding, StepEvidence, Verdict, gathered};
use plimsoll_record::RunStatus;
use serde_json::{Value, json};
use std::path::Path;
pub(crate) use step::{action, per_s};

/// The version of the document's schema.
pub const SCHEMA: u32 = 1;

/// Run that a document is made of.
#[derive(Debug, Clone, Copy)]
pub struct Run<'a> {
    /// Environment of the run: the host and the targets.
    pub environment: &'a Environment,
    /// The steps, fills among them.
    pub steps: &'a [StepEvidence],
    /// Conclusions of the methods.
    pub verdicts: &'a [Verdict],
    /// Findings of rules beside the steps and verdicts, which have their own findings; some of those may be here again.
    pub findings: &'a [Finding],
    /// Path of the record; `None` where none was kept.
    pub record: Option<&'a Path>,
    /// Status at the end of the run.
    pub status: &'a RunStatus,
}

/// The document of a run.
pub fn document(run: &Run) -> Value {
    let reason = match run.status {
        RunStatus::Failed(reason) => Some(reason),
        _ => None,
    };
    json!({
        "schema": SCHEMA,
        "tool": { "name": "plimsoll", "version": run.environment.tool_version },
        "status": status_word(run.status),
        "reason": reason,
        "record": run.record.map(|p| p.display().to_string()),
        "errors": run.steps.iter().map(|s| s.errors).sum::<u64>(),
        "environment": run.environment,
        "steps": each(run.steps, |s| step::step(s, &run.environment.targets)),
        "verdicts": each(run.verdicts, curve::verdict),
        "findings": gathered(run.steps, run.verdicts, run.findings),
    })
}

fn status_word(status: &RunStatus) -> &'static str {
    match status {
        RunStatus::Running => "unfinished",
        RunStatus::Completed => "completed",
        RunStatus::Interrupted => "interrupted",
        RunStatus::Failed(_) => "failed",
    }
}

pub(crate) fn each<T>(all: &[T], document: impl Fn(&T) -> Value) -> Vec<Value> {
    all.iter().map(document).collect()
}

/// A mean with half of its 95 % confidence interval, in units of `unit`; `null` where it isn't finite.
fn mean(estimate: &Estimate, unit: f64) -> Value {
    json!({ "mean": estimate.mean / unit, "ci95": estimate.half_width.map(|half| half / unit) })
}

fn us(ns: Option<u64>) -> Option<f64> {
    ns.map(|ns| ns as f64 / 1e3)
}

fn seconds(ns: Option<u64>) -> Option<f64> {
    ns.map(|ns| ns as f64 / 1e9)
}

/// An object with the fields of another one beside its own.
pub(crate) fn joined(mut object: Value, more: Value) -> Value {
    if let (Value::Object(object), Value::Object(more)) = (&mut object, more) {
        object.extend(more);
    }
    object
}

/// The document without those of these fields that hold nothing.
fn without_empty(mut document: Value, fields: &[&str]) -> Value {
    if let Value::Object(all) = &mut document {
        let is_empty = |v: &Value| v.is_null() || v.as_array().is_some_and(Vec::is_empty);
        all.retain(|key, value| !fields.contains(&key.as_str()) || !is_empty(value));
    }
    document
}
