//! The maximum is that of a closed loop.

use crate::{Check, Maker, NOTE, Page, Rule, Severities};

pub const RULE: Rule = Rule {
    number: 430,
    name: "closed-loop-maximum",
    summary: "The maximum is that of a closed loop.",
    severity: Severities::of([NOTE, NOTE, NOTE, NOTE, NOTE]),
    pitfalls: &[28, 32],
    page: Page {
        why: "A closed loop of N never has more than N waiting. What the same storage carries of independent arrivals is \
            less.",
        threshold: "Every curve in which the depth was given and not looked for.",
        source: "A published curve: 130,848/s in a closed loop of 512, 122,500/s by the fit of its points.",
        example: "130,848/s at 512 in flight.",
        remedy: "Take the capacity from the limits on the response time.",
    },
    check: Check::Made(Maker::Curve),
};

#[cfg(test)]
pub const KNOWN: crate::known::Known = crate::known::Known::Made;
