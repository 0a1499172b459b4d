//! An adaptive curve ended early.

use crate::{Check, Maker, Page, Rule, SUSPECT, Severities};

pub const RULE: Rule = Rule {
    number: 452,
    name: "adaptive-cut-short",
    summary: "An adaptive curve ended early.",
    severity: Severities::of([SUSPECT, SUSPECT, SUSPECT, SUSPECT, SUSPECT]),
    pitfalls: &[46],
    page: Page {
        why: "It says what its whole points say.",
        threshold: "Interrupted or failed.",
        source: "The record.",
        example: "Interrupted after 12 points.",
        remedy: "Go on with `plimsoll resume`.",
    },
    check: Check::Made(Maker::Method("adaptive")),
};

#[cfg(test)]
pub const KNOWN: crate::known::Known = crate::known::Known::Made;
