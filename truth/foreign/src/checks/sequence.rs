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
    let shared = result.runs.iter().filter(|r| r.asked.same_sequence);
    // How many they are is not always known.
    let (mut counted, mut several) = (Vec::new(), Vec::new());
    for run in shared {
        match run.asked.threads.filter(|n| *n > 1).map(|n| n as f64) {
            Some(n) => counted.push(Hit::new(run, run.at, n, [("threads", Quantity::Number(n))])),
            None => several.push(Hit::new(run, run.at, 1.0, [])),
        }
    }
    answer(
        seen,
        "the order of addresses",
        [
            doubt(23, "threads-share-sequence", Severity::Suspect, counted),
            doubt(23, "threads-of-one-sequence", Severity::Suspect, several),
        ],
    )
}
