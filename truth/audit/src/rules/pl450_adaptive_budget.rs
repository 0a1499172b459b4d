//! What an adaptive curve did with its time.

use crate::{Check, Maker, NOTE, Page, Rule, Severities};

pub const RULE: Rule = Rule {
    number: 450,
    name: "adaptive-budget",
    summary: "What an adaptive curve did with its time.",
    severity: Severities::of([NOTE, NOTE, NOTE, NOTE, NOTE]),
    pitfalls: &[46],
    page: Page {
        why: "It says which stages and limits the time was enough for.",
        threshold: "Always at its end.",
        source: "docs/curve-adaptive.md.",
        example: "38 steps in 2m 51s of 3m.",
        remedy: "Nothing is to be done.",
    },
    check: Check::Made(Maker::Method("adaptive")),
};

#[cfg(test)]
pub const KNOWN: crate::known::Known = crate::known::Known::Made;
