//! Two points asked for the same rate.

use crate::{Check, Maker, Page, Rule, SUSPECT, Severities};

pub const RULE: Rule = Rule {
    number: 433,
    name: "same-rate-twice",
    summary: "Two points asked for the same rate.",
    severity: Severities::of([SUSPECT, SUSPECT, SUSPECT, SUSPECT, SUSPECT]),
    pitfalls: &[48],
    page: Page {
        why: "Rounding brought two percentages together.",
        threshold: "Two points of equal rates.",
        source: "docs/method.md.",
        example: "1 % and 2 % of 90/s are 1/s both.",
        remedy: "Ask for percentages farther apart.",
    },
    check: Check::Made(Maker::Curve),
};

#[cfg(test)]
pub const KNOWN: crate::known::Known = crate::known::Known::Made;
