//! Too few points for a knee.

use crate::{Check, Maker, NOTE, Page, Rule, Severities};

pub const RULE: Rule = Rule {
    number: 436,
    name: "no-knee-too-few",
    summary: "Too few points for a knee.",
    severity: Severities::of([NOTE, NOTE, NOTE, NOTE, NOTE]),
    pitfalls: &[46],
    page: Page {
        why: "A bend takes points on both sides of it.",
        threshold: "Fewer unsaturated points of different rates than a knee needs.",
        source: "Kneedle (Satopaa and others, 2011).",
        example: "Three points, two of them saturated.",
        remedy: "Add points.",
    },
    check: Check::Made(Maker::Curve),
};

#[cfg(test)]
pub const KNOWN: crate::known::Known = crate::known::Known::Made;
