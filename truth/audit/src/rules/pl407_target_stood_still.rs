//! The target answered nothing for a while.

use crate::{Check, Maker, Page, Rule, SUSPECT, Severities};

pub const RULE: Rule = Rule {
    number: 407,
    name: "target-stood-still",
    summary: "The target answered nothing for a while.",
    severity: Severities::of([SUSPECT, SUSPECT, SUSPECT, SUSPECT, SUSPECT]),
    pitfalls: &[36],
    page: Page {
        why: "In a closed loop only as many I/Os as there are slots notice it. Percentiles by count hardly show a second in \
            which nothing happened.",
        threshold: "No completion for longer than chance, think times and windows explain.",
        source: "Tene, How NOT to Measure Latency.",
        example: "1.2 s without an answer in 60 s: 32 of 2,000,000 I/Os show it.",
        remedy: "See what the target did: failover, a log, garbage collection.",
    },
    check: Check::Made(Maker::Judge),
};

#[cfg(test)]
pub const KNOWN: crate::known::Known = crate::known::Known::Made;
