//! A point did more than the maximum.

use crate::{Check, Maker, Page, Rule, SUSPECT, Severities};

pub const RULE: Rule = Rule {
    number: 432,
    name: "maximum-exceeded",
    summary: "A point did more than the maximum.",
    severity: Severities::of([SUSPECT, SUSPECT, SUSPECT, SUSPECT, SUSPECT]),
    pitfalls: &[17, 45],
    page: Page {
        why: "Points are percentages of the maximum. Where one of them passes it, it was no maximum, and all of them lie too \
            low.",
        threshold: "A point above the maximum, by more than both uncertainties.",
        source: "docs/method.md.",
        example: "41,000/s at 100 %, maximum 38,000: the array had warmed up.",
        remedy: "Warm up longer, or use more slots.",
    },
    check: Check::Made(Maker::Curve),
};

#[cfg(test)]
pub const KNOWN: crate::known::Known = crate::known::Known::Made;
