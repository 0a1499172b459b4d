//! I/Os that failed.

use super::{About, Answer, Check, Hit, answer, doubt};
use crate::model::{ForeignResult, Tool};
use plimsoll_evidence::{Quantity, Severity};

const ERRORS: About = About {
    id: "errors-counted",
    threshold: "any error, short or dropped I/O",
    source: "a failed I/O takes no time on the medium; fio's issue 1350 counts them in its rate",
    remedy: "Find out why they failed, and repeat.",
};

/// Errors.
pub const CHECK: Check = Check {
    name: "errors",
    rules: &[ERRORS],
    look,
};

fn look(result: &ForeignResult) -> Answer {
    // Only fio has them in its result.
    let seen = result
        .runs
        .iter()
        .filter(|_| result.tool == Tool::Fio)
        .count();
    let failed = result.runs.iter().filter_map(|run| {
        let row = run.whole().filter(|r| r.errors > 0)?;
        Some(Hit::new(
            run,
            row.at,
            row.errors as f64,
            [("errors", Quantity::Count(row.errors))],
        ))
    });
    answer(
        seen,
        "counts of errors",
        [doubt(&ERRORS, Severity::Invalid, failed.collect())],
    )
}
