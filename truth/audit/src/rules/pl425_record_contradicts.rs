//! The record contradicts itself.

use crate::{Check, INVALID, Maker, Page, Rule, Severities};

pub const RULE: Rule = Rule {
    number: 425,
    name: "record-contradicts",
    summary: "The record contradicts itself.",
    severity: Severities::all(INVALID),
    pitfalls: &[],
    page: Page {
        why: "A record says most things more than once: the columns of a step are made from its evidence and histograms, and what it \
            counted is the sum of its intervals. Where they differ, somebody changed one of them.",
        threshold: "A column of `steps`, or of the tables of its workloads, targets and streams, that is more than 1 % off its \
            step's evidence or histograms; I/Os or bytes that are not those of the counted intervals together; an interval's rate that is more than 1 % off its I/Os over its length. Looked at where a \
            record is read: `plimsoll audit RECORD` judges by it; `show`, `export` and `report` warn of it on standard error.",
        source: "By definition. What was changed alike in all of these places is not found, nor what is said once: the definition, the \
            environment, what everyone else saw. A record is not signed.",
        example: "UPDATE steps SET iops = 2 * iops: 20,000/s in the table, and 10,000/s by its intervals.",
        remedy: "Ask for the record as it was written, or measure again.",
    },
    check: Check::Made(Maker::Rig),
};

#[cfg(test)]
pub const KNOWN: crate::known::Known = crate::known::Known::Made;
