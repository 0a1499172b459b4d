//! What a run that was killed may have left as it was: it could not put back what it had done.

use plimsoll_plan::{Action, Step};
use plimsoll_record::{Record, RecordError};

/// A sentence for each step that was cut off when something may have been done to its target that a command puts back.
pub(crate) fn notes(record: &Record) -> Result<Vec<String>, RecordError> {
    let mut notes = Vec::new();
    for begun in record.started_steps()? {
        let Ok(step) = serde_json::from_str::<Step>(&begun.definition_json) else {
            continue;
        };
        let mut seen_ns = 0;
        record.each_interval(begun.number, |interval| {
            seen_ns = seen_ns.max(interval.start_ns.saturating_add(interval.length_ns));
        })?;
        // The interval in which it was killed is not in the record, and may have been followed by another.
        let at_most_ns = seen_ns.saturating_add(step.interval.0.saturating_mul(2));
        notes.extend(owed(&step, at_most_ns));
    }
    Ok(notes)
}

/// Of a step that came no farther than that.
fn owed(step: &Step, at_most_ns: u64) -> Option<String> {
    let line = |puts_back: bool| {
        let mut of = step
            .actions
            .iter()
            .filter(move |a| a.puts_back == puts_back);
        let first = of.next()?;
        match &first.action {
            Action::Command(command) => Some((first.at.0, command.line.as_str())),
            Action::Fault(_) => None,
        }
    };
    let ((at_ns, done), (_, back)) = (line(false)?, line(true)?);
    (at_ns <= at_most_ns).then(|| {
        format!(
            "the run was killed in {}: `{done}` may not have been put back; it is done once more now, and `{back}` after it",
            step.name
        )
    })
}
