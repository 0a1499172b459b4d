//! Why a soak's answer may not be trusted, and what it does not say.

use super::judged::{Judged, SoakOutcome};
use crate::method::ran_its_time;
use plimsoll_evidence::{Finding, Quantity, Severity, StepEvidence};
use plimsoll_plan::ROUNDS_MAX;

/// A collector of garbage begins where the targets and their spare were written once: with all spare that is usual that is
/// before two overwrites, and settled before three (the simulated reference is in docs/lab.md).
const ENOUGH: f64 = 2.0;

/// All that is to be said beside the answer.
pub fn findings(
    judged: &Judged,
    before: &[&StepEvidence],
    parts: &[&StepEvidence],
) -> Vec<Finding> {
    let mut found = Vec::new();
    if let Some(cut) = before.iter().chain(parts).find(|s| !ran_its_time(s)) {
        found.push(Finding::of_method(
            "soak-cut-short",
            Severity::Suspect,
            [("step", Quantity::Text(cut.name.clone()))],
        ));
    }
    let is_cliff = matches!(
        judged.answer,
        SoakOutcome::RateCliff(_) | SoakOutcome::ResponseCliff(_)
    );
    if !is_cliff {
        found.extend(reach(judged));
    }
    if is_cliff && judged.steady_from.is_none() {
        found.push(Finding::of_method("soak-not-settled", Severity::Note, []));
    }
    found.extend(rounds(before));
    found.extend(not_carried(judged));
    let late: u64 = parts
        .iter()
        .flat_map(|p| &p.late_by_host)
        .map(|s| s.length_ns)
        .sum();
    if late > 0 {
        found.push(Finding::of_method(
            "soak-host-late",
            Severity::Note,
            [("time", Quantity::Seconds(late as f64 / 1e9))],
        ));
    }
    found
}

/// Finding on how far the soak went.
fn reach(judged: &Judged) -> Option<Finding> {
    match judged.course.overwrites() {
        None => Some(Finding::of_method(
            "soak-writes-nothing",
            Severity::Note,
            [],
        )),
        Some(n) if n < ENOUGH => Some(Finding::of_method(
            "soak-few-overwrites",
            Severity::Suspect,
            [("overwrites", Quantity::Number(n))],
        )),
        Some(_) => None,
    }
}

/// Finding on whether preconditioning by its own load ended because it was steady.
fn rounds(before: &[&StepEvidence]) -> Option<Finding> {
    let rounds = before.iter().filter(|s| !s.fill).count();
    (rounds >= ROUNDS_MAX as usize).then(|| {
        Finding::of_method(
            "soak-rounds-unsteady",
            Severity::Note,
            [("rounds", Quantity::Count(rounds as u64))],
        )
    })
}

/// A rate that was too much from the start.
fn not_carried(judged: &Judged) -> Option<Finding> {
    let course = &judged.course;
    let at = match &judged.answer {
        SoakOutcome::RateCliff(drop) | SoakOutcome::ResponseCliff(drop) => drop.at,
        _ => course.parts.len(),
    };
    (course.is_open && !course.is_carried(at))
        .then(|| Finding::of_method("soak-overloaded", Severity::Suspect, []))
}
