//! After the cliff no level stayed.

use crate::{Check, Maker, NOTE, Page, Rule, Severities};

pub const RULE: Rule = Rule {
    number: 473,
    name: "soak-not-settled",
    summary: "After the cliff no level stayed.",
    severity: Severities::of([NOTE, NOTE, NOTE, NOTE, NOTE]),
    pitfalls: &[16],
    page: Page {
        why: "What is sustained is not known.",
        threshold: "No steady window after the last change.",
        source: "docs/soak.md.",
        example: "It still fell at the end.",
        remedy: "Soak longer.",
    },
    check: Check::Made(Maker::Method("soak")),
};

#[cfg(test)]
pub const KNOWN: crate::known::Known = crate::known::Known::Made;
