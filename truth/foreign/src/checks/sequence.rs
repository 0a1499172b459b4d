//! Several threads that walk the same addresses, and several loads that go to the same storage at once.

use super::{Check, CheckAnswer, Hit, answer, doubt};
use crate::model::{ForeignResult, Load, Run};
use plimsoll_evidence::{Quantity, Severity};
use std::path::Path;

/// Sequences.
pub const CHECK: Check = Check {
    rules: &[23, 43],
    look,
};

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
            doubt(
                43,
                "sections-at-once",
                Severity::Suspect,
                at_once(&result.runs),
            ),
        ],
    )
    .needing(
        43,
        result.runs.iter().any(|r| r.asked.began_with.is_some()),
        "what began together",
    )
}

/// Runs that went as fast as they could beside another one of another kind, on the same storage as far as names tell.
fn at_once(runs: &[Run]) -> Vec<Hit<'_>> {
    let free = |run: &Run| matches!(run.asked.load, Some(Load::Max)) && !run.asked.sums_sections;
    let is_beside = |one: &Run, other: &Run| {
        let (a, b) = (&one.asked, &other.asked);
        a.began_with.is_some()
            && a.began_with == b.began_with
            && (differ(a.block, b.block)
                || differ(a.read_share, b.read_share)
                || differ(a.random, b.random))
            && share_storage(&a.places, &b.places)
    };
    let met = |run: &&Run| {
        free(run)
            && runs
                .iter()
                .any(|other| free(other) && is_beside(run, other))
    };
    runs.iter()
        .filter(met)
        .map(|run| Hit::new(run, run.at, 1.0, []))
        .collect()
}

/// Two settings that are known, and not the same.
fn differ<T: PartialEq>(one: Option<T>, other: Option<T>) -> bool {
    one.zip(other).is_some_and(|(one, other)| one != other)
}

/// One target, or files of one folder.
fn share_storage(a: &[String], b: &[String]) -> bool {
    let folder = |place: &String| {
        Path::new(place)
            .parent()
            .filter(|f| !f.starts_with("/dev"))
            .map(Path::to_owned)
    };
    a.iter().any(|a| {
        b.iter()
            .any(|b| a == b || folder(a).is_some() && folder(a) == folder(b))
    })
}
