//! A point carried far less than the maximum that it is a part of.

use crate::{Check, Maker, Page, Rule, SUSPECT, Severities};

pub const RULE: Rule = Rule {
    number: 449,
    name: "maximum-not-held",
    summary: "A point carried far less than the maximum that it is a part of.",
    severity: Severities::of([SUSPECT, SUSPECT, SUSPECT, SUSPECT, SUSPECT]),
    pitfalls: &[11, 14, 24],
    page: Page {
        why: "A point below the maximum is carried, or the maximum was not one that lasts: a cache or a pool of free blocks was used up in it.",
        threshold: "A point below 100 % reached at least a fifth less than it was offered, and was saturated.",
        source: "docs/method.md.",
        example: "The maximum run said 1,714/s, the point of 90 % carried 597/s.",
        remedy: "Precondition the target, measure longer, and see `plimsoll soak`.",
    },
    check: Check::Made(Maker::Curve),
};

#[cfg(test)]
pub const KNOWN: crate::known::Known = crate::known::Known::Made;
