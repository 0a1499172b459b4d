//! I/Os failed in a disturbance.

use crate::{Check, Maker, Page, Rule, SUSPECT, Severities};

pub const RULE: Rule = Rule {
    number: 485,
    name: "disturb-errors",
    summary: "I/Os failed in a disturbance.",
    severity: Severities::of([SUSPECT, SUSPECT, SUSPECT, SUSPECT, SUSPECT]),
    pitfalls: &[12],
    page: Page {
        why: "An application sees errors, not only waiting; of a failed write nobody knows what is there.",
        threshold: "Any failed I/O.",
        source: "docs/disturb.md.",
        example: "14 I/Os in 2 of 5 repeats.",
        remedy: "Raise retries and path timeouts, or state it.",
    },
    check: Check::Made(Maker::Method("disturb")),
};

#[cfg(test)]
pub const KNOWN: crate::known::Known = crate::known::Known::Made;
