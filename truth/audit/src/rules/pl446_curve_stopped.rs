//! The curve stopped at its limit of service time.

use crate::{Check, Maker, NOTE, Page, Rule, Severities};

pub const RULE: Rule = Rule {
    number: 446,
    name: "curve-stopped",
    summary: "The curve stopped at its limit of service time.",
    severity: Severities::of([NOTE, NOTE, NOTE, NOTE, NOTE]),
    pitfalls: &[48],
    page: Page {
        why: "What was asked for: no point after it was measured.",
        threshold: "stop_service, or Vdbench's stopcurve.",
        source: "The definition.",
        example: "Stopped after 80 %.",
        remedy: "Nothing is to be done.",
    },
    check: Check::Made(Maker::Curve),
};

#[cfg(test)]
pub const KNOWN: crate::known::Known = crate::known::Known::Made;
