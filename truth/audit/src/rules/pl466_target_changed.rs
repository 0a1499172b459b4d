//! The target changed while it was measured.

use crate::{Check, Maker, Page, Rule, SUSPECT, Severities};

pub const RULE: Rule = Rule {
    number: 466,
    name: "target-changed",
    summary: "The target changed while it was measured.",
    severity: Severities::of([SUSPECT, SUSPECT, SUSPECT, SUSPECT, SUSPECT]),
    pitfalls: &[17],
    page: Page {
        why: "From the first step to the last it came to carry more, or less: what was measured late had another target.",
        threshold: "A drift over the steps beyond chance.",
        source: "docs/sweep.md.",
        example: "8 % less from the first round to the last.",
        remedy: "Precondition it, or let it rest; a drawn order keeps it from favouring a cell.",
    },
    check: Check::Made(Maker::Method("sweep")),
};

#[cfg(test)]
pub const KNOWN: crate::known::Known = crate::known::Known::Made;
