//! Findings as a compiler's: what is wrong, the lines that are to blame, and what to do.

use crate::{Audit, Audited};
use plimsoll_diagnostic::{Diagnostic, Severity as Level, Sources, Span, others_like, render};
use plimsoll_evidence::Severity;

/// Findings, each with the text under it, and a last line that counts them. What one rule finds in many jobs or runs is one finding, with the
/// number of the others and their lines.
pub fn text(audit: &Audit, sources: &Sources, color: bool) -> String {
    let each = groups(audit).into_iter();
    let mut parts: Vec<String> = each
        .map(|group| render(&diagnostic(&group, audit, sources), sources, color))
        .collect();
    parts.push(counted(audit));
    parts.join("\n\n")
}

/// Findings, those of one rule together.
fn groups(audit: &Audit) -> Vec<Vec<&Audited>> {
    let mut groups: Vec<Vec<&Audited>> = Vec::new();
    for found in &audit.findings {
        match groups.iter_mut().find(|g| alike(g[0], found)) {
            Some(group) => group.push(found),
            None => groups.push(vec![found]),
        }
    }
    groups
}

fn alike(a: &Audited, b: &Audited) -> bool {
    a.title() == b.title() && a.finding.severity == b.finding.severity
}

fn diagnostic(group: &[&Audited], audit: &Audit, sources: &Sources) -> Diagnostic {
    let found = group[0];
    let finding = &found.finding;
    let (level, word) = match finding.severity {
        Severity::Invalid => (Level::Error, "invalid"),
        Severity::Suspect => (Level::Warning, "suspect"),
        Severity::Note => (Level::Note, "a note"),
    };
    let mut diagnostic = Diagnostic::error(found.title(), &finding.message);
    diagnostic.severity = level;
    if let Some(span) = found.span {
        diagnostic = diagnostic.at(span, "");
    }
    if !finding.remedy.is_empty() {
        diagnostic = diagnostic.help(&finding.remedy);
    }
    let about = found.rule.map_or(String::new(), |rule| {
        format!("; `plimsoll explain {}` says why", rule.code())
    });
    let spans: Vec<Option<Span>> = group.iter().map(|found| found.span).collect();
    if let Some(others) = others_like(&spans, sources) {
        diagnostic = diagnostic.note(others);
    }
    diagnostic.note(format!("{word} for the claim `{}`{about}", audit.claim))
}

/// `2 invalid, 1 suspect, 3 notes for the claim sustained; 20 rules looked and found nothing`; what a rule finds many times counts once.
pub fn counted(audit: &Audit) -> String {
    let clean = audit.clean.len();
    let looked = format!(
        "{clean} rule{} looked and found nothing",
        if clean == 1 { "" } else { "s" }
    );
    let groups = groups(audit);
    let of = |severity| {
        groups
            .iter()
            .filter(|g| g[0].finding.severity == severity)
            .count()
    };
    let notes = of(Severity::Note);
    let counts = [
        (of(Severity::Invalid), "invalid"),
        (of(Severity::Suspect), "suspect"),
        (notes, if notes == 1 { "note" } else { "notes" }),
    ];
    let said: Vec<String> = counts
        .into_iter()
        .filter(|(n, _)| *n > 0)
        .map(|(n, what)| format!("{n} {what}"))
        .collect();
    match said.is_empty() {
        true => format!("nothing found for the claim {}; {looked}", audit.claim),
        false => format!(
            "{} for the claim {}; {looked}",
            said.join(", "),
            audit.claim
        ),
    }
}
