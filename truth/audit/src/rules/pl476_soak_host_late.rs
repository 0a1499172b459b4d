//! The host was in the way of a soak.

use crate::{Check, Maker, Page, Rule, SUSPECT, Severities};

pub const RULE: Rule = Rule {
    number: 476,
    name: "soak-host-late",
    summary: "The host was in the way of a soak.",
    severity: Severities::of([SUSPECT, SUSPECT, SUSPECT, SUSPECT, SUSPECT]),
    pitfalls: &[51],
    page: Page {
        why: "That time is not the target's.",
        threshold: "More than a second in all.",
        source: "docs/soak.md.",
        example: "12 s in 4 hours.",
        remedy: "Measure where the host has nothing else to do.",
    },
    check: Check::Made(Maker::Method("soak")),
};

#[cfg(test)]
pub const KNOWN: crate::known::Known = crate::known::Known::Made;
