//! On the way down the response was another than on the way up.

use crate::{Check, Maker, Page, Rule, SUSPECT, Severities};

pub const RULE: Rule = Rule {
    number: 454,
    name: "hysteresis",
    summary: "On the way down the response was another than on the way up.",
    severity: Severities::of([SUSPECT, SUSPECT, SUSPECT, SUSPECT, SUSPECT]),
    pitfalls: &[17, 18],
    page: Page {
        why: "The state of the storage depends on what came before: a cache, a queue, garbage that was left.",
        threshold: "Points of the same rate differ by more than their uncertainties.",
        source: "docs/curve-adaptive.md.",
        example: "0.9 ms up and 1.4 ms down at 20,000/s.",
        remedy: "State the direction, and let it settle between points.",
    },
    check: Check::Made(Maker::Method("adaptive")),
};

#[cfg(test)]
pub const KNOWN: crate::known::Known = crate::known::Known::Made;
