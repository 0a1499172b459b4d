//! The load is too low to show the gap.

use crate::{Check, Maker, NOTE, Page, Rule, Severities};

pub const RULE: Rule = Rule {
    number: 482,
    name: "disturb-load-too-low",
    summary: "The load is too low to show the gap.",
    severity: Severities::of([NOTE, NOTE, NOTE, NOTE, NOTE]),
    pitfalls: &[36],
    page: Page {
        why: "Between two I/Os of a low rate a gap hides.",
        threshold: "The rate shows no gap shorter than its own.",
        source: "docs/disturb.md.",
        example: "10/s see no gap below 0.3 s.",
        remedy: "Ask for more.",
    },
    check: Check::Made(Maker::Method("disturb")),
};

#[cfg(test)]
pub const KNOWN: crate::known::Known = crate::known::Known::Made;
