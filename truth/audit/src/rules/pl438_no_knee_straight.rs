//! The curve rises without a bend.

use crate::{Check, Maker, NOTE, Page, Rule, Severities};

pub const RULE: Rule = Rule {
    number: 438,
    name: "no-knee-straight",
    summary: "The curve rises without a bend.",
    severity: Severities::of([NOTE, NOTE, NOTE, NOTE, NOTE]),
    pitfalls: &[46],
    page: Page {
        why: "A straight rise has no knee.",
        threshold: "Kneedle finds none.",
        source: "docs/statistics.md.",
        example: "0.5, 0.8, 1.1 and 1.4 ms at 20, 40, 60 and 80 %.",
        remedy: "Add points where you expect it.",
    },
    check: Check::Made(Maker::Curve),
};

#[cfg(test)]
pub const KNOWN: crate::known::Known = crate::known::Known::Made;
