//! The rate still grew with the most workers that were tried.

use crate::{Check, Maker, Page, Rule, SUSPECT, Severities};

pub const RULE: Rule = Rule {
    number: 467,
    name: "workers-at-limit",
    summary: "The rate still grew with the most workers that were tried.",
    severity: Severities::of([SUSPECT, SUSPECT, SUSPECT, SUSPECT, SUSPECT]),
    pitfalls: &[27],
    page: Page {
        why: "It may carry more with more submitters: a lock or a queue for each of them was the limit, not the storage.",
        threshold: "As curve-depth-at-limit (PL444), over workers.",
        source: "docs/saturate.md.",
        example: "16 workers on 2 CPUs, and 9 % more than with 8.",
        remedy: "Give a greater number of workers.",
    },
    check: Check::Made(Maker::Method("saturate")),
};

#[cfg(test)]
pub const KNOWN: crate::known::Known = crate::known::Known::Made;
