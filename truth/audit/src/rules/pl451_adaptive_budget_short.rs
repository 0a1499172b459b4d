//! The time of an adaptive curve was too short for all of it.

use crate::{Check, Maker, Page, Rule, SUSPECT, Severities};

pub const RULE: Rule = Rule {
    number: 451,
    name: "adaptive-budget-short",
    summary: "The time of an adaptive curve was too short for all of it.",
    severity: Severities::of([SUSPECT, SUSPECT, SUSPECT, SUSPECT, SUSPECT]),
    pitfalls: &[46],
    page: Page {
        why: "What is left out is not known as well as was asked for.",
        threshold: "A stage or a limit that was not reached.",
        source: "docs/curve-adaptive.md.",
        example: "The knee was found, the capacity at p99=1ms not.",
        remedy: "Give a longer --budget.",
    },
    check: Check::Made(Maker::Method("adaptive")),
};

#[cfg(test)]
pub const KNOWN: crate::known::Known = crate::known::Known::Made;
