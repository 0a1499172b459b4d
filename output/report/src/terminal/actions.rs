//! What was done while a step ran.

use crate::human;
use plimsoll_evidence::{ActionEvidence, StepEvidence};
use plimsoll_printable::Printable;

/// A line for each, beside the step's name.
pub(super) fn lines(step: &StepEvidence) -> impl Iterator<Item = String> {
    let name = Printable(&step.name).to_string();
    step.actions
        .iter()
        .map(move |action| format!("{name}: {}", line(action)))
}

fn line(action: &ActionEvidence) -> String {
    let what = Printable(&action.what);
    let time = |ns: u64| human::time(ns as f64);
    let why = action.failed.as_deref();
    let Some(began) = action.began_ns else {
        let planned = action
            .planned_ns
            .map_or_else(String::new, |at| format!(", planned for {}", time(at)));
        let why = why.unwrap_or("the step had ended");
        return format!("not done{planned}: {what}: {}", Printable(why));
    };
    let took = action.ended_ns.map(|end| end.saturating_sub(began));
    // A fault is in the array at once.
    let took = match took.filter(|ns| *ns > 0) {
        Some(ns) => format!(", for {}", time(ns)),
        None => String::new(),
    };
    let failed = why.map_or_else(String::new, |why| {
        let last_line = action.output.lines().last().unwrap_or_default();
        let last_line = match last_line.is_empty() {
            true => String::new(),
            false => format!(" ({})", Printable(last_line)),
        };
        format!(": failed: {}{last_line}", Printable(why))
    });
    format!("at {}{took}: {what}{failed}", time(began))
}
