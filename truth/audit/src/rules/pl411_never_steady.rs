//! The step found no level.

use crate::{Check, Maker, Page, Rule, SUSPECT, Severities};

pub const RULE: Rule = Rule {
    number: 411,
    name: "never-steady",
    summary: "The step found no level.",
    severity: Severities::of([SUSPECT, SUSPECT, SUSPECT, SUSPECT, SUSPECT]),
    pitfalls: &[16],
    page: Page {
        why: "A mean over what rises, falls or jumps is the rate of no time. Twice as long, it is another.",
        threshold: "Over five equal parts the series spans more than 20 % of its mean, or drifts by more than 10 %.",
        source: "SNIA PTS: the window of five rounds.",
        example: "From 40,000/s down to 25,000/s in 60 s, and going on.",
        remedy: "Run it longer with a longer warm-up, or `plimsoll soak`.",
    },
    check: Check::Made(Maker::Judge),
};

#[cfg(test)]
pub const KNOWN: crate::known::Known = crate::known::Known::Made;
