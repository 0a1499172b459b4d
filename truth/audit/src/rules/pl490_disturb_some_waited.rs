//! A few I/Os waited much longer than the gap.

use crate::{Check, Maker, NOTE, Page, Rule, Severities};

pub const RULE: Rule = Rule {
    number: 490,
    name: "disturb-some-waited",
    summary: "A few I/Os waited much longer than the gap.",
    severity: Severities::of([NOTE, NOTE, NOTE, NOTE, NOTE]),
    pitfalls: &[36],
    page: Page {
        why: "The gap is that of most; single I/Os had another path's deadline.",
        threshold: "The longest response is more than twice the gap.",
        source: "docs/disturb.md.",
        example: "Gap 1.2 s, longest 30 s.",
        remedy: "See the deadline of a path.",
    },
    check: Check::Made(Maker::Method("disturb")),
};

#[cfg(test)]
pub const KNOWN: crate::known::Known = crate::known::Known::Made;
