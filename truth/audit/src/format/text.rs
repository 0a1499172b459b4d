//! Findings as a compiler's: what is wrong, the lines that are to blame, and what to do.

use crate::{Audit, Audited};
use plimsoll_diagnostic::{Diagnostic, Severity as Level, Sources, render};
use plimsoll_evidence::Severity;

/// Findings, each with the text under it, and a last line that counts them. What one rule finds in many jobs or runs is one finding, with the
/// number of the others and their lines.
pub fn text(audit: &Audit, sources: &Sources, color: bool) -> String {
    let mut groups: Vec<Vec<&Audited>> = Vec::new();
    for found in &audit.findings {
        match groups.iter_mut().find(|g| alike(g[0], found)) {
            Some(group) => group.push(found),
            None => groups.push(vec![found]),
        }
    }
    let each = groups.iter();
    let mut parts: Vec<String> = each
        .map(|group| render(&diagnostic(group, audit, sources), sources, color))
        .collect();
    parts.push(counted(audit));
    parts.join("\n\n")
}

fn alike(a: &Audited, b: &Audited) -> bool {
    a.title() == b.title() && a.finding.severity == b.finding.severity
}

/// Lines that are named of the others.
const LINES: usize = 8;

/// `and 11 more like it, in lines 3, 5 and 9`.
fn others(group: &[&Audited], sources: &Sources) -> Option<String> {
    let count = group.len().checked_sub(2)? + 1;
    let mut lines: Vec<u32> = group
        .iter()
        .filter_map(|found| {
            let span = found.span?;
            Some(sources.line_column(span.file, span.start).0)
        })
        .collect();
    lines.sort_unstable();
    lines.dedup();
    let named: Vec<String> = lines.iter().take(LINES).map(u32::to_string).collect();
    let more = if lines.len() > LINES {
        " and others"
    } else {
        ""
    };
    let place = match lines.len() {
        0 | 1 => String::new(),
        _ => format!("; all of them in lines {}{more}", named.join(", ")),
    };
    Some(format!("and {count} more like it{place}"))
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
    if let Some(others) = others(group, sources) {
        diagnostic = diagnostic.note(others);
    }
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
