//! The disturbance was not undone.

use crate::{Check, Maker, Page, Rule, SUSPECT, Severities};

pub const RULE: Rule = Rule {
    number: 481,
    name: "disturb-not-undone",
    summary: "The disturbance was not undone.",
    severity: Severities::of([SUSPECT, SUSPECT, SUSPECT, SUSPECT, SUSPECT]),
    pitfalls: &[12],
    page: Page {
        why: "There is no recovery to measure.",
        threshold: "The second action failed.",
        source: "The action's own end.",
        example: "The link stayed down.",
        remedy: "See its output, and undo it by hand.",
    },
    check: Check::Made(Maker::Method("disturb")),
};

#[cfg(test)]
pub const KNOWN: crate::known::Known = crate::known::Known::Made;
