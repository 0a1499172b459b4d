//! The beginning that was counted still looks like warm-up.

use crate::{Check, Maker, Page, Rule, SUSPECT, Severities};

pub const RULE: Rule = Rule {
    number: 410,
    name: "warm-up-short",
    summary: "The beginning that was counted still looks like warm-up.",
    severity: Severities::of([SUSPECT, SUSPECT, SUSPECT, SUSPECT, SUSPECT]),
    pitfalls: &[45, 18],
    page: Page {
        why: "Where the first part is unlike the rest, the mean is of two things.",
        threshold: "MSER-5 cuts a first part off, and the rest is steady.",
        source: "White (1997): the truncation that makes the rest's mean surest.",
        example: "The first 6 s of 60 s rise from 20,000 to 31,000/s.",
        remedy: "Use the longer warm-up that it names.",
    },
    check: Check::Made(Maker::Judge),
};

#[cfg(test)]
pub const KNOWN: crate::known::Known = crate::known::Known::Made;
