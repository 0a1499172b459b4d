//! Failed I/Os, as the error log has them, and the words in which Vdbench ends for them; scripts look for these.

use super::columns::time_of_day;
use super::run::{RunDefinition, StreamLabel};
use jiff::Zoned;
use plimsoll_evidence::{ErrorSample, StepEvidence};
use std::time::Duration;

/// Words with which Vdbench ends after a run that had errors.
pub(super) const TERMINATING: &str =
    "Vdbench terminating due to Data Validation or I/O errors. See errorlog.html.";

/// Words with which Vdbench ends in the middle of a run, with the error that `data_errors=` names.
pub(super) fn aborted(limit: u64, run: &str) -> String {
    format!("'data_errors={limit}' requested. Abort rd={run} after last error.")
}

/// [`TERMINATING`], and the count before it.
pub(super) fn terminated(count: u64) -> Vec<String> {
    let total = format!("Total Data Validation or I/O error count: {count}");
    ["*", &total, "*", TERMINATING].map(str::to_owned).into()
}

/// Errors of a run that began at `start`, a line each: when it was told, and when it happened.
pub(super) fn lines(
    run: &RunDefinition,
    errors: &[ErrorSample],
    start: &Zoned,
    now: &Zoned,
) -> Vec<String> {
    let when = |e: &ErrorSample| start.saturating_add(Duration::from_nanos(e.at_ns));
    errors.iter().map(|e| line(run, e, &when(e), now)).collect()
}

/// Line on the number of failed I/Os, where not all were kept.
pub(super) fn unlisted(run: &RunDefinition, step: &StepEvidence, now: &Zoned) -> Option<String> {
    let (kept, errors) = (step.error_samples.len() as u64, step.errors);
    (errors > kept).then(|| {
        format!(
            "{} {errors} I/Os of RD={} failed; the first {kept} are listed",
            time_of_day(now),
            run.name
        )
    })
}

fn line(run: &RunDefinition, error: &ErrorSample, when: &Zoned, now: &Zoned) -> String {
    let lun = |s: &&StreamLabel| s.sd == error.target;
    let lun = run
        .streams
        .iter()
        .find(lun)
        .map_or(error.target.as_str(), |s| s.lun.as_str());
    format!(
        "{} localhost-0: {} op: {:<6} lun: {lun:<30} lba: {:>12} 0x{:08X} xfer: {:>8} errno: {}",
        time_of_day(now),
        time_of_day(when),
        error.op.name(),
        error.offset,
        error.offset,
        error.length,
        quoted(&error.what),
    )
}

/// `EIO: 'Input/output error'`, as Vdbench writes `EIO (Input/output error)`.
fn quoted(what: &str) -> String {
    match what.strip_suffix(')').and_then(|w| w.split_once(" (")) {
        Some((name, text)) => format!("{name}: '{text}'"),
        None => what.to_owned(),
    }
}
