//! The longer measurement reached less than the search.

use crate::{Check, Maker, Page, Rule, SUSPECT, Severities};

pub const RULE: Rule = Rule {
    number: 462,
    name: "less-than-in-search",
    summary: "The longer measurement reached less than the search.",
    severity: Severities::of([SUSPECT, SUSPECT, SUSPECT, SUSPECT, SUSPECT]),
    pitfalls: &[24, 17],
    page: Page {
        why: "What was seen in a few seconds does not last.",
        threshold: "Less by more than a tenth.",
        source: "docs/saturate.md.",
        example: "52,000/s searched, 31,000/s measured.",
        remedy: "Measure longer; see `plimsoll soak`.",
    },
    check: Check::Made(Maker::Method("saturate")),
};

#[cfg(test)]
pub const KNOWN: crate::known::Known = crate::known::Known::Made;
