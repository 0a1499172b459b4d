//! I/Os of a curve failed.

use crate::{Check, Maker, Page, Rule, SUSPECT, Severities};

pub const RULE: Rule = Rule {
    number: 431,
    name: "curve-ios-failed",
    summary: "I/Os of a curve failed.",
    severity: Severities::of([SUSPECT, SUSPECT, SUSPECT, SUSPECT, SUSPECT]),
    pitfalls: &[12],
    page: Page {
        why: "As ios-failed (PL400): the points lack what failed.",
        threshold: "Any failed I/O in a step of a curve.",
        source: "As PL400.",
        example: "12 I/Os failed at 90 %.",
        remedy: "See why before you trust the curve.",
    },
    check: Check::Made(Maker::Curve),
};

#[cfg(test)]
pub const KNOWN: crate::known::Known = crate::known::Known::Made;
