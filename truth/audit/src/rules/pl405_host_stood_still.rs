//! Plimsoll itself did not run for a while.

use crate::{Check, Maker, Page, Rule, SUSPECT, Severities};

pub const RULE: Rule = Rule {
    number: 405,
    name: "host-stood-still",
    summary: "Plimsoll itself did not run for a while.",
    severity: Severities::of([SUSPECT, SUSPECT, SUSPECT, SUSPECT, SUSPECT]),
    pitfalls: &[51, 49, 60],
    page: Page {
        why: "A generator that is stopped asks nothing and sees nothing: the I/Os that were out look slow, and those that \
            were due come late. It is the host's doing, not the target's.",
        threshold: "A pause between two looks at the clock of a length that no I/O explains.",
        source: "The generator looks at the clock at least every 100 ms.",
        example: "The laptop's lid was closed for 40 s.",
        remedy: "Measure again where the host lets it run.",
    },
    check: Check::Made(Maker::Judge),
};

#[cfg(test)]
pub const KNOWN: crate::known::Known = crate::known::Known::Made;
