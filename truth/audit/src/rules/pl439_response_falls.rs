//! The response falls with more load.

use crate::{Check, Maker, Page, Rule, SUSPECT, Severities};

pub const RULE: Rule = Rule {
    number: 439,
    name: "response-falls",
    summary: "The response falls with more load.",
    severity: Severities::of([SUSPECT, SUSPECT, SUSPECT, SUSPECT, SUSPECT]),
    pitfalls: &[17, 18, 20],
    page: Page {
        why: "More load cannot make storage faster. Something warmed up, woke up or changed between the points.",
        threshold: "A fall along the curve beyond what isotonic regression allows for.",
        source: "docs/statistics.md; fio#1394 has it of power states.",
        example: "0.9 ms at 10 %, 0.6 ms at 50 %: the CPUs had slept.",
        remedy: "Repeat with a longer warm-up or in another order.",
    },
    check: Check::Made(Maker::Curve),
};

#[cfg(test)]
pub const KNOWN: crate::known::Known = crate::known::Known::Made;
