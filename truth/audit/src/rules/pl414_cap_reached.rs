//! The plan's own most held a workload back.

use crate::{Check, Maker, NOTE, Page, Rule, Severities};

pub const RULE: Rule = Rule {
    number: 414,
    name: "cap-reached",
    summary: "The plan's own most held a workload back.",
    severity: Severities::of([NOTE, NOTE, NOTE, NOTE, NOTE]),
    pitfalls: &[34],
    page: Page {
        why: "The rate is what was allowed, not what the target carries.",
        threshold: "A workload came to its `max_rate` or `max_bandwidth`.",
        source: "Follows from the plan.",
        example: "max_rate = \"5000\": 5,000/s.",
        remedy: "Lift the most where the target's maximum is asked for.",
    },
    check: Check::Made(Maker::Judge),
};

#[cfg(test)]
pub const KNOWN: crate::known::Known = crate::known::Known::Made;
