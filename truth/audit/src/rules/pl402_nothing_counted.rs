//! The step ended in its warm-up.

use crate::{Check, INVALID, Maker, Page, Rule, Severities};

pub const RULE: Rule = Rule {
    number: 402,
    name: "nothing-counted",
    summary: "The step ended in its warm-up.",
    severity: Severities::of([INVALID, INVALID, INVALID, INVALID, INVALID]),
    pitfalls: &[46],
    page: Page {
        why: "What is not counted is no result.",
        threshold: "No counted interval.",
        source: "Follows from the definition of the warm-up.",
        example: "A warm-up of 60 s and a limit of 10 GiB, which is reached after 40 s.",
        remedy: "Shorten the warm-up, or lift the limit.",
    },
    check: Check::Made(Maker::Judge),
};

#[cfg(test)]
pub const KNOWN: crate::known::Known = crate::known::Known::Made;
