//! The disturbance did not happen.

use crate::{Check, Maker, Page, Rule, SUSPECT, Severities};

pub const RULE: Rule = Rule {
    number: 480,
    name: "disturb-not-done",
    summary: "The disturbance did not happen.",
    severity: Severities::of([SUSPECT, SUSPECT, SUSPECT, SUSPECT, SUSPECT]),
    pitfalls: &[12],
    page: Page {
        why: "What was measured is the undisturbed load.",
        threshold: "The action failed, or the step ended before it.",
        source: "The action's own end.",
        example: "exit status: 1.",
        remedy: "See its output.",
    },
    check: Check::Made(Maker::Method("disturb")),
};

#[cfg(test)]
pub const KNOWN: crate::known::Known = crate::known::Known::Made;
