//! The depth that carries most was looked for.

use crate::{Check, Maker, NOTE, Page, Rule, Severities};

pub const RULE: Rule = Rule {
    number: 443,
    name: "curve-depth-found",
    summary: "The depth that carries most was looked for.",
    severity: Severities::of([NOTE, NOTE, NOTE, NOTE, NOTE]),
    pitfalls: &[32],
    page: Page {
        why: "It is the least that comes within 2 % of the most.",
        threshold: "Always where the depth was looked for.",
        source: "docs/method.md.",
        example: "64 on each target.",
        remedy: "Nothing is to be done.",
    },
    check: Check::Made(Maker::Curve),
};

#[cfg(test)]
pub const KNOWN: crate::known::Known = crate::known::Known::Made;
