//! A soak did not come to its end.

use crate::{Check, Maker, Page, Rule, SUSPECT, Severities};

pub const RULE: Rule = Rule {
    number: 470,
    name: "soak-cut-short",
    summary: "A soak did not come to its end.",
    severity: Severities::of([SUSPECT, SUSPECT, SUSPECT, SUSPECT, SUSPECT]),
    pitfalls: &[46],
    page: Page {
        why: "The cliff may come after it.",
        threshold: "Interrupted or failed.",
        source: "The record.",
        example: "Six of 18 hours.",
        remedy: "Go on with `plimsoll resume`.",
    },
    check: Check::Made(Maker::Method("soak")),
};

#[cfg(test)]
pub const KNOWN: crate::known::Known = crate::known::Known::Made;
