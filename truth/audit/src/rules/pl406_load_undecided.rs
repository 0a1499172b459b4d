//! Whether the load is carried cannot be told.

use crate::{Check, Maker, Page, Rule, SUSPECT, Severities};

pub const RULE: Rule = Rule {
    number: 406,
    name: "load-undecided",
    summary: "Whether the load is carried cannot be told.",
    severity: Severities::of([SUSPECT, SUSPECT, SUSPECT, SUSPECT, SUSPECT]),
    pitfalls: &[29, 46],
    page: Page {
        why: "A shortfall at the end can be a backlog that grows, or one that would have gone a second later. A short step \
            does not tell them apart.",
        threshold: "A shortfall of more than 0.5 % that may be chance, or that the host may have made.",
        source: "docs/output.md.",
        example: "2 % short after 5 s, with one stall in it.",
        remedy: "Run it longer.",
    },
    check: Check::Made(Maker::Judge),
};

#[cfg(test)]
pub const KNOWN: crate::known::Known = crate::known::Known::Made;
