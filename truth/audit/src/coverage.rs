//! How often each rule spoke over answers that are known: found something, looked and found nothing, or could not look.

use crate::{Audit, RULES, Rule};
use std::collections::BTreeMap;

/// Counts of one rule's answers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
pub struct AnswerCounts {
    /// Times that the rule found something.
    pub fired: u32,
    /// Times that it looked and found nothing.
    pub clean: u32,
    /// Times that it lacked what it would look at.
    pub unseen: u32,
}

/// Counts of all rules' answers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Coverage(BTreeMap<u16, AnswerCounts>);

impl Coverage {
    /// Counts what an audit says.
    pub fn add(&mut self, audit: &Audit) {
        for rule in RULES.iter() {
            let is = |other: &Rule| other.number == rule.number;
            let fired = audit.findings.iter().any(|f| f.rule.is_some_and(is));
            let clean = audit.clean.iter().any(|other| is(other));
            let unseen = audit.not_observable.iter().any(|(other, _)| is(other));
            self.count(rule, fired, clean, unseen);
        }
    }

    /// Counts one answer.
    pub fn count(&mut self, rule: &Rule, fired: bool, clean: bool, unseen: bool) {
        let counts = self.0.entry(rule.number).or_default();
        counts.fired += u32::from(fired);
        counts.clean += u32::from(clean);
        counts.unseen += u32::from(unseen);
    }

    /// Counts of a rule.
    pub fn of(&self, rule: &Rule) -> AnswerCounts {
        self.0.get(&rule.number).copied().unwrap_or_default()
    }

    /// Lines of a file, one for each rule: its code, and the counts.
    pub fn text(&self) -> String {
        let line = |rule: &'static Rule| {
            let counts = self.of(rule);
            format!(
                "{}\t{}\t{}\t{}\n",
                rule.code(),
                counts.fired,
                counts.clean,
                counts.unseen
            )
        };
        RULES.iter().map(|rule| line(rule)).collect()
    }

    /// The counts of such lines; what is none of them is passed over.
    pub fn parse(text: &str) -> Coverage {
        let line = |line: &str| {
            let (code, counts) = line.split_once('\t')?;
            let rule = RULES.iter().find(|rule| rule.code() == code)?;
            let counts: Option<Vec<u32>> = counts.split('\t').map(|n| n.parse().ok()).collect();
            let [fired, clean, unseen] = counts?[..] else {
                return None;
            };
            let counts = AnswerCounts {
                fired,
                clean,
                unseen,
            };
            Some((rule.number, counts))
        };
        Coverage(text.lines().filter_map(line).collect())
    }
}
