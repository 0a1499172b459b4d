//! Cells asked for more than the target carries.

use crate::{Check, Maker, NOTE, Page, Rule, Severities};

pub const RULE: Rule = Rule {
    number: 463,
    name: "saturated-cells",
    summary: "Cells asked for more than the target carries.",
    severity: Severities::of([NOTE, NOTE, NOTE, NOTE, NOTE]),
    pitfalls: &[29],
    page: Page {
        why: "They have no response time.",
        threshold: "The saturation criterion.",
        source: "docs/output.md.",
        example: "3 cells.",
        remedy: "Ask for less there.",
    },
    check: Check::Made(Maker::Method("sweep")),
};

#[cfg(test)]
pub const KNOWN: crate::known::Known = crate::known::Known::Made;
