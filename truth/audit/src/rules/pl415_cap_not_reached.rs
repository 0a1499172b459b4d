//! A workload did not come to its most.

use crate::{Check, Maker, NOTE, Page, Rule, Severities};

pub const RULE: Rule = Rule {
    number: 415,
    name: "cap-not-reached",
    summary: "A workload did not come to its most.",
    severity: Severities::of([NOTE, NOTE, NOTE, NOTE, NOTE]),
    pitfalls: &[29],
    page: Page {
        why: "Something else held it back: its think times, its slots or the target.",
        threshold: "Less than 99 % of `max_rate` or `max_bandwidth`.",
        source: "Follows from the plan.",
        example: "max_rate = \"50k\": 31,000/s came through 32 slots.",
        remedy: "See the depth and the response time.",
    },
    check: Check::Made(Maker::Judge),
};

#[cfg(test)]
pub const KNOWN: crate::known::Known = crate::known::Known::Made;
