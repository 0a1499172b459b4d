//! A test of the specification did not come to its end.

use crate::{Check, Maker, Page, Rule, SUSPECT, Severities};

pub const RULE: Rule = Rule {
    number: 496,
    name: "pts-cut-short",
    summary: "A test of the specification did not come to its end.",
    severity: Severities::of([SUSPECT, SUSPECT, SUSPECT, SUSPECT, SUSPECT]),
    pitfalls: &[46],
    page: Page {
        why: "No steady window, no result.",
        threshold: "Interrupted or failed.",
        source: "The record.",
        example: "Round 3 of 25.",
        remedy: "Go on with `plimsoll resume`.",
    },
    check: Check::Made(Maker::Method("pts")),
};

#[cfg(test)]
pub const KNOWN: crate::known::Known = crate::known::Known::Made;
