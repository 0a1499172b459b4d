//! A path was not used again.

use crate::{Check, Maker, NOTE, Page, Rule, Severities};

pub const RULE: Rule = Rule {
    number: 488,
    name: "disturb-no-failback",
    summary: "A path was not used again.",
    severity: Severities::of([NOTE, NOTE, NOTE, NOTE, NOTE]),
    pitfalls: &[58],
    page: Page {
        why: "The repaired path carries nothing.",
        threshold: "No share of it after it came back.",
        source: "docs/disturb.md.",
        example: "failback manual.",
        remedy: "Set failback immediate, where it is wanted.",
    },
    check: Check::Made(Maker::Method("disturb")),
};

#[cfg(test)]
pub const KNOWN: crate::known::Known = crate::known::Known::Made;
