//! The search for the depth ended at its limit.

use crate::{Check, Maker, Page, Rule, SUSPECT, Severities};

pub const RULE: Rule = Rule {
    number: 444,
    name: "curve-depth-at-limit",
    summary: "The search for the depth ended at its limit.",
    severity: Severities::of([SUSPECT, SUSPECT, SUSPECT, SUSPECT, SUSPECT]),
    pitfalls: &[32],
    page: Page {
        why: "The rate still grew at the greatest depth that was tried.",
        threshold: "The last depth was better than the one before by more than 2 %.",
        source: "docs/method.md.",
        example: "1,024 in flight, and it still grew.",
        remedy: "Give a greater depth.",
    },
    check: Check::Made(Maker::Curve),
};

#[cfg(test)]
pub const KNOWN: crate::known::Known = crate::known::Known::Made;
