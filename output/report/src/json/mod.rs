//! The one document of `--json`.
//!
//! Its schema is `docs/run.schema.json`. Times are microseconds (`_us`) or seconds (`_s`), sizes bytes, rates per
//! second, shares 0..=1. A number that isn't known is `null`, never 0. `schema` counts up when a field changes its meaning or goes
//! away; new fields may come at any time.

mod arrays;
mod curve;
mod hosts;
mod latency;
mod part;
mod paths;
mod step;

pub(crate) use arrays::Array;
pub(crate) use paths::Paths;
use plimsoll_evidence::{Environment, Estimate, Finding, StepEvidence, Verdict, gathered};
use plimsoll_record::RunStatus;
use serde::Serialize;
use serde_json::Value;
use std::path::Path;
pub(crate) use step::Action;

/// The version of the document's schema.
pub const SCHEMA: u32 = 1;

/// All that a document is made of.
#[derive(Debug, Clone, Copy)]
pub struct Run<'a> {
    /// Where and with what it ran.
    pub environment: &'a Environment,
    /// The steps, fills among them.
    pub steps: &'a [StepEvidence],
    /// What the methods concluded.
    pub verdicts: &'a [Verdict],
    /// What rules found beside the steps and verdicts, which have their own findings; some of those may be here again.
    pub findings: &'a [Finding],
    /// Where the record lies; `None` where none was kept.
    pub record: Option<&'a Path>,
    /// How it ended.
    pub status: &'a RunStatus,
}

/// The document of a run.
pub fn document(run: &Run) -> Value {
    let document = Document {
        schema: SCHEMA,
        tool: Tool {
            name: "plimsoll",
            version: &run.environment.tool_version,
        },
        status: status_word(run.status),
        reason: match run.status {
            RunStatus::Failed(reason) => Some(reason),
            _ => None,
        },
        record: run.record.map(|p| p.display().to_string()),
        errors: run.steps.iter().map(|s| s.errors).sum(),
        environment: run.environment,
        steps: run
            .steps
            .iter()
            .map(|step| step::Step::of(step, &run.environment.targets))
            .collect(),
        verdicts: run.verdicts.iter().map(curve::verdict).collect(),
        findings: gathered(run.steps, run.verdicts, run.findings),
    };
    // Fails only for maps with keys that aren't text; there are none.
    serde_json::to_value(document).unwrap_or(Value::Null)
}

#[derive(Serialize)]
struct Document<'a> {
    schema: u32,
    tool: Tool<'a>,
    status: &'static str,
    reason: Option<&'a String>,
    record: Option<String>,
    errors: u64,
    environment: &'a Environment,
    steps: Vec<step::Step<'a>>,
    verdicts: Vec<curve::Verdict<'a>>,
    findings: Vec<Finding>,
}

#[derive(Serialize)]
struct Tool<'a> {
    name: &'static str,
    version: &'a str,
}

fn status_word(status: &RunStatus) -> &'static str {
    match status {
        RunStatus::Running => "unfinished",
        RunStatus::Completed => "completed",
        RunStatus::Interrupted => "interrupted",
        RunStatus::Failed(_) => "failed",
    }
}

/// A mean with half of its 95 % confidence interval.
#[derive(Serialize)]
struct Mean {
    mean: Option<f64>,
    ci95: Option<f64>,
}

impl Mean {
    /// `estimate` in units of `unit`; a mean that isn't finite is none.
    fn of(estimate: &Estimate, unit: f64) -> Self {
        let finite = |v: f64| v.is_finite().then_some(v / unit);
        Mean {
            mean: finite(estimate.mean),
            ci95: estimate.half_width.and_then(finite),
        }
    }
}
