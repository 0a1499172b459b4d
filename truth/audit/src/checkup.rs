//! A host's checkup: what the doctor's rules say of it, put together.

use crate::page::word;
use crate::{Check, HostAnswer, HostView, RULES, Rule, Symptom};
use plimsoll_evidence::Severity;
use plimsoll_plan::Claim;
use serde::Serialize;
use std::collections::{HashMap, HashSet};

/// Diagnosis of one thing, or of several that have the same.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Diagnosis {
    /// The rule's number: `PL600`.
    pub rule: String,
    /// Name of the rule.
    pub name: &'static str,
    /// Severity of the finding.
    pub severity: Severity,
    /// Subjects that have it; empty where it is the host's.
    pub subjects: Vec<String>,
    /// The value seen.
    pub seen: String,
    /// The value wanted.
    pub wanted: String,
    /// Reason why it matters.
    pub why: &'static str,
    /// Command that mends it.
    pub command: String,
    /// Source of the wanted value.
    pub source: &'static str,
}

/// Rule that could not look at something.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Unseen {
    /// The rule's number.
    pub rule: String,
    /// Name of the rule.
    pub name: &'static str,
    /// The files and commands that told nothing.
    pub lacks: Vec<String>,
}

/// Checkup of a host: all that the doctor says of it.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Checkup {
    /// Findings, the worst first; of equals in the order of the rules.
    pub findings: Vec<Diagnosis>,
    /// The devices that were asked about.
    pub devices: Vec<String>,
    /// Rules that looked, and found nothing.
    pub healthy: Vec<&'static str>,
    /// Rules that had nothing to look at here.
    pub not_applicable: Vec<&'static str>,
    /// Rules that could not look at something. It is never taken for health.
    pub not_observable: Vec<Unseen>,
}

impl Checkup {
    /// The worst that was found.
    pub fn worst(&self) -> Option<Severity> {
        self.findings.iter().map(|f| f.severity).max()
    }

    /// Takes what one rule says.
    fn take(&mut self, rule: &'static Rule, answer: HostAnswer) {
        let nothing = answer.symptoms.is_empty();
        match (nothing, answer.looked, answer.unseen.is_empty()) {
            (true, 0, true) => self.not_applicable.push(rule.name),
            (true, 1.., true) => self.healthy.push(rule.name),
            _ => {}
        }
        if !answer.unseen.is_empty() {
            self.not_observable.push(Unseen {
                rule: rule.code(),
                name: rule.name,
                lacks: answer.unseen,
            });
        }
        // In the order in which each was first seen.
        let mut places: HashMap<(String, String, String, Severity), usize> = HashMap::new();
        let mut groups: Vec<(Symptom, Vec<String>)> = Vec::new();
        for symptom in answer.symptoms {
            let subject = symptom.subject.clone();
            let s = symptom.clone();
            let at = *places
                .entry((s.seen, s.wanted, s.command, s.at_most))
                .or_insert(groups.len());
            match groups.get_mut(at) {
                Some((_, subjects)) => subjects.push(subject),
                None => groups.push((symptom, vec![subject])),
            }
        }
        for (_, subjects) in &mut groups {
            let mut seen = HashSet::new();
            subjects.retain(|s| seen.insert(s.clone()));
        }
        self.findings
            .extend(groups.into_iter().map(|g| diagnosis(rule, g)));
    }
}

fn diagnosis(rule: &Rule, (symptom, mut subjects): (Symptom, Vec<String>)) -> Diagnosis {
    subjects.retain(|s| !s.is_empty());
    let most = rule
        .severity
        .for_claim(Claim::Device)
        .unwrap_or(Severity::Note);
    Diagnosis {
        rule: rule.code(),
        name: rule.name,
        severity: most.min(symptom.at_most),
        command: command(&symptom.command, &subjects),
        subjects,
        seen: symptom.seen,
        wanted: symptom.wanted,
        why: rule.page.why,
        source: rule.page.source,
    }
}

/// The command for these devices: one is named in it, and of several each in a loop.
fn command(template: &str, subjects: &[String]) -> String {
    // A name comes from the host, or from a file that somebody sent: what a shell could take for more is not put into a command.
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_.!:".contains(c);
    let named = subjects
        .iter()
        .all(|s| !s.is_empty() && s.chars().all(plain));
    match subjects {
        _ if !template.contains("DISK") || !named => template.to_string(),
        [] => template.to_string(),
        [one] => template.replace("DISK", one),
        several => {
            let body = template.replace("DISK", "$d");
            format!("for d in {}; do {body}; done", several.join(" "))
        }
    }
}

/// Asks every rule that looks at a host.
pub fn examine(view: &HostView<'_>) -> Checkup {
    let mut checkup = Checkup {
        devices: view.devices.clone(),
        ..Checkup::default()
    };
    for rule in RULES.iter() {
        if let Check::Host(check) = rule.check {
            checkup.take(rule, check(view));
        }
    }
    checkup
        .findings
        .sort_by_key(|f| std::cmp::Reverse(f.severity));
    checkup
}

impl Diagnosis {
    /// `suspect PL600 host-scheduler: vda: mq-deadline; wanted: none`.
    pub fn title(&self) -> String {
        let of = match self.subjects.is_empty() {
            true => String::new(),
            false => format!("{}: ", self.subjects.join(", ")),
        };
        let severity = word(self.severity);
        format!(
            "{severity} {} {}: {of}{}; wanted: {}",
            self.rule, self.name, self.seen, self.wanted
        )
    }
}
