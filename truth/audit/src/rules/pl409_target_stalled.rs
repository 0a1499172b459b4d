//! A backlog came and went.

use crate::{Check, Maker, NOTE, Page, Rule, Severities};

pub const RULE: Rule = Rule {
    number: 409,
    name: "target-stalled",
    summary: "A backlog came and went.",
    severity: Severities::of([NOTE, NOTE, NOTE, NOTE, NOTE]),
    pitfalls: &[36],
    page: Page {
        why: "On schedule the I/Os that a stall held up have their waiting in the response time, as users would.",
        threshold: "A backlog that rose above its scatter and was worked off.",
        source: "docs/output.md.",
        example: "At 17.2 s it stalled for 0.8 s: 4,000 I/Os waited.",
        remedy: "See what the target did then.",
    },
    check: Check::Made(Maker::Judge),
};

#[cfg(test)]
pub const KNOWN: crate::known::Known = crate::known::Known::Made;
