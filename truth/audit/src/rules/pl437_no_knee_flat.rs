//! The curve does not rise among its points.

use crate::{Check, Maker, NOTE, Page, Rule, Severities};

pub const RULE: Rule = Rule {
    number: 437,
    name: "no-knee-flat",
    summary: "The curve does not rise among its points.",
    severity: Severities::of([NOTE, NOTE, NOTE, NOTE, NOTE]),
    pitfalls: &[46],
    page: Page {
        why: "Without a rise there is no bend.",
        threshold: "The response rises by no more than its uncertainty, or by a few percent.",
        source: "docs/statistics.md.",
        example: "0.51 ms at 10 % and 0.53 ms at 80 %.",
        remedy: "Add points above, where it rises.",
    },
    check: Check::Made(Maker::Curve),
};

#[cfg(test)]
pub const KNOWN: crate::known::Known = crate::known::Known::Made;
