//! No I/O came back in the counted time.

use crate::{Check, INVALID, Maker, Page, Rule, Severities};

pub const RULE: Rule = Rule {
    number: 403,
    name: "nothing-completed",
    summary: "No I/O came back in the counted time.",
    severity: Severities::of([INVALID, INVALID, INVALID, INVALID, INVALID]),
    pitfalls: &[46],
    page: Page {
        why: "A rate of nothing is a target that hangs, or a step that is shorter than one of its I/Os.",
        threshold: "No completed I/O in the counted time.",
        source: "Follows from the numbers.",
        example: "Ten seconds of I/Os to a path that is down and retries for 30 s.",
        remedy: "See the paths and the kernel's log; measure longer.",
    },
    check: Check::Made(Maker::Judge),
};

#[cfg(test)]
pub const KNOWN: crate::known::Known = crate::known::Known::Made;
