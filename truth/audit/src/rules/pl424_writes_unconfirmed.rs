//! Writes may arrive twice.

use crate::{Check, Maker, Page, Rule, SUSPECT, Severities};

pub const RULE: Rule = Rule {
    number: 424,
    name: "writes-unconfirmed",
    summary: "Writes may arrive twice.",
    severity: Severities::of([SUSPECT, SUSPECT, SUSPECT, SUSPECT, SUSPECT]),
    pitfalls: &[12],
    page: Page {
        why: "A write that was sent again on another path may still arrive by the first one, and overwrite what was written \
            after it.",
        threshold: "A write that counted as done while a copy of it was out.",
        source: "The client's own count.",
        example: "2 writes were sent again when a path went silent.",
        remedy: "Do not rely on the content of these blocks.",
    },
    check: Check::Made(Maker::Rig),
};

#[cfg(test)]
pub const KNOWN: crate::known::Known = crate::known::Known::Made;
