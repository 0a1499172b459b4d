//! The rate still grew at the greatest depth.

use crate::{Check, Maker, Page, Rule, SUSPECT, Severities};

pub const RULE: Rule = Rule {
    number: 461,
    name: "depth-at-limit",
    summary: "The rate still grew at the greatest depth.",
    severity: Severities::of([SUSPECT, SUSPECT, SUSPECT, SUSPECT, SUSPECT]),
    pitfalls: &[32],
    page: Page {
        why: "It may carry more, and its least concurrency is not known.",
        threshold: "As curve-depth-at-limit (PL444).",
        source: "docs/saturate.md.",
        example: "512 on each target.",
        remedy: "Allow a greater depth.",
    },
    check: Check::Made(Maker::Method("saturate")),
};

#[cfg(test)]
pub const KNOWN: crate::known::Known = crate::known::Known::Made;
