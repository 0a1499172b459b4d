//! On the way down the response was that on the way up.

use crate::{Check, Maker, NOTE, Page, Rule, Severities};

pub const RULE: Rule = Rule {
    number: 455,
    name: "no-hysteresis",
    summary: "On the way down the response was that on the way up.",
    severity: Severities::of([NOTE, NOTE, NOTE, NOTE, NOTE]),
    pitfalls: &[17],
    page: Page {
        why: "The points do not depend on their order.",
        threshold: "Points of the same rate agree.",
        source: "docs/curve-adaptive.md.",
        example: "0.9 ms both ways.",
        remedy: "Nothing is to be done.",
    },
    check: Check::Made(Maker::Method("adaptive")),
};

#[cfg(test)]
pub const KNOWN: crate::known::Known = crate::known::Known::Made;
