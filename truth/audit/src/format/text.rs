//! Findings as a compiler's: what is wrong, the lines that are to blame, and what to do.

use crate::{Audit, Audited};
use plimsoll_diagnostic::{Diagnostic, Severity as Level, Sources, render};
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

/// Lines that are named of the others.
const LINES: usize = 8;

/// `and 11 more like it, in lines 3, 5 and 9`: the lines of the others that are of the first one's file.
fn others(group: &[&Audited], sources: &Sources) -> Option<String> {
    let count = group.len().checked_sub(2)? + 1;
    let line = |found: &Audited| {
        let span = found.span?;
        Some((span.file, sources.line_column(span.file, span.start).0))
    };
    let Some((file, first)) = line(group[0]) else {
        return Some(format!("and {count} more like it"));
    };
    let others = || group[1..].iter().filter_map(|found| line(found));
    let mut lines: Vec<u32> = others()
        .filter(|(of, line)| *of == file && *line != first)
        .map(|(_, line)| line)
        .collect();
    lines.sort_unstable();
    lines.dedup();
    let mut named: Vec<String> = lines.iter().take(LINES).map(u32::to_string).collect();
    if lines.len() > LINES {
        named.push("others".to_string());
    }
    let elsewhere = others().any(|(of, _)| of != file);
    let place = match (in_words(&named), elsewhere) {
        (None, true) => ", in other files".to_string(),
        (None, false) => String::new(),
        (Some(lines), true) => format!(", in {lines} and in other files"),
        (Some(lines), false) => format!(", in {lines}"),
    };
    Some(format!("and {count} more like it{place}"))
}

/// `lines 3, 5 and 9`; none of no line.
fn in_words(lines: &[String]) -> Option<String> {
    let (last, before) = lines.split_last()?;
    Some(match before {
        [] => format!("line {last}"),
        _ => format!("lines {} and {last}", before.join(", ")),
    })
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

#[cfg(test)]
mod tests {
    use super::in_words;

    #[test]
    fn lines_are_listed_as_people_list_them() {
        let said =
            |lines: &[&str]| in_words(&lines.iter().map(|l| l.to_string()).collect::<Vec<_>>());
        assert_eq!(said(&[]), None);
        assert_eq!(said(&["3"]).as_deref(), Some("line 3"));
        assert_eq!(said(&["3", "5", "9"]).as_deref(), Some("lines 3, 5 and 9"));
    }
}
