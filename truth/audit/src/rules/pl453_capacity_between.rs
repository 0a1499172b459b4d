//! A capacity lies between two points.

use crate::{Check, Maker, NOTE, Page, Rule, Severities};

pub const RULE: Rule = Rule {
    number: 453,
    name: "capacity-between",
    summary: "A capacity lies between two points.",
    severity: Severities::of([NOTE, NOTE, NOTE, NOTE, NOTE]),
    pitfalls: &[46],
    page: Page {
        why: "It is known no better than the points lie apart.",
        threshold: "A limit that no point is near.",
        source: "docs/curve-adaptive.md.",
        example: "Between 31,000 and 34,000/s.",
        remedy: "Give more time.",
    },
    check: Check::Made(Maker::Method("adaptive")),
};

#[cfg(test)]
pub const KNOWN: crate::known::Known = crate::known::Known::Made;
