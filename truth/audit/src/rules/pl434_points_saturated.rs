//! Points of the curve are saturated.

use crate::{Check, Maker, NOTE, Page, Rule, Severities};

pub const RULE: Rule = Rule {
    number: 434,
    name: "points-saturated",
    summary: "Points of the curve are saturated.",
    severity: Severities::of([NOTE, NOTE, NOTE, NOTE, NOTE]),
    pitfalls: &[29],
    page: Page {
        why: "Their latency is how long they ran, and is left out.",
        threshold: "The saturation criterion of docs/output.md.",
        source: "docs/output.md.",
        example: "90 % and 100 % are more than the array carries of independent arrivals.",
        remedy: "Nothing, where lower points answer the question.",
    },
    check: Check::Made(Maker::Curve),
};

#[cfg(test)]
pub const KNOWN: crate::known::Known = crate::known::Known::Made;
