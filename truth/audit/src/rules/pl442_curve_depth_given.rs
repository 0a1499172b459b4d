//! The maximum is that of the depth that was given.

use crate::{Check, Maker, NOTE, Page, Rule, Severities};

pub const RULE: Rule = Rule {
    number: 442,
    name: "curve-depth-given",
    summary: "The maximum is that of the depth that was given.",
    severity: Severities::of([NOTE, NOTE, NOTE, NOTE, NOTE]),
    pitfalls: &[32],
    page: Page {
        why: "Whether more would carry more was not tried.",
        threshold: "A depth was given.",
        source: "docs/method.md.",
        example: "depth = 32: 40,000/s, and 64 were not tried.",
        remedy: "Leave the depth out.",
    },
    check: Check::Made(Maker::Curve),
};

#[cfg(test)]
pub const KNOWN: crate::known::Known = crate::known::Known::Made;
