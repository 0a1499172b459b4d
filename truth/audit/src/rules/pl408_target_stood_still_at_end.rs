//! The target answered nothing at the end.

use crate::{Check, Maker, Page, Rule, SUSPECT, Severities};

pub const RULE: Rule = Rule {
    number: 408,
    name: "target-stood-still-at-end",
    summary: "The target answered nothing at the end.",
    severity: Severities::of([SUSPECT, SUSPECT, SUSPECT, SUSPECT, SUSPECT]),
    pitfalls: &[36, 45],
    page: Page {
        why: "What stands still at the end has no completions that would show how long it took.",
        threshold: "No completion in the last part of the step, for longer than chance explains.",
        source: "As target-stood-still (PL407).",
        example: "The last 3 s of 30 s have no completion.",
        remedy: "See what the target did, and measure longer.",
    },
    check: Check::Made(Maker::Judge),
};

#[cfg(test)]
pub const KNOWN: crate::known::Known = crate::known::Known::Made;
