//! The load was not carried before the disturbance.

use crate::{Check, Maker, Page, Rule, SUSPECT, Severities};

pub const RULE: Rule = Rule {
    number: 483,
    name: "disturb-not-carried",
    summary: "The load was not carried before the disturbance.",
    severity: Severities::of([SUSPECT, SUSPECT, SUSPECT, SUSPECT, SUSPECT]),
    pitfalls: &[29],
    page: Page {
        why: "A backlog that was there before looks like the disturbance's.",
        threshold: "Less than the rate was done before it.",
        source: "docs/disturb.md.",
        example: "93 % before the first action.",
        remedy: "Ask for less.",
    },
    check: Check::Made(Maker::Method("disturb")),
};

#[cfg(test)]
pub const KNOWN: crate::known::Known = crate::known::Known::Made;
