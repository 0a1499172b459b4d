//! What a result was taken for, in words, for a terminal. Names come from the input and are escaped.

use crate::judge::Judgement;
use crate::model::{ForeignResult, InputPlace, Row, Run, Tool};
use plimsoll_evidence::wording::plural;
use plimsoll_printable::{human, printable};

/// Remarks that are shown.
const MOST_REMARKS: usize = 10;

/// What stands above what the rules say: what the result was taken for, and what its reader met, a line each.
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

/// What was measured, or is claimed, in a sentence without its full stop: of several runs between which rates.
pub fn measured(result: &ForeignResult) -> String {
    let told: Vec<(&Run, &Row, f64)> = result
        .runs
        .iter()
        .filter_map(|run| Some((run, run.whole()?, run.whole()?.iops()?)))
        .collect();
    let verb = match result.tool {
        Tool::Claim => "It is claimed that there were".to_string(),
        tool => format!("{} measured", tool.name()),
    };
    let rates = told.iter().map(|(.., rate)| *rate);
    let ends = rates.clone().reduce(f64::min).zip(rates.reduce(f64::max));
    match (&told[..], ends) {
        ([(run, row, rate)], _) => format!("{verb} {}", of_run(run, row, *rate)),
        (many, Some((least, most))) => format!(
            "{verb} {}, from {} to {} I/Os per second",
            plural(many.len(), "run"),
            human::rate(least),
            human::rate(most)
        ),
        (_, None) => format!(
            "{verb} {} without a rate of it all",
            plural(result.runs.len(), "run")
        ),
    }
}

/// `41,023 reads per second of 4.00 KiB, at a mean of 389us, for 6s`.
fn of_run(run: &Run, row: &Row, rate: f64) -> String {
    let what = match run.mix() {
        Some(1.0) => "reads",
        Some(0.0) => "writes",
        _ => "I/Os",
    };
    let size = run.asked.block.filter(|(least, most)| least == most);
    let size = size.map_or(String::new(), |(size, _)| {
        format!(" of {}", human::bytes(size.0))
    });
    let mean = row.mean_ns().map_or(String::new(), |ns| {
        format!(", at a mean of {}", human::time_in_text(ns))
    });
    let time = run.counted_s().map_or(String::new(), |s| {
        format!(", for {}", human::time_in_text(s * 1e9))
    });
    format!("{} {what} per second{size}{mean}{time}", human::rate(rate))
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
