//! What whoever carried a step out has to say of it, in words.

use super::{Make, Values};
use crate::wording::time;
use plimsoll_printable::human;

/// Times without a path that a sentence lists, at most; the evidence has them all.
const NAMED: usize = 4;

/// The rules of a step that was carried out.
pub(super) const RULES: &[(&str, Make)] = &[
    ("ios-unfinished", ios_unfinished),
    ("workers-stuck", workers_stuck),
    ("start-late", start_late),
    ("path-down", path_down),
    ("writes-unconfirmed", writes_unconfirmed),
    ("record-contradicts", record_contradicts),
];

fn ios_unfinished(v: &Values) -> Option<String> {
    let (count, were) = match v.count("ios")? {
        1 => ("1 I/O that was".to_string(), "was"),
        n => (format!("{n} I/Os that were"), "were"),
    };
    let stop = match v.count("stopped") {
        Some(_) => ", or had no slot when its workload stopped",
        None => "",
    };
    Some(format!(
        "{count} due in the counted time {were} not back at the end of the drain{stop}: even where they count as failed, the \
         response times have what they had waited by then, and in truth they took longer."
    ))
}

fn start_late(v: &Values) -> Option<String> {
    Some(format!(
        "The step was to begin {} before it did.",
        time(v.number("late")?)
    ))
}

fn workers_stuck(v: &Values) -> Option<String> {
    Some(format!(
        "{} worker threads did not come back from a system call by the drain deadline",
        v.count("workers")?
    ))
}

/// Each `down` has its `up`, but for the last one, where the path never came back.
fn path_down(v: &Values) -> Option<String> {
    let (path, target) = (v.text("path")?, v.text("target")?);
    let seconds = |s: f64| format!("{s:.3} s");
    let mut ups = v.numbers("up").into_iter();
    let mut spans: Vec<String> = v
        .numbers("down")
        .into_iter()
        .map(|from| match ups.next() {
            Some(to) => format!("from {} to {}", seconds(from), seconds(to)),
            None => format!("from {} to the end", seconds(from)),
        })
        .collect();
    let more = match spans.len() {
        0 => return None,
        n if n > NAMED => format!(" and {} times more", n - NAMED),
        _ => String::new(),
    };
    spans.truncate(NAMED);
    let sent_again = match v.count("reissued")? {
        0 => String::new(),
        n => format!("; {n} I/Os were sent again"),
    };
    // Without a name of its own a target is called by its paths.
    let to = match target.contains(path) {
        true => String::new(),
        false => format!(" to {target}"),
    };
    // A simulated array's have numbers.
    let path = match path.starts_with("path ") {
        true => path.to_owned(),
        false => format!("the path {path}"),
    };
    Some(format!(
        "{path}{to} was down {}{more} ({}){sent_again}",
        spans.join(", "),
        v.text("why")?
    ))
}

fn writes_unconfirmed(v: &Values) -> Option<String> {
    Some(format!(
        "{} writes to {} counted as done while an earlier copy of them might still arrive by a path that had \
         stalled; their blocks may not hold what was written last",
        v.count("writes")?,
        v.text("target")?
    ))
}

fn record_contradicts(v: &Values) -> Option<String> {
    Some(format!(
        "the record says {} for `{}`, and by {} it is {}: it was changed after it was written",
        human::number(v.number("says")?),
        v.text("one")?,
        v.text("other")?,
        human::number(v.number("should_say")?)
    ))
}
