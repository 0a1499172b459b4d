//! What the doctor says, as lines for a terminal.

use crate::checkup::Checkup;
use plimsoll_evidence::Severity;

/// One line, not wrapped yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// So many blanks before it.
    pub indent: usize,
    /// Text of the line.
    pub text: String,
}

/// Two or three lines for each finding, the worst first, and at last what was checked and what could not be seen.
pub fn lines(checkup: &Checkup) -> Vec<Line> {
    let mut out = Vec::new();
    let mut say = |indent, text: String| out.push(Line { indent, text });
    for finding in &checkup.findings {
        say(0, finding.title());
        say(2, first_sentence(finding.why).to_string());
        say(
            2,
            format!(
                "{}   ({})",
                finding.command,
                finding.source.trim_end_matches('.')
            )
            .trim_start()
            .to_string(),
        );
    }
    if !checkup.findings.is_empty() {
        say(0, String::new());
    }
    let count = |s: Severity| checkup.findings.iter().filter(|f| f.severity == s).count();
    let devices = match checkup.devices.as_slice() {
        [] => "no disks".to_string(),
        some => some.join(", "),
    };
    say(
        0,
        format!(
            "Checked {devices}: {} invalid, {} suspect, {} notes; {} checks are sound, {} have nothing to look at.",
            count(Severity::Invalid),
            count(Severity::Suspect),
            count(Severity::Note),
            checkup.healthy.len(),
            checkup.not_applicable.len(),
        ),
    );
    say(0, unseen(checkup));
    out
}

fn unseen(checkup: &Checkup) -> String {
    if checkup.not_observable.is_empty() {
        return "Everything that was to be looked at could be seen.".to_string();
    }
    let each = checkup.not_observable.iter().map(|u| {
        let more = match u.lacks.len() {
            0 | 1 => String::new(),
            n => format!(" and {} more", n - 1),
        };
        let first = u.lacks.first().map_or("", String::as_str);
        format!("{} ({first}{more})", u.name)
    });
    let each: Vec<String> = each.collect();
    format!("Not observable, which is not healthy: {}.", each.join("; "))
}

fn first_sentence(text: &str) -> &str {
    text.find(". ").map_or(text, |end| &text[..=end])
}
