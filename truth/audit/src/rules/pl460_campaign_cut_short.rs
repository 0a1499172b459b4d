//! Not all combinations were measured.

use crate::{Check, Maker, Page, Rule, SUSPECT, Severities};

pub const RULE: Rule = Rule {
    number: 460,
    name: "campaign-cut-short",
    summary: "Not all combinations were measured.",
    severity: Severities::of([SUSPECT, SUSPECT, SUSPECT, SUSPECT, SUSPECT]),
    pitfalls: &[46],
    page: Page {
        why: "Those that are missing may be the ones that matter.",
        threshold: "Fewer than planned.",
        source: "The record.",
        example: "7 of 12.",
        remedy: "Go on with `plimsoll resume`.",
    },
    check: Check::Made(Maker::Method("saturate")),
};

#[cfg(test)]
pub const KNOWN: crate::known::Known = crate::known::Known::Made;
