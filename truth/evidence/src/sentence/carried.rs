//! What whoever carried a step out has to say of it, in words.

use super::template::{Said, sentences};
use super::{Make, Values};

/// Times without a path that a sentence lists, at most; the evidence has them all.
const NAMED: usize = 4;

/// Sentences, with places for the values.
pub(super) const SAID: &[Said] = sentences! {
    "workers-stuck": "{workers:count} worker threads did not come back from a system call by the drain deadline";
    "start-late": "The step was to begin {late:time} before it did.";
    "writes-unconfirmed":
        "{writes:count} writes to {target} counted as done while an earlier copy of them might still arrive by a path that had stalled; their \
         blocks may not hold what was written last";
    "record-contradicts":
        "the record says {says:number} for `{one}`, and by {other} it is {should_say:number}: it was changed after it was written";
};

/// The rules of a step that was carried out.
pub(super) const RULES: &[(&str, Make)] =
    &[("ios-unfinished", ios_unfinished), ("path-down", path_down)];

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
