//! I/Os failed.

use crate::{Check, INVALID, Maker, Page, Rule, Severities};

pub const RULE: Rule = Rule {
    number: 400,
    name: "ios-failed",
    summary: "I/Os failed.",
    severity: Severities::of([INVALID, INVALID, INVALID, INVALID, INVALID]),
    pitfalls: &[12],
    page: Page {
        why: "What fails is in no rate and no response time, and often comes back sooner than what succeeds. Storage that \
            refuses every tenth I/O is not a tenth slower, it is broken.",
        threshold: "Any failed or short I/O, those of the warm-up too.",
        source: "The catalogue: any error makes a result invalid.",
        example: "3 of 2,000,000 reads end with EIO: three blocks cannot be read, and the drive spent its time on them.",
        remedy: "See what failed and where (the list of errors), and repair it before you measure again.",
    },
    check: Check::Made(Maker::Judge),
};

#[cfg(test)]
pub const KNOWN: crate::known::Known = crate::known::Known::Made;
