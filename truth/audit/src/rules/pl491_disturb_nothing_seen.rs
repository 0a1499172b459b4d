//! Nothing was to be seen of the disturbance.

use crate::{Check, Maker, NOTE, Page, Rule, Severities};

pub const RULE: Rule = Rule {
    number: 491,
    name: "disturb-nothing-seen",
    summary: "Nothing was to be seen of the disturbance.",
    severity: Severities::of([NOTE, NOTE, NOTE, NOTE, NOTE]),
    pitfalls: &[62],
    page: Page {
        why: "It was transparent, or it did not touch what was measured.",
        threshold: "No gap, no dip, no error.",
        source: "docs/disturb.md.",
        example: "Another LUN's path was pulled.",
        remedy: "Make sure that it touched the paths in use.",
    },
    check: Check::Made(Maker::Method("disturb")),
};

#[cfg(test)]
pub const KNOWN: crate::known::Known = crate::known::Known::Made;
