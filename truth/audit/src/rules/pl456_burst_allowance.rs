//! What the target lets through at first is not what it carries.

use crate::{Check, Maker, NOTE, Page, Rule, Severities};

pub const RULE: Rule = Rule {
    number: 456,
    name: "burst-allowance",
    summary: "What the target lets through at first is not what it carries.",
    severity: Severities::of([NOTE, NOTE, NOTE, NOTE, NOTE]),
    pitfalls: &[24, 25],
    page: Page {
        why: "A limiter by tokens lets a burst pass that was saved up. A short point behind a rest looks carried that would not last.",
        threshold: "Behind a full load, without a rest, the rate that is kept is lower than behind a rest.",
        source: "docs/curve-adaptive.md.",
        example: "A limit of 400/s with two seconds of burst was taken for 412/s.",
        remedy: "Nothing is to be done: the capacity is the one behind a full load.",
    },
    check: Check::Made(Maker::Method("adaptive")),
};

#[cfg(test)]
pub const KNOWN: crate::known::Known = crate::known::Known::Made;
