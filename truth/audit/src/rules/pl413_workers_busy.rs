//! The rate is what the host can issue.

use crate::{Check, Maker, Page, Rule, SUSPECT, Severities};

pub const RULE: Rule = Rule {
    number: 413,
    name: "workers-busy",
    summary: "The rate is what the host can issue.",
    severity: Severities::of([SUSPECT, SUSPECT, SUSPECT, SUSPECT, SUSPECT]),
    pitfalls: &[27],
    page: Page {
        why: "A closed loop whose threads are busy all the time is bound by them. More of the target would not show.",
        threshold: "Worker threads busy at least 95 % of the time, in a closed loop.",
        source: "The catalogue has 85 % for a warning and 95 % for a claim on the device.",
        example: "Two workers at 99 %: 900,000/s from drives that carry three million.",
        remedy: "Use more workers or larger batches, or claim host.",
    },
    check: Check::Made(Maker::Judge),
};

#[cfg(test)]
pub const KNOWN: crate::known::Known = crate::known::Known::Made;
