//! Lines that records have in a list: when, of what, by which method, and what came of it.

use crate::answer::{AnswerLines, Measured};
use crate::html;
use plimsoll_evidence::{REPEATS, Severity, Verdict, gathered};
use plimsoll_plan::{Claim, Plan};
use plimsoll_record::{Record, RecordError, RunStatus};
use serde::Serialize;
use std::path::PathBuf;

/// One record of a list.
#[derive(Debug, Clone, Serialize)]
pub struct Entry {
    /// Path of the record.
    pub record: PathBuf,
    /// Start, RFC 3339, UTC.
    pub started: String,
    /// Title that people gave it.
    pub title: Option<String>,
    /// The word that it was given to be found by.
    pub tag: Option<String>,
    /// Note on it.
    pub note: Option<String>,
    /// Locations of its targets.
    pub targets: Vec<String>,
    /// The method: `run`, `curve`, `soak`.
    pub method: String,
    /// Workload in words: block, mix, addresses, content, depth.
    pub workload: String,
    /// Status: `completed`, `interrupted`, `failed`, `unfinished`.
    pub status: &'static str,
    /// The answer in a sentence.
    pub answer: String,
    /// Trust that it deserves, in a sentence.
    pub trust: String,
    /// Weight of the worst finding; `None` where nothing was found.
    pub worst: Option<Severity>,
    /// Rules that found something, each once.
    pub findings: Vec<String>,
}

/// Method of a record's first answer; repeats are of a method, and none themselves.
fn method(verdicts: &[Verdict]) -> String {
    let name = |verdict: &Verdict| match verdict {
        Verdict::Curve(_) => Some("curve".to_owned()),
        Verdict::Method(m) => (m.method != REPEATS).then(|| m.method.clone()),
    };
    verdicts.iter().find_map(name).unwrap_or("run".to_owned())
}

impl Entry {
    /// The line of a record.
    ///
    /// # Errors
    /// The record cannot be read.
    pub fn of(record: &Record) -> Result<Self, RecordError> {
        let (steps, verdicts) = (record.steps()?, record.verdicts()?);
        // A plan of another version may not be readable.
        let plan: Option<Plan> = serde_json::from_str(record.plan_json()).ok();
        let environment = record.environment();
        let found = gathered(&steps, &verdicts, &record.findings()?);
        let answer = AnswerLines::of(&Measured {
            environment,
            steps: &steps,
            verdicts: &verdicts,
            findings: found.iter().collect(),
            claim: plan.as_ref().map_or(Claim::default(), Plan::judged_for),
            status: record.status(),
            record: Some(record.path()),
        });
        let (title, tag, note) = plan.map_or((None, None, None), |p| (p.title, p.tag, p.note));
        let mut findings: Vec<String> = found.iter().map(|f| f.rule.clone()).collect();
        findings.sort_unstable();
        findings.dedup();
        Ok(Entry {
            record: record.path().to_path_buf(),
            started: environment.started.clone(),
            title,
            tag,
            note,
            targets: environment
                .targets
                .iter()
                .map(|t| t.location.clone())
                .collect(),
            method: method(&verdicts),
            workload: html::workload(record, &steps)?,
            status: match record.status() {
                RunStatus::Completed => "completed",
                RunStatus::Interrupted => "interrupted",
                RunStatus::Failed(_) => "failed",
                RunStatus::Running => "unfinished",
            },
            answer: answer.answer,
            trust: answer.trust,
            worst: found.iter().map(|f| f.severity).max(),
            findings,
        })
    }
}
