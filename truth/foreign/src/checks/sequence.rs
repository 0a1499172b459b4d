//! Several threads that walk the same addresses.

use super::{About, Answer, Check, Hit, answer, doubt};
use crate::model::ForeignResult;
use plimsoll_evidence::{Quantity, Severity};

const SHARED: About = About {
    id: "threads-share-sequence",
    threshold: "more than one thread on one target in sequence, all from the same start",
    source: "DiskSPD's -s with -t, fio's numjobs with one filename: both are these tools' defaults",
    remedy: "Use one thread with more depth, offset_increment=, or DiskSPD's -si or -T.",
};

/// Sequences.
pub const CHECK: Check = Check {
    name: "sequential threads",
    rules: &[SHARED],
    look,
};

fn look(result: &ForeignResult) -> Answer {
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
        [doubt(&SHARED, Severity::Suspect, shared.collect())],
    )
}
