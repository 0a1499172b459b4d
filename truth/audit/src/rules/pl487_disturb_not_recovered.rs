//! The load did not come back to what it was.

use crate::{Check, Maker, Page, Rule, SUSPECT, Severities};

pub const RULE: Rule = Rule {
    number: 487,
    name: "disturb-not-recovered",
    summary: "The load did not come back to what it was.",
    severity: Severities::of([SUSPECT, SUSPECT, SUSPECT, SUSPECT, SUSPECT]),
    pitfalls: &[16],
    page: Page {
        why: "What stays is a degraded state.",
        threshold: "Not within 5 % of before for 5 s.",
        source: "docs/disturb.md.",
        example: "In 2 of 5 repeats.",
        remedy: "See the paths and the array.",
    },
    check: Check::Made(Maker::Method("disturb")),
};

#[cfg(test)]
pub const KNOWN: crate::known::Known = crate::known::Known::Made;
