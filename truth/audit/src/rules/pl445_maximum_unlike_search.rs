//! The maximum is unlike what the search had found.

use crate::{Check, Maker, Page, Rule, SUSPECT, Severities};

pub const RULE: Rule = Rule {
    number: 445,
    name: "maximum-unlike-search",
    summary: "The maximum is unlike what the search had found.",
    severity: Severities::of([SUSPECT, SUSPECT, SUSPECT, SUSPECT, SUSPECT]),
    pitfalls: &[17, 24],
    page: Page {
        why: "A few seconds and a longer time say different things: what was seen in the search does not last, or the target \
            changed.",
        threshold: "The maximum run and the search's best differ by more than their uncertainties and a tenth.",
        source: "docs/method.md.",
        example: "52,000/s in 3 s, 41,000/s in 60 s.",
        remedy: "Measure longer; see `plimsoll soak`.",
    },
    check: Check::Made(Maker::Curve),
};

#[cfg(test)]
pub const KNOWN: crate::known::Known = crate::known::Known::Made;
