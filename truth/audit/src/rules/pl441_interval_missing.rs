//! How sure points are is not known.

use crate::{Check, Maker, NOTE, Page, Rule, Severities};

pub const RULE: Rule = Rule {
    number: 441,
    name: "interval-missing",
    summary: "How sure points are is not known.",
    severity: Severities::of([NOTE, NOTE, NOTE, NOTE, NOTE]),
    pitfalls: &[46],
    page: Page {
        why: "A short series does not tell how far its parts depend on each other.",
        threshold: "Too few batches for the series' autocorrelation.",
        source: "docs/statistics.md.",
        example: "5 s at 200/s.",
        remedy: "Run longer.",
    },
    check: Check::Made(Maker::Curve),
};

#[cfg(test)]
pub const KNOWN: crate::known::Known = crate::known::Known::Made;
