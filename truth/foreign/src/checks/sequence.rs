//! Several threads that walk the same addresses.

use super::{Check, CheckAnswer, Hit, answer, doubt};
use crate::model::ForeignResult;
use plimsoll_evidence::{Quantity, Severity};

/// Sequences.
pub const CHECK: Check = Check { rules: &[23], look };

fn look(result: &ForeignResult) -> CheckAnswer {
    let seen = result
        .runs
        .iter()
        .filter(|r| r.asked.random.is_some())
        .count();
    let shared = result
        .runs
        .iter()
        .filter(|r| r.asked.same_sequence)
        .map(|run| {
            let threads = run.asked.threads.unwrap_or(2).max(2) as f64;
            Hit::new(
                run,
                run.at,
                threads,
                [("threads", Quantity::Number(threads))],
            )
        });
    answer(
        seen,
        "the order of addresses",
        [doubt(
            23,
            "threads-share-sequence",
            Severity::Suspect,
            shared.collect(),
        )],
    )
}
