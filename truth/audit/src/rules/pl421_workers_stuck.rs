//! Worker threads did not come back.

use crate::{Check, Maker, Page, Rule, SUSPECT, Severities};

pub const RULE: Rule = Rule {
    number: 421,
    name: "workers-stuck",
    summary: "Worker threads did not come back.",
    severity: Severities::of([SUSPECT, SUSPECT, SUSPECT, SUSPECT, SUSPECT]),
    pitfalls: &[12, 43],
    page: Page {
        why: "A thread that the kernel does not return has counters that nobody can read any more.",
        threshold: "A worker that has not ended by the drain's deadline.",
        source: "--drain.",
        example: "3 worker threads wait for a device that hangs.",
        remedy: "See the device; the numbers lack those workers.",
    },
    check: Check::Made(Maker::Rig),
};

#[cfg(test)]
pub const KNOWN: crate::known::Known = crate::known::Known::Made;
