//! Failed I/Os, as the error log has them.

use super::columns::time_of_day;
use super::run::{RunDefinition, StreamLabel};
use jiff::Zoned;
use plimsoll_evidence::{ErrorSample, StepEvidence};

/// A step's kept errors, a line each, and how many there were where not all were kept.
pub(super) fn lines(run: &RunDefinition, step: &StepEvidence, now: &Zoned) -> Vec<String> {
    let mut lines: Vec<String> = step
        .error_samples
        .iter()
        .map(|e| line(run, e, now))
        .collect();
    let kept = lines.len() as u64;
    if step.errors > kept {
        let (time, errors) = (time_of_day(now), step.errors);
        lines.push(format!(
            "{time} {errors} I/Os of RD={} failed; the first {kept} are listed",
            run.name
        ));
    }
    lines
}

fn line(run: &RunDefinition, error: &ErrorSample, now: &Zoned) -> String {
    let lun = |s: &&StreamLabel| s.sd == error.target;
    let lun = run
        .streams
        .iter()
        .find(lun)
        .map_or(error.target.as_str(), |s| s.lun.as_str());
    format!(
        "{} localhost-0: op: {:<6} lun: {lun} lba: {:>12} 0x{:08X} xfer: {:>8} errno: {}",
        time_of_day(now),
        error.op.name(),
        error.offset,
        error.offset,
        error.length,
        error.what,
    )
}
