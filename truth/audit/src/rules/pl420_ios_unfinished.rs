//! I/Os were given up.

use crate::{Check, Maker, Page, Rule, SUSPECT, Severities};

pub const RULE: Rule = Rule {
    number: 420,
    name: "ios-unfinished",
    summary: "I/Os were given up.",
    severity: Severities::of([SUSPECT, SUSPECT, SUSPECT, SUSPECT, SUSPECT]),
    pitfalls: &[12],
    page: Page {
        why: "What did not come back by the end of the drain has a time that nobody knows. Its waiting until then is in the \
            numbers, the rest is not.",
        threshold: "An I/O that is still out at the drain's deadline.",
        source: "--drain, 30 s by default.",
        example: "Two I/Os were still out 30 s after the end.",
        remedy: "See the paths and the kernel's log.",
    },
    check: Check::Made(Maker::Rig),
};

#[cfg(test)]
pub const KNOWN: crate::known::Known = crate::known::Known::Made;
