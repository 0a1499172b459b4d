//! A curve that has no answer to what it was asked.

use crate::{Check, Maker, Page, Rule, SUSPECT, Severities};

pub const RULE: Rule = Rule {
    number: 448,
    name: "curve-undecided",
    summary: "A curve that has no answer to what it was asked.",
    severity: Severities::of([SUSPECT, SUSPECT, SUSPECT, SUSPECT, SUSPECT]),
    pitfalls: &[],
    page: Page {
        why: "A capacity between points that were not measured, or behind a host that was late, is a guess.",
        threshold: "An asked limit was neither kept nor broken by a point that counts, no point kept up, or the curve ended early.",
        source: "docs/method.md.",
        example: "Asked for p99 below 2 ms; every point up to 100 % kept it.",
        remedy: "Do what its sentence says: more points, a longer time, a rested host.",
    },
    check: Check::Made(Maker::Curve),
};

#[cfg(test)]
pub const KNOWN: crate::known::Known = crate::known::Known::Made;
