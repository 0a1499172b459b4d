//! All checks on one result.

use crate::checks::{Answer, CHECKS, Doubt};
use crate::model::{ForeignResult, Remark};
use plimsoll_evidence::Severity;
use serde::Serialize;

/// What is said of a result.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Judgement {
    /// What the input was taken for.
    pub taken_for: String,
    /// The tool's name.
    pub tool: &'static str,
    /// Its version, where it is known.
    pub version: Option<String>,
    /// The files.
    pub sources: Vec<String>,
    /// How many measurements are in it.
    pub runs: usize,
    /// How many lines of figures.
    pub rows: usize,
    /// What the reader met.
    pub remarks: Vec<Remark>,
    /// What was found, the worst first.
    pub findings: Vec<Doubt>,
    /// What was looked at.
    pub checked: Vec<&'static str>,
    /// What could not be, and what it would have needed.
    pub not_observable: Vec<NotObservable>,
}

/// A check that could not look.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NotObservable {
    /// Its name.
    pub check: &'static str,
    /// What is not in the result.
    pub needs: &'static str,
}

/// What no result of another tool shows, whatever is in it.
pub const NEVER_OBSERVABLE: &str =
    "what the device itself saw, other load on it, and the host beside the tool";

impl Judgement {
    /// The worst of what was found.
    pub fn worst(&self) -> Option<Severity> {
        self.findings.iter().map(|d| d.finding.severity).max()
    }
}

/// Asks all checks.
pub fn judge(result: &ForeignResult) -> Judgement {
    let (mut findings, mut checked, mut not_observable) = (Vec::new(), Vec::new(), Vec::new());
    for check in CHECKS {
        match (check.look)(result) {
            Answer::Looked(doubts) => {
                checked.push(check.name);
                findings.extend(doubts);
            }
            Answer::Blind(needs) => not_observable.push(NotObservable {
                check: check.name,
                needs,
            }),
        }
    }
    // By severity; within one they keep the order of the checks.
    findings.sort_by_key(|d: &Doubt| std::cmp::Reverse(d.finding.severity));
    Judgement {
        taken_for: result.format.name().to_string(),
        tool: result.tool.name(),
        version: result.version.clone(),
        sources: result.sources.clone(),
        runs: result.runs.len(),
        rows: result.runs.iter().map(|r| r.rows.len()).sum(),
        remarks: result.remarks.clone(),
        findings,
        checked,
        not_observable,
    }
}
