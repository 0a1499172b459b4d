//! The test is in the style of the specification, not compliant.

use crate::{Check, Maker, NOTE, Page, Rule, Severities};

pub const RULE: Rule = Rule {
    number: 495,
    name: "pts-style",
    summary: "The test is in the style of the specification, not compliant.",
    severity: Severities::of([NOTE, NOTE, NOTE, NOTE, NOTE]),
    pitfalls: &[15],
    page: Page {
        why: "The specification asks for a purge, for its own times and for all of the device.",
        threshold: "Anything of it that was changed.",
        source: "SNIA Solid State Storage Performance Test Specification.",
        example: "Rounds were scaled down 60 times.",
        remedy: "Run it unscaled, on a purged device.",
    },
    check: Check::Made(Maker::Method("pts")),
};

#[cfg(test)]
pub const KNOWN: crate::known::Known = crate::known::Known::Made;
