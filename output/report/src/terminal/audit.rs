//! What the rules say of a run: the worst first, two lines each; of a clean one what was checked and what could not be.

use super::style::{Paint, Style};
use plimsoll_audit::format::FilePlace;
use plimsoll_audit::{Audit, Audited};
use plimsoll_evidence::Severity;
use plimsoll_printable::Printable;
use std::path::Path;

/// More rules than this are only counted.
const SHOWN: usize = 8;
/// Places that are named of a finding.
const PLACES: usize = 4;
/// Notes that say what the result is of, and are never only named: few I/Os in flight measure the depth.
const TELLING: [u16; 1] = [33];
/// Column where the words behind a severity begin.
const INDENT: usize = 9;

/// The block at the end of a run.
pub fn audit(audit: &Audit, record: Option<&Path>, style: &Style) -> String {
    let doubts = by_rule(audit, |severity| severity > Severity::Note);
    let notes = by_rule(audit, |severity| severity == Severity::Note);
    let mut lines = Vec::new();
    let (telling, notes): (Vec<_>, Vec<_>) = notes
        .into_iter()
        .partition(|group| group[0].rule.is_some_and(|r| TELLING.contains(&r.number)));
    if doubts.is_empty() {
        lines.extend(clean_bill(audit, style));
    } else {
        lines.push(style.paint(Paint::Heading, &headline(audit)));
        lines.extend(
            doubts
                .iter()
                .take(SHOWN)
                .map(|group| two_lines(group, style)),
        );
    }
    // Of a clean run they stand behind the headline, else behind what is worse.
    let at = if doubts.is_empty() { 1 } else { lines.len() };
    let telling = telling.iter().map(|group| two_lines(group, style));
    lines.splice(at..at, telling);
    let more = doubts.len().saturating_sub(SHOWN);
    if more > 0 || !notes.is_empty() {
        let named: Vec<String> = notes.iter().map(|g| g[0].title()).collect();
        let mut parts = Vec::new();
        if more > 0 {
            parts.push(format!("{more} more"));
        }
        if !named.is_empty() {
            parts.push(format!("notes: {}", named.join(", ")));
        }
        let where_ = match record {
            Some(path) => format!(
                " (plimsoll audit {})",
                Printable(&path.display().to_string())
            ),
            None => " (plimsoll explain)".to_string(),
        };
        lines.push(style.sentence(0, &format!("{}{where_}", parts.join("; "))));
    }
    style.characters(lines.join("\n"))
}

/// All findings, and the clean bill in any case.
pub fn audit_in_full(audit: &Audit, style: &Style) -> String {
    let all = by_rule(audit, |_| true);
    let mut lines: Vec<String> = all.iter().map(|group| two_lines(group, style)).collect();
    lines.extend(clean_bill(audit, style));
    lines.extend(audit.limits.iter().map(|of| {
        let line = format!("{}: {}", Printable(&of.name), Printable(&of.limit.sentence));
        style.sentence(0, &line)
    }));
    style.characters(lines.join("\n"))
}

/// Findings of such severities, those of steps, or of a method's cells, by one rule together, in their order.
fn by_rule(audit: &Audit, wanted: impl Fn(Severity) -> bool) -> Vec<Vec<&Audited>> {
    let mut groups: Vec<Vec<&Audited>> = Vec::new();
    for found in audit.findings.iter().filter(|f| wanted(f.finding.severity)) {
        let alike = |g: &&mut Vec<&Audited>| {
            g[0].title() == found.title()
                && g[0].finding.severity == found.finding.severity
                && (found.finding.step.is_some() || found.made)
        };
        match groups.iter_mut().find(alike) {
            Some(group) => group.push(found),
            None => groups.push(vec![found]),
        }
    }
    groups
}

fn headline(audit: &Audit) -> String {
    let counts = [
        (Severity::Invalid, "invalid"),
        (Severity::Suspect, "suspect"),
    ];
    let said: Vec<String> = counts
        .into_iter()
        .map(|(severity, word)| (by_rule(audit, |s| s == severity).len(), word))
        .filter(|(n, _)| *n > 0)
        .map(|(n, word)| format!("{n} {word}"))
        .collect();
    format!("audit for the claim {}: {}", audit.claim, said.join(", "))
}

/// A severity's word in its colour, and the room up to the words behind it.
fn severity(found: &Audited, style: &Style) -> String {
    let (word, paint) = match found.finding.severity {
        Severity::Invalid => ("invalid", Paint::Bad),
        Severity::Suspect => ("suspect", Paint::Warn),
        Severity::Note => ("note", Paint::Dim),
    };
    let pad = " ".repeat(INDENT - word.len());
    format!("{}{pad}", style.paint(paint, word))
}

/// Lines on what was seen, and what to do about it.
fn two_lines(group: &[&Audited], style: &Style) -> String {
    let found = group[0];
    let finding = &found.finding;
    let more = match group.len() {
        1 => String::new(),
        n => format!(" And {} more like it.", n - 1),
    };
    let first = format!(
        "{}{}{}: {}{more}",
        found.title(),
        Printable(&found.in_step()),
        Printable(&at(found)),
        Printable(&finding.message)
    );
    let explain = found.rule.map_or(String::new(), |rule| {
        format!("plimsoll explain {}", rule.code())
    });
    // What the judge and the methods say has its remedy in it.
    let second = match found.made {
        true => explain,
        false => format!("{} ({explain})", finding.remedy),
    };
    format!(
        "{}{}\n{}{}",
        severity(found, style),
        style.sentence(INDENT, &first),
        " ".repeat(INDENT),
        style.sentence(INDENT, &second)
    )
}

/// Place in a result of another tool: ` (fio.json:12, :40 and 3 more)`.
fn at(found: &Audited) -> String {
    let Some(first) = found.places.first() else {
        return String::new();
    };
    let of = |place: &FilePlace| match place.file == first.file {
        true => format!(":{}", place.line),
        false => format!("{}:{}", place.file, place.line),
    };
    let named: Vec<String> = found.places.iter().take(PLACES).map(of).collect();
    let more = match found.places.len().saturating_sub(PLACES) {
        0 => String::new(),
        n => format!(" and {n} more"),
    };
    format!(" ({}{}{more})", first.file, named.join(", "))
}

/// Lines on what was checked, and what could not be: two.
fn clean_bill(audit: &Audit, style: &Style) -> Vec<String> {
    let looked = audit.clean.len();
    let (verb, other) = match audit.worst() {
        Some(Severity::Invalid) => ("invalid", "other "),
        Some(Severity::Suspect) => ("suspect", "other "),
        _ => ("clean", ""),
    };
    if looked == 0 {
        let nothing = match audit.findings.is_empty() {
            true => "no rule had anything to look at, which is no clean bill",
            false => "no other rule had anything to look at",
        };
        let nothing = format!("audit for the claim {}: {nothing}.", audit.claim);
        return vec![style.sentence(0, &nothing)];
    }
    let first = format!(
        "audit for the claim {}: {verb}; {looked} {other}rules looked and found nothing that makes this result false.",
        audit.claim
    );
    let mut missing: Vec<&str> = audit.not_observable.iter().map(|(_, what)| *what).collect();
    missing.sort_unstable();
    missing.dedup();
    let second = match missing.is_empty() {
        true => "They could see all that they look for.".to_string(),
        false => format!(
            "not observable here, and so neither good nor bad: {} ({} rules).",
            missing.join("; "),
            audit.not_observable.len()
        ),
    };
    vec![style.sentence(0, &first), style.sentence(0, &second)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use plimsoll_evidence::Finding;

    fn found(rule: &str, severity: Severity, step: u32) -> Audited {
        let rule = plimsoll_audit::find(rule).expect("a rule");
        Audited {
            rule: Some(rule),
            finding: Finding {
                rule: rule.code(),
                severity,
                step: Some(step),
                values: vec![],
                message: format!("Seen in {step}."),
                remedy: rule.page.remedy.into(),
            },
            span: None,
            places: Vec::new(),
            made: false,
            step_name: None,
        }
    }

    #[test]
    fn the_worst_comes_first_in_two_lines_and_steps_of_one_rule_come_together() {
        let of = Audit {
            findings: vec![
                found("zero-content", Severity::Invalid, 1),
                found("hot-slice", Severity::Suspect, 1),
                found("hot-slice", Severity::Suspect, 2),
                found("no-warm-up", Severity::Note, 1),
            ],
            ..Audit::default()
        };
        let text = audit(&of, Some(Path::new("a.plim")), &Style::plain(200));
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(
            lines[0],
            "audit for the claim sustained: 1 invalid, 1 suspect"
        );
        assert_eq!(lines[1], "invalid  PL012 zero-content: Seen in 1.");
        assert!(lines[2].ends_with("(plimsoll explain PL012)"), "{text}");
        assert_eq!(
            lines[3],
            "suspect  PL016 hot-slice: Seen in 1. And 1 more like it."
        );
        assert_eq!(lines[5], "notes: PL031 no-warm-up (plimsoll audit a.plim)");
        assert_eq!(lines.len(), 6);
    }

    #[test]
    fn a_clean_bill_says_what_was_checked_and_what_was_out_of_sight() {
        let rule = plimsoll_audit::find("hot-core").expect("a rule");
        let of = Audit {
            clean: vec![plimsoll_audit::find("zero-content").expect("a rule")],
            not_observable: vec![(rule, "the array's own counters")],
            ..Audit::default()
        };
        let text = audit(&of, None, &Style::plain(200));
        assert_eq!(text.lines().count(), 2, "{text}");
        assert!(
            text.contains("clean; 1 rules") && text.contains("the array's own counters"),
            "{text}"
        );
        let alone = Audit {
            findings: vec![found("zero-content", Severity::Suspect, 1)],
            ..Audit::default()
        };
        let text = audit_in_full(&alone, &Style::plain(200));
        assert!(text.contains("no other rule had anything"), "{text}");
    }
}
