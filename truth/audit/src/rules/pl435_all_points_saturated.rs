//! Every point of the curve is saturated.

use crate::{Check, Maker, Page, Rule, SUSPECT, Severities};

pub const RULE: Rule = Rule {
    number: 435,
    name: "all-points-saturated",
    summary: "Every point of the curve is saturated.",
    severity: Severities::of([SUSPECT, SUSPECT, SUSPECT, SUSPECT, SUSPECT]),
    pitfalls: &[29],
    page: Page {
        why: "There is no latency to show.",
        threshold: "All points saturated.",
        source: "docs/output.md.",
        example: "The maximum was reached from a cache that the points no longer have.",
        remedy: "Add lower percentages, or more slots.",
    },
    check: Check::Made(Maker::Curve),
};

#[cfg(test)]
pub const KNOWN: crate::known::Known = crate::known::Known::Made;
