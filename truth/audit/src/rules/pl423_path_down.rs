//! A path to the target was down.

use crate::{Check, Maker, NOTE, Page, Rule, Severities};

pub const RULE: Rule = Rule {
    number: 423,
    name: "path-down",
    summary: "A path to the target was down.",
    severity: Severities::of([NOTE, NOTE, NOTE, NOTE, NOTE]),
    pitfalls: &[58],
    page: Page {
        why: "I/Os that were on it waited for a deadline and were sent again on another one.",
        threshold: "A path of an NBD target went down in the step.",
        source: "The client's own events.",
        example: "One of two paths was down from 1.5 s to 2.0 s: 7 I/Os were sent again.",
        remedy: "See the network and the server; for the response, docs/disturb.md.",
    },
    check: Check::Made(Maker::Rig),
};

#[cfg(test)]
pub const KNOWN: crate::known::Known = crate::known::Known::Made;
