//! Preconditioning ended unsteady.

use crate::{Check, Maker, Page, Rule, SUSPECT, Severities};

pub const RULE: Rule = Rule {
    number: 474,
    name: "soak-rounds-unsteady",
    summary: "Preconditioning ended unsteady.",
    severity: Severities::of([SUSPECT, SUSPECT, SUSPECT, SUSPECT, SUSPECT]),
    pitfalls: &[16, 15],
    page: Page {
        why: "The soak began on storage in transition.",
        threshold: "25 rounds without a steady window.",
        source: "SNIA PTS.",
        example: "25 rounds.",
        remedy: "Soak longer, or look for what changes the target.",
    },
    check: Check::Made(Maker::Method("soak")),
};

#[cfg(test)]
pub const KNOWN: crate::known::Known = crate::known::Known::Made;
