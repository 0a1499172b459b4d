//! The generator itself was late.

use crate::{Check, Maker, Page, Rule, SUSPECT, Severities};

pub const RULE: Rule = Rule {
    number: 412,
    name: "generator-late",
    summary: "The generator itself was late.",
    severity: Severities::of([SUSPECT, SUSPECT, SUSPECT, SUSPECT, SUSPECT]),
    pitfalls: &[27, 28, 51],
    page: Page {
        why: "On schedule an I/O that the generator sends late has its lateness in the response time. It is the host's time, \
            and the target gets the blame.",
        threshold: "The 99th percentile of lateness is more than 10 % of that of the response.",
        source: "docs/output.md.",
        example: "p99 of the lateness 0.4 ms, of the response 0.9 ms.",
        remedy: "Give it CPUs that nothing else uses, use waiting = \"punctual\", and judge by service times.",
    },
    check: Check::Made(Maker::Judge),
};

#[cfg(test)]
pub const KNOWN: crate::known::Known = crate::known::Known::Made;
