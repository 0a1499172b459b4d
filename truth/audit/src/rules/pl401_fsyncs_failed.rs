//! Flushes failed.

use crate::{Check, INVALID, Maker, Page, Rule, Severities};

pub const RULE: Rule = Rule {
    number: 401,
    name: "fsyncs-failed",
    summary: "Flushes failed.",
    severity: Severities::of([INVALID, INVALID, INVALID, INVALID, INVALID]),
    pitfalls: &[12, 9],
    page: Page {
        why: "After a failed flush nobody knows what of the writes before it is safe. The kernel may have dropped them.",
        threshold: "Any failed fsync or flush.",
        source: "fsync(2): after an error the dirty pages may be gone.",
        example: "One fsync of 10,000 ends with EIO: the writes before it were answered well and may be lost.",
        remedy: "Find the cause in the kernel's log before you trust the target with data.",
    },
    check: Check::Made(Maker::Judge),
};

#[cfg(test)]
pub const KNOWN: crate::known::Known = crate::known::Known::Made;
