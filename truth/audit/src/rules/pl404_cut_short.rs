//! The step did not run its time.

use crate::{Check, Maker, Page, Rule, SUSPECT, Severities};

pub const RULE: Rule = Rule {
    number: 404,
    name: "cut-short",
    summary: "The step did not run its time.",
    severity: Severities::of([SUSPECT, SUSPECT, SUSPECT, SUSPECT, SUSPECT]),
    pitfalls: &[46],
    page: Page {
        why: "What was measured is the part until then, and what ended it may have changed it before.",
        threshold: "Interrupted, too many errors, or I/Os that did not come back.",
        source: "Follows from the numbers.",
        example: "Ended after 12 s of 60 s: too many I/Os failed.",
        remedy: "Run it again, or go on with `plimsoll resume`.",
    },
    check: Check::Made(Maker::Judge),
};

#[cfg(test)]
pub const KNOWN: crate::known::Known = crate::known::Known::Made;
