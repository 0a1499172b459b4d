//! Findings as one JSON document.

use super::FilePlace;
use crate::{Audit, Rule};
use plimsoll_diagnostic::Sources;
use plimsoll_evidence::{Limit, Severity, Value};
use plimsoll_plan::Claim;
use serde::Serialize;

/// The document's version; it counts up when a field changes its meaning or goes away.
pub(super) const SCHEMA: u32 = 1;

#[derive(Serialize)]
struct Document<'a> {
    schema: u32,
    claim: Claim,
    /// The worst; `null`: nothing was found.
    worst: Option<Severity>,
    findings: Vec<Finding<'a>>,
    clean: Vec<String>,
    not_applicable: Vec<String>,
    not_observable: Vec<Missing>,
    /// What limited the steps of which that is asked.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    limits: Vec<StepLimit<'a>>,
}

#[derive(Serialize)]
struct StepLimit<'a> {
    step: u32,
    step_name: &'a str,
    #[serde(flatten)]
    limit: &'a Limit,
}

#[derive(Serialize)]
struct Finding<'a> {
    /// `PL012`; `null` where the name is of another version.
    rule: Option<String>,
    name: &'a str,
    severity: Severity,
    step: Option<u32>,
    /// Its name, where the run has several.
    step_name: Option<&'a str>,
    message: &'a str,
    /// What to do.
    remedy: &'a str,
    values: &'a [Value],
    place: Option<FilePlace>,
    /// All of them, where a result of another tool has it.
    #[serde(skip_serializing_if = "<[FilePlace]>::is_empty")]
    places: &'a [FilePlace],
}

#[derive(Serialize)]
struct Missing {
    rule: String,
    missing: &'static str,
}

/// JSON of all that the rules said.
///
/// # Errors
/// Never: there is nothing in it that has no JSON form.
pub fn json(audit: &Audit, sources: &Sources) -> Result<serde_json::Value, serde_json::Error> {
    let codes = |rules: &[&'static Rule]| rules.iter().map(|r| r.code()).collect();
    let findings = audit.findings.iter().map(|found| Finding {
        rule: found.rule.map(Rule::code),
        name: found.rule.map_or(&found.finding.rule, |r| r.name),
        severity: found.finding.severity,
        step: found.finding.step,
        step_name: found.step_name.as_deref(),
        message: &found.finding.message,
        remedy: &found.finding.remedy,
        values: &found.finding.values,
        place: super::places(found, sources).into_iter().next(),
        places: &found.places,
    });
    let missing = audit.not_observable.iter().map(|(rule, missing)| Missing {
        rule: rule.code(),
        missing,
    });
    let limits = audit.limits.iter().map(|l| StepLimit {
        step: l.step,
        step_name: &l.name,
        limit: &l.limit,
    });
    serde_json::to_value(Document {
        schema: SCHEMA,
        claim: audit.claim,
        worst: audit.worst(),
        findings: findings.collect(),
        clean: codes(&audit.clean),
        not_applicable: codes(&audit.not_applicable),
        not_observable: missing.collect(),
        limits: limits.collect(),
    })
}
