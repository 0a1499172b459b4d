//! The paths changed back and forth.

use crate::{Check, Maker, Page, Rule, SUSPECT, Severities};

pub const RULE: Rule = Rule {
    number: 489,
    name: "disturb-ping-pong",
    summary: "The paths changed back and forth.",
    severity: Severities::of([SUSPECT, SUSPECT, SUSPECT, SUSPECT, SUSPECT]),
    pitfalls: &[58],
    page: Page {
        why: "Each change costs a pause.",
        threshold: "More changes than the disturbance made.",
        source: "docs/disturb.md.",
        example: "Four times.",
        remedy: "See the path checkers and failback.",
    },
    check: Check::Made(Maker::Method("disturb")),
};

#[cfg(test)]
pub const KNOWN: crate::known::Known = crate::known::Known::Made;
