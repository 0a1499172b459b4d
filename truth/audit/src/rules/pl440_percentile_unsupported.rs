//! A limit is of a percentile that points cannot support.

use crate::{Check, Maker, NOTE, Page, Rule, Severities};

pub const RULE: Rule = Rule {
    number: 440,
    name: "percentile-unsupported",
    summary: "A limit is of a percentile that points cannot support.",
    severity: Severities::of([NOTE, NOTE, NOTE, NOTE, NOTE]),
    pitfalls: &[36],
    page: Page {
        why: "Fewer than ten I/Os beyond a percentile make it the largest of a few times.",
        threshold: "Fewer than 10 I/Os beyond it.",
        source: "Exact binomial interval.",
        example: "p99.9 of 4,000 I/Os.",
        remedy: "Run longer.",
    },
    check: Check::Made(Maker::Curve),
};

#[cfg(test)]
pub const KNOWN: crate::known::Known = crate::known::Known::Made;
