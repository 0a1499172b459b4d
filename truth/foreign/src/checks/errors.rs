//! I/Os that failed.

use super::{Check, CheckAnswer, Hit, answer, doubt};
use crate::model::{ForeignResult, Tool};
use plimsoll_evidence::{Quantity, Severity};

/// Errors.
pub const CHECK: Check = Check {
    rules: &[400],
    look,
};

fn look(result: &ForeignResult) -> CheckAnswer {
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
        [doubt(
            400,
            "errors-counted",
            Severity::Invalid,
            failed.collect(),
        )],
    )
}
