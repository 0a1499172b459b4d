//! Writes may arrive twice after a disturbance.

use crate::{Check, Maker, Page, Rule, SUSPECT, Severities};

pub const RULE: Rule = Rule {
    number: 486,
    name: "disturb-unconfirmed",
    summary: "Writes may arrive twice after a disturbance.",
    severity: Severities::of([SUSPECT, SUSPECT, SUSPECT, SUSPECT, SUSPECT]),
    pitfalls: &[12],
    page: Page {
        why: "As writes-unconfirmed (PL424).",
        threshold: "As PL424.",
        source: "docs/disturb.md.",
        example: "3 writes.",
        remedy: "Do not rely on these blocks.",
    },
    check: Check::Made(Maker::Method("disturb")),
};

#[cfg(test)]
pub const KNOWN: crate::known::Known = crate::known::Known::Made;
