//! A soak wrote the targets too seldom.

use crate::{Check, Maker, Page, Rule, SUSPECT, Severities};

pub const RULE: Rule = Rule {
    number: 471,
    name: "soak-few-overwrites",
    summary: "A soak wrote the targets too seldom.",
    severity: Severities::of([SUSPECT, SUSPECT, SUSPECT, SUSPECT, SUSPECT]),
    pitfalls: &[15, 14],
    page: Page {
        why: "Garbage collection begins when the flash and its spare were written once, and is settled after three times.",
        threshold: "Fewer than 3 times.",
        source: "Greedy garbage collection, simulated: settled after 2.5 to 3 times.",
        example: "0.8 times in an hour.",
        remedy: "Soak with --overwrites 3.",
    },
    check: Check::Made(Maker::Method("soak")),
};

#[cfg(test)]
pub const KNOWN: crate::known::Known = crate::known::Known::Made;
