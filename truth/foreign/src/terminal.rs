//! What a result was taken for, in words, for a terminal. Names come from the input and are escaped.

use crate::judge::Judgement;
use crate::model::{InputPlace, Tool};
use plimsoll_evidence::wording::plural;
use plimsoll_printable::printable;

/// Remarks that are shown.
const MOST_REMARKS: usize = 10;

/// Lines that stand above what the rules say: what the result was taken for, and what its reader met, a line each.
pub fn about(judgement: &Judgement) -> Vec<String> {
    let mut all = vec![heading(judgement)];
    for remark in judgement.remarks.iter().take(MOST_REMARKS) {
        // Lines count from 1: what has none is of all of it.
        let at = match judgement.tool == Tool::Claim.name() || remark.at.line == 0 {
            true => String::new(),
            false => place(judgement, &remark.at) + ": ",
        };
        all.push(format!("{at}{}", printable(&remark.text)));
    }
    let more = judgement.remarks.len().saturating_sub(MOST_REMARKS);
    if more > 0 {
        all.push(format!("and {more} more of these"));
    }
    all
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
    if judgement.tool == Tool::Claim.name() {
        return plural(judgement.runs, "claim") + ", judged by arithmetic alone:";
    }
    format!(
        "{}: taken for {}{version}, {} with {} of figures.",
        printable(source),
        judgement.taken_for,
        plural(judgement.runs, "run"),
        plural(judgement.rows, "line"),
    )
}

fn place(judgement: &Judgement, at: &InputPlace) -> String {
    let source = judgement.sources.get(at.source).map_or("", String::as_str);
    format!("{}:{}", printable(source), at.line)
}
