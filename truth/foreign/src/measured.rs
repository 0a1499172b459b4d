//! What a result measured, in a sentence.

use crate::model::{ForeignResult, Row, Run, Tool};
use plimsoll_evidence::wording::plural;
use plimsoll_printable::human;

/// Measurement or claim, in a sentence without its full stop: of several runs between which rates.
pub(crate) fn measured(result: &ForeignResult) -> String {
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
        (many, Some((least, most))) if human::rate(least) == human::rate(most) => format!(
            "{verb} {} of {} I/Os per second each",
            plural(many.len(), "run"),
            human::rate(least)
        ),
        (many, Some((least, most))) => format!(
            "{verb} {}, from {} to {} I/Os per second",
            plural(many.len(), "run"),
            human::rate(least),
            human::rate(most)
        ),
        (_, None) if result.tool == Tool::Claim => {
            let bytes = result.runs.iter().find_map(|run| run.whole()?.bandwidth);
            let bytes = bytes.map_or_else(String::new, |b| human::bytes(b.0));
            format!("It is claimed that {bytes} were moved each second")
        }
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
    // Of a write that waits for its sync, the write alone is the page cache's time.
    let syncs = row.syncs.mean.map_or(String::new(), |mean| {
        let time = human::time_in_text(mean.0 as f64);
        format!(", and {time} for each sync")
    });
    let time = run.counted_s().map_or(String::new(), |s| {
        format!(", for {}", human::time_in_text(s * 1e9))
    });
    format!(
        "{} {what} per second{size}{mean}{syncs}{time}",
        human::rate(rate)
    )
}
