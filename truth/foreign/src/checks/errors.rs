//! I/Os that failed.

use super::{Check, CheckAnswer, Hit, answer, doubt};
use crate::model::{ForeignResult, Tool};
use plimsoll_evidence::{Quantity, Severity};

/// Errors.
pub const CHECK: Check = Check {
    rules: &[400],
    look,
};

/// Error of fio where a verified block is not as it was written (EILSEQ).
const NOT_AS_WRITTEN: u32 = 84;
/// Error of fio where an I/O took longer than `max_latency`, and of the kernel where none came back (ETIMEDOUT).
const TOO_LATE: u32 = 110;

fn look(result: &ForeignResult) -> CheckAnswer {
    // Only fio has them in its result.
    let seen = result
        .runs
        .iter()
        .filter(|_| result.tool == Tool::Fio)
        .count();
    let [mut failed, mut corrupt, mut late, mut ended] = [(); 4].map(|()| Vec::new());
    for run in &result.runs {
        let Some(row) = run.whole().filter(|r| r.errors > 0) else {
            continue;
        };
        let hits = match row.errno {
            Some(NOT_AS_WRITTEN) => &mut corrupt,
            Some(TOO_LATE) => &mut late,
            // How many failed is counted where it may go on behind one.
            Some(_) if row.errors == 1 && !row.counts_errors => &mut ended,
            _ => &mut failed,
        };
        let errno = row
            .errno
            .map(|errno| ("errno", Quantity::Count(errno.into())));
        let errors = [("errors", Quantity::Count(row.errors))];
        let values = errors.into_iter().chain(errno);
        hits.push(Hit::new(run, row.at, row.errors as f64, values));
    }
    answer(
        seen,
        "counts of errors",
        [
            doubt(400, "not-as-written", Severity::Invalid, corrupt),
            doubt(400, "ended-by-error", Severity::Invalid, ended),
            doubt(400, "errors-counted", Severity::Invalid, failed),
            doubt(400, "latency-exceeded", Severity::Invalid, late),
        ],
    )
}
