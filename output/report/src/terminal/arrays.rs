//! What the arrays below the targets told of themselves: a line for each step and array.

use super::style::Style;
use super::table::{Column, Table};
use crate::human::{self, percent};
use plimsoll_evidence::array::shares;
use plimsoll_evidence::{ArrayEvidence, Bucket, FilerUse, JournalUse, StepEvidence};
use plimsoll_printable::Printable;

/// The busiest is named where it is this many times the mean.
const UNEVEN: f64 = 1.5;
/// A part with less than this share of all goes unsaid.
const SMALL: f64 = 0.005;
/// Less of the counted time than this is said.
const MOST: f64 = 0.8;

/// The table; empty where no array told anything. What is nothing to any step has no column.
pub(super) fn arrays(steps: &[&StepEvidence], style: &Style) -> String {
    let lines: Vec<(&StepEvidence, &ArrayEvidence)> = steps
        .iter()
        .flat_map(|s| s.arrays.iter().map(move |a| (*s, a)))
        .collect();
    let Some((_, first)) = lines.first() else {
        return String::new();
    };
    let one = lines.iter().all(|(_, a)| a.name == first.name);
    let mut table = Table::new(vec![
        Column::text("step"),
        Column::text("array"),
        Column::text("seen for"),
        Column::number("in the array").droppable(6),
        Column::number("busiest core"),
        Column::number("mean core").droppable(1),
        Column::number("largest owner").droppable(2),
        Column::number("largest by content").droppable(10),
        Column::number("port").droppable(7),
        Column::text("media").droppable(8),
        Column::text("reads from").droppable(3),
        Column::text("writes to").droppable(4),
        Column::number("back-end").droppable(5),
        Column::text("journal").droppable(9),
        Column::number("write amp."),
        Column::text("filer"),
    ]);
    for (step, array) in &lines {
        let name = if one { String::new() } else { titled(array) };
        table.row(cells(step, name, array), None);
    }
    let heading = match one {
        true => format!("the array {}:", Printable(&titled(first))),
        false => "the arrays:".into(),
    };
    format!("\n{heading}\n{}", table.render(style))
}

fn titled(array: &ArrayEvidence) -> String {
    match array.scale {
        Some(scale) if scale != 1.0 => format!("{} at 1/{scale}", array.name),
        _ => array.name.clone(),
    }
}

fn cells(step: &StepEvidence, name: String, array: &ArrayEvidence) -> Vec<String> {
    let known = |share: Option<f64>| share.map(percent).unwrap_or_default();
    let media: Vec<String> = array
        .media
        .iter()
        .filter(|m| m.utilisation >= SMALL)
        .map(|m| {
            let mean = format!("{} {}", m.kind, percent(m.utilisation));
            let busiest = m.busiest.filter(|most| *most > UNEVEN * m.utilisation);
            let busiest = busiest.map(|most| format!(", the busiest {}", percent(most)));
            let drives = m
                .drives
                .map(|d| format!(", the busiest of {} drives {}", d.count, percent(d.busiest)));
            mean + &busiest.unwrap_or_default() + &drives.unwrap_or_default()
        })
        .collect();
    vec![
        step.name.clone(),
        name,
        seen_for(step, array),
        array.mean_ns().map(human::time).unwrap_or_default(),
        known(array.busiest_core().map(|(_, core)| core.utilisation)),
        known(array.mean_core()),
        known(array.largest_owner().map(|(_, part)| part)),
        known(array.largest_by_content().map(|(_, part)| part)),
        known(array.busiest_port().filter(|share| *share >= SMALL)),
        media.join(", "),
        places(&array.read_source),
        places(&array.write_destination),
        array.back_end_ratio().map(back_end).unwrap_or_default(),
        array.journal.map(journal).unwrap_or_default(),
        array
            .write_amplification
            .map(|w| format!("{w:.2}"))
            .unwrap_or_default(),
        array.filer.map(filer).unwrap_or_default(),
    ]
}

/// For how long of the counted time it told, where that is not about all of it.
fn seen_for(step: &StepEvidence, array: &ArrayEvidence) -> String {
    match array.observed_s < MOST * step.counted_s {
        true => format!("{:.1} s of {:.1} s", array.observed_s, step.counted_s),
        false => String::new(),
    }
}

fn places(buckets: &[Bucket]) -> String {
    let all = shares(buckets);
    let reported = all.iter().filter(|(_, share)| *share >= SMALL);
    let words: Vec<String> = reported
        .map(|(place, share)| format!("{place} {}", percent(*share)))
        .collect();
    words.join(", ")
}

fn back_end(ratio: f64) -> String {
    format!("{ratio:.2} per I/O")
}

/// Who answered, how busy its threads were, and what calls waited for most.
fn filer(f: FilerUse) -> String {
    let share = f.by_client as f64 / f.asked.max(1) as f64;
    let client = (share >= SMALL).then(|| format!("{} of stats by the client", percent(share)));
    let waits = [
        (f.threads_waited_ns, f.calls, "a thread"),
        (f.directories_waited_ns, f.changes, "a directory's lock"),
        (f.log_waited_ns, f.changes, "the log"),
    ];
    let (waited_ns, calls, what) = waits.into_iter().max().unwrap_or_default();
    let mean_ns = waited_ns as f64 / calls.max(1) as f64;
    let waited = (waited_ns > 0).then(|| format!("waited {} for {what}", human::time(mean_ns)));
    let threads = format!("threads {}", percent(f.utilisation));
    let words: Vec<String> = client.into_iter().chain([threads]).chain(waited).collect();
    words.join(", ")
}

fn journal(journal: JournalUse) -> String {
    let fill = journal.fill().map_or_else(|| "no room".into(), percent);
    match journal.waited_ns {
        0 => fill,
        _ => format!("{fill}, writes waited"),
    }
}
