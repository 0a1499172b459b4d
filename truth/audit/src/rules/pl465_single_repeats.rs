//! Each cell was measured once.

use crate::{Check, Maker, Page, Rule, SUSPECT, Severities};

pub const RULE: Rule = Rule {
    number: 465,
    name: "single-repeats",
    summary: "Each cell was measured once.",
    severity: Severities::of([SUSPECT, SUSPECT, SUSPECT, SUSPECT, SUSPECT]),
    pitfalls: &[63],
    page: Page {
        why: "How far repeats lie apart is not known.",
        threshold: "One repeat.",
        source: "Maricq and others (OSDI 2018).",
        example: "Two cells 4 % apart.",
        remedy: "Give at least 2 repeats, better 5.",
    },
    check: Check::Made(Maker::Method("sweep")),
};

#[cfg(test)]
pub const KNOWN: crate::known::Known = crate::known::Known::Made;
