//! Not all steps of a sweep were measured.

use crate::{Check, Maker, Page, Rule, SUSPECT, Severities};

pub const RULE: Rule = Rule {
    number: 464,
    name: "sweep-cut-short",
    summary: "Not all steps of a sweep were measured.",
    severity: Severities::of([SUSPECT, SUSPECT, SUSPECT, SUSPECT, SUSPECT]),
    pitfalls: &[46],
    page: Page {
        why: "Cells have unequal repeats, or none.",
        threshold: "Fewer than planned.",
        source: "The record.",
        example: "30 of 45.",
        remedy: "Go on with `plimsoll resume`.",
    },
    check: Check::Made(Maker::Method("sweep")),
};

#[cfg(test)]
pub const KNOWN: crate::known::Known = crate::known::Known::Made;
