//! The workers did not start together.

use crate::{Check, Maker, Page, Rule, SUSPECT, Severities};

pub const RULE: Rule = Rule {
    number: 422,
    name: "start-late",
    summary: "The workers did not start together.",
    severity: Severities::of([SUSPECT, SUSPECT, SUSPECT, SUSPECT, SUSPECT]),
    pitfalls: &[45],
    page: Page {
        why: "The first part of the step had fewer workers than the rest.",
        threshold: "A worker began after the common instant, by more than a millisecond.",
        source: "Proposal.",
        example: "One of 16 threads began 30 ms late.",
        remedy: "Run fewer workers, or on a host with free CPUs.",
    },
    check: Check::Made(Maker::Rig),
};

#[cfg(test)]
pub const KNOWN: crate::known::Known = crate::known::Known::Made;
