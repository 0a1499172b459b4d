//! A judgement in words, for a terminal. Names come from the input and are escaped.

use crate::checks::Doubt;
use crate::judge::{Judgement, NEVER_OBSERVABLE};
use crate::model::Place;
use plimsoll_evidence::Severity;
use plimsoll_evidence::wording::plural;
use plimsoll_printable::printable;
use std::fmt::Write;

/// Places that are named of a finding.
const MOST_PLACES: usize = 4;

/// A paragraph: how far its first line and the others are indented, and its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Paragraph {
    /// Blanks before each line.
    pub indent: usize,
    /// One sentence or more, without line breaks.
    pub text: String,
}

/// All that is said of a result, paragraph by paragraph; whoever prints it wraps them.
pub fn paragraphs(judgement: &Judgement) -> Vec<Paragraph> {
    let mut all = vec![line(0, heading(judgement))];
    for remark in judgement.remarks.iter().take(10) {
        let at = place(judgement, &remark.at);
        all.push(line(2, format!("{at}: {}", printable(&remark.text))));
    }
    let more = judgement.remarks.len().saturating_sub(10);
    if more > 0 {
        all.push(line(2, format!("and {more} more of these")));
    }
    for doubt in &judgement.findings {
        all.push(line(0, String::new()));
        of_doubt(judgement, doubt, &mut all);
    }
    all.push(line(0, String::new()));
    all.push(line(0, ending(judgement)));
    all
}

fn line(indent: usize, text: String) -> Paragraph {
    Paragraph { indent, text }
}

fn heading(judgement: &Judgement) -> String {
    let first = judgement.sources.first().map_or("", String::as_str);
    // Several are the pages of one folder.
    let source = match judgement.sources.len() {
        0 | 1 => first,
        _ => first.rsplit_once('/').map_or(".", |(folder, _)| folder),
    };
    let version = match &judgement.version {
        Some(version) => format!(" {}", printable(version)),
        None => String::new(),
    };
    format!(
        "{}: taken for {}{version}, {} with {} of figures.",
        printable(source),
        judgement.taken_for,
        plural(judgement.runs, "run"),
        plural(judgement.rows, "line"),
    )
}

fn of_doubt(judgement: &Judgement, doubt: &Doubt, all: &mut Vec<Paragraph>) {
    let severity = match doubt.finding.severity {
        Severity::Invalid => "invalid",
        Severity::Suspect => "suspect",
        Severity::Note => "note",
    };
    let mut places = String::new();
    for at in doubt.places.iter().take(MOST_PLACES) {
        let _ = write!(places, "  {}", place(judgement, at));
    }
    if doubt.places.len() > MOST_PLACES {
        let _ = write!(places, "  and {} more", doubt.places.len() - MOST_PLACES);
    }
    all.push(line(0, format!("{severity}: {}{places}", doubt.about.id)));
    all.push(line(2, printable(&doubt.finding.message).into_owned()));
    all.push(line(
        2,
        format!("Rule: {} ({}).", doubt.about.threshold, doubt.about.source),
    ));
    all.push(line(2, format!("Do: {}", doubt.about.remedy)));
}

fn place(judgement: &Judgement, at: &Place) -> String {
    let source = judgement.sources.get(at.source).map_or("", String::as_str);
    format!("{}:{}", printable(source), at.line)
}

fn ending(judgement: &Judgement) -> String {
    let count = |severity| {
        judgement
            .findings
            .iter()
            .filter(|d| d.finding.severity == severity)
            .count()
    };
    let said = match judgement.worst() {
        Some(Severity::Invalid) => format!(
            "Invalid: {} that cannot stand, {} suspect.",
            plural(count(Severity::Invalid), "finding"),
            count(Severity::Suspect)
        ),
        Some(Severity::Suspect) => {
            format!("Suspect: {}.", plural(count(Severity::Suspect), "finding"))
        }
        Some(Severity::Note) | None => {
            "Nothing that could be looked at speaks against these numbers.".to_string()
        }
    };
    let blind = judgement
        .not_observable
        .iter()
        .map(|n| format!("{} ({})", n.check, n.needs));
    let mut blind: Vec<String> = blind.collect();
    blind.push(NEVER_OBSERVABLE.to_string());
    format!(
        "{said} Checked: {}. Not observable here: {}.",
        judgement.checked.join("; "),
        blind.join("; ")
    )
}
