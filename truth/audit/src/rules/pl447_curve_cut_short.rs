//! The curve did not come to its end.

use crate::{Check, Maker, Page, Rule, SUSPECT, Severities};

pub const RULE: Rule = Rule {
    number: 447,
    name: "curve-cut-short",
    summary: "The curve did not come to its end.",
    severity: Severities::of([SUSPECT, SUSPECT, SUSPECT, SUSPECT, SUSPECT]),
    pitfalls: &[46],
    page: Page {
        why: "Points are missing.",
        threshold: "Fewer points than were asked for.",
        source: "The definition.",
        example: "4 of 6 points.",
        remedy: "Go on with `plimsoll resume`.",
    },
    check: Check::Made(Maker::Curve),
};

#[cfg(test)]
pub const KNOWN: crate::known::Known = crate::known::Known::Made;
