//! A result without what a licence may forbid to publish: shapes, shares, ratios, classes and the numbers of rules; no rate, no
//! time, no size, and nothing of what was measured.
//!
//! It is made by what may stay, never by what must go. [`Redacted`] holds nothing but [`Relative`]s, words of this program's own
//! (`&'static str`), truths and ordinals: a text or a figure of a record has no place in it, and a field that evidence gets later is
//! not in it until somebody puts it here. What shows it, shows nothing else.

mod of_array;
mod of_step;
mod of_verdict;
mod page;
mod relative;
mod words;

#[cfg(test)]
mod tests;

pub use page::page;
pub use relative::Relative;

use plimsoll_audit::RULES;
use plimsoll_evidence::{Finding, Quantity, Severity, StepEvidence, Verdict, gathered};
use plimsoll_record::{Record, RecordError, RunStatus};
use serde::{Serialize, Serializer};

/// Said on top of every form of it.
pub const ABOUT: &str = "Redacted: shapes, shares and ratios without absolute figures, names and configuration. 100 % of a rate is the \
highest rate of any step, 100 % of a response time the longest mean response time of any step.";

/// A result without absolute figures and configuration.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Redacted {
    /// The version of this form.
    pub format: u32,
    /// Sentence that says what this document is.
    pub about: &'static str,
    /// True where the run came to its end.
    pub whole: bool,
    /// True where it was measured on a model of an array, and not on storage.
    pub simulated: bool,
    /// Verdicts of the methods.
    pub verdicts: Vec<of_verdict::Concluded>,
    /// The measured steps, in their order.
    pub steps: Vec<of_step::Step>,
    /// Findings, of the whole run.
    pub findings: Vec<Found>,
}

/// Finding of a rule.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Found {
    /// The rule's number; `None` of a rule that this version does not know.
    pub rule: Option<Code>,
    /// Name of the rule.
    pub name: &'static str,
    /// Severity of the finding.
    pub severity: Severity,
    /// The step that it is about, by its place in the list of steps, from 1.
    pub step: Option<usize>,
    /// Values of the finding that are ratios.
    pub values: Vec<(&'static str, Relative)>,
}

/// A rule's number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Code(u16);

impl Code {
    /// `PL012`.
    pub fn words(self) -> String {
        format!("PL{:03}", self.0)
    }
}

impl Serialize for Code {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.words())
    }
}

/// Wholes that what was measured is given in.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wholes {
    /// The highest rate, I/Os per second.
    rate: f64,
    /// The longest mean response, ns.
    response_ns: f64,
}

impl Wholes {
    fn of(steps: &[&StepEvidence]) -> Self {
        let most = |of: fn(&StepEvidence) -> f64| {
            let known = steps.iter().map(|s| of(s)).filter(|n| n.is_finite());
            known.fold(0.0, f64::max)
        };
        Wholes {
            rate: most(|s| s.rate.mean),
            response_ns: most(|s| s.response_mean_ns.mean),
        }
    }
}

/// A record, redacted.
///
/// # Errors
/// Where the record cannot be read.
pub fn redacted(record: &Record) -> Result<Redacted, RecordError> {
    Ok(Redacted {
        whole: *record.status() == RunStatus::Completed,
        simulated: record.environment().simulated,
        ..of(&record.steps()?, &record.verdicts()?, &record.findings()?)
    })
}

/// Steps, what was concluded of them and what else was found, redacted.
pub fn of(steps: &[StepEvidence], verdicts: &[Verdict], findings: &[Finding]) -> Redacted {
    let measured: Vec<&StepEvidence> = steps.iter().filter(|s| !s.fill && s.host == 0).collect();
    let wholes = Wholes::of(&measured);
    let place = |number: u32| measured.iter().position(|s| s.number == number);
    let all = gathered(steps, verdicts, findings);
    Redacted {
        format: 1,
        about: ABOUT,
        whole: true,
        simulated: false,
        verdicts: verdicts
            .iter()
            .map(|v| of_verdict::concluded(v, &wholes))
            .collect(),
        steps: measured.iter().map(|s| of_step::step(s, &wholes)).collect(),
        findings: all
            .iter()
            .map(|f| found(f, f.step.and_then(place).map(|at| at + 1)))
            .collect(),
    }
}

fn found(finding: &Finding, step: Option<usize>) -> Found {
    let of_this =
        |rule: &&&plimsoll_audit::Rule| rule.name == finding.rule || rule.code() == finding.rule;
    let rule = RULES.iter().find(of_this);
    let values = finding.values.iter().filter_map(|value| {
        let (words, number) = match value.quantity {
            Quantity::Share(n) => (words::SHARES, n),
            Quantity::Number(n) => (words::RATIOS, n),
            _ => return None,
        };
        Some((words::known(words, &value.name)?, Relative::share(number)?))
    });
    Found {
        rule: rule.map(|r| Code(r.number)),
        name: rule.map_or("a rule of another version", |r| r.name),
        severity: finding.severity,
        step,
        // Those of a rule that is not known may be anything.
        values: match rule {
            Some(_) => values.collect(),
            None => Vec::new(),
        },
    }
}
