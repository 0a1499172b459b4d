//! The host stood still in a disturbance.

use crate::{Check, Maker, Page, Rule, SUSPECT, Severities};

pub const RULE: Rule = Rule {
    number: 484,
    name: "disturb-host-stood-still",
    summary: "The host stood still in a disturbance.",
    severity: Severities::of([SUSPECT, SUSPECT, SUSPECT, SUSPECT, SUSPECT]),
    pitfalls: &[51],
    page: Page {
        why: "Its pause looks like an outage.",
        threshold: "As host-stood-still (PL405).",
        source: "docs/disturb.md.",
        example: "In 1 of 5 repeats.",
        remedy: "Repeat it.",
    },
    check: Check::Made(Maker::Method("disturb")),
};

#[cfg(test)]
pub const KNOWN: crate::known::Known = crate::known::Known::Made;
