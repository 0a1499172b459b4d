//! Findings as a compiler's: what is wrong, the lines that are to blame, and what to do.

use crate::{Audit, Audited};
use plimsoll_diagnostic::{Diagnostic, Severity as Level, Sources, render};
use plimsoll_evidence::Severity;

/// All findings, each with the text under it, and a last line that counts them.
pub fn text(audit: &Audit, sources: &Sources, color: bool) -> String {
    let each = audit.findings.iter();
    let mut parts: Vec<String> = each
        .map(|found| render(&diagnostic(found, audit), sources, color))
        .collect();
    parts.push(counted(audit));
    parts.join("\n\n")
}

fn diagnostic(found: &Audited, audit: &Audit) -> Diagnostic {
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
    diagnostic.note(format!("{word} for the claim `{}`{about}", audit.claim))
}

/// `2 invalid, 1 suspect, 3 notes for the claim sustained; 20 rules looked and found nothing`.
pub fn counted(audit: &Audit) -> String {
    let clean = audit.clean.len();
    let looked = format!(
        "{clean} rule{} looked and found nothing",
        if clean == 1 { "" } else { "s" }
    );
    let notes = audit.count(Severity::Note);
    let counts = [
        (audit.count(Severity::Invalid), "invalid"),
        (audit.count(Severity::Suspect), "suspect"),
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
