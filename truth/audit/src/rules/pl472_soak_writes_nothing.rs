//! A soak wrote nothing.

use crate::{Check, Maker, NOTE, Page, Rule, Severities};

pub const RULE: Rule = Rule {
    number: 472,
    name: "soak-writes-nothing",
    summary: "A soak wrote nothing.",
    severity: Severities::of([NOTE, NOTE, NOTE, NOTE, NOTE]),
    pitfalls: &[15],
    page: Page {
        why: "There was nothing to collect.",
        threshold: "No written byte.",
        source: "docs/soak.md.",
        example: "A soak of reads.",
        remedy: "Add writes, where the write cliff is asked for.",
    },
    check: Check::Made(Maker::Method("soak")),
};

#[cfg(test)]
pub const KNOWN: crate::known::Known = crate::known::Known::Made;
