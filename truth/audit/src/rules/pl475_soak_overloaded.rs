//! A soak asked for more than is carried.

use crate::{Check, Maker, Page, Rule, SUSPECT, Severities};

pub const RULE: Rule = Rule {
    number: 475,
    name: "soak-overloaded",
    summary: "A soak asked for more than is carried.",
    severity: Severities::of([SUSPECT, SUSPECT, SUSPECT, SUSPECT, SUSPECT]),
    pitfalls: &[29],
    page: Page {
        why: "Its response times say how long it was.",
        threshold: "Not done from the start.",
        source: "docs/soak.md.",
        example: "40,000/s asked of 31,000.",
        remedy: "Ask for less, or soak at max.",
    },
    check: Check::Made(Maker::Method("soak")),
};

#[cfg(test)]
pub const KNOWN: crate::known::Known = crate::known::Known::Made;
