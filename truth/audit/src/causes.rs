//! Causes among findings: what says why stands before what says what became of the numbers for it.

use crate::find;
use plimsoll_evidence::{Finding, Severity};

/// Rules that say what became of the numbers, each with those that say why. These are of the plan (37: too few slots), of how the rate went
/// (108), of arrays (201: duplicates, 203: a cache that fills, 205: a full journal, 206: flash that makes room, 207: paths), of who stood still
/// (405: Plimsoll, 407 to 409: the target) or was late (412), of methods (449: a curve's maximum did not last, 466: the target changed in a sweep, 475: a soak's
/// rate was not done), and of other tools' results (from
/// 500 on).
const WHY: &[(u16, &[u16])] = &[
    // wide-confidence
    (101, &[108, 205, 206, 207, 407, 408, 409]),
    // saturated-latency
    (102, &[37, 205, 206, 207, 408, 409, 412]),
    // rate-missed
    (103, &[37, 205, 206, 207, 408, 409, 412, 449]),
    // slots-were-the-limit
    (104, &[37, 205, 206, 207, 408, 409, 412, 449]),
    // littles-law
    (105, &[501, 521, 523, 524, 525]),
    // collapse
    (108, &[205, 206, 207, 407]),
    // depth-not-reached
    (114, &[501, 510, 512, 515, 516]),
    // cpu-starved
    (130, &[405]),
    // fell-in-warm-up
    (152, &[108, 205, 206, 207, 407]),
    // still-warming
    (203, &[108, 207]),
    // warm-up-short
    (410, &[108, 205, 206, 207, 466]),
    // never-steady
    (411, &[108, 201, 203, 205, 206, 207, 407, 449, 466, 540]),
    // curve-maximum-unsustained
    (449, &[205, 206, 207, 407, 408, 409]),
    // soak-short
    (471, &[475]),
];

/// Findings of a run by which another may be explained: the number, the step and the severity of each.
#[derive(Debug)]
pub struct Causes(Vec<(u16, Option<u32>, Severity)>);

impl Causes {
    /// Causes among these.
    pub fn among<'a>(findings: impl IntoIterator<Item = &'a Finding>) -> Self {
        let numbered = |f: &'a Finding| Some((find(&f.rule)?.number, f.step, f.severity));
        Causes(findings.into_iter().filter_map(numbered).collect())
    }

    /// True of a finding that another one explains, which is no less severe: of the same step, or of the plan.
    pub fn explain(&self, finding: &Finding) -> bool {
        let number = find(&finding.rule).map(|rule| rule.number);
        let Some((_, why)) = WHY.iter().find(|(what, _)| Some(*what) == number) else {
            return false;
        };
        self.0.iter().any(|(number, step, severity)| {
            why.contains(number)
                && *severity >= finding.severity
                && (step.is_none() || *step == finding.step)
        })
    }
}

#[test]
fn what_explains_is_of_the_same_step_or_of_the_plan() {
    let every = || WHY.iter().flat_map(|(what, why)| why.iter().chain([what]));
    assert!(every().all(|n| crate::RULES.iter().any(|rule| rule.number == *n)));
    let found = |rule: &str, step: Option<u32>| Finding {
        step,
        ..Finding::of_method(rule, Severity::Suspect, [])
    };
    let explained = |by: Finding| Causes::among([&by]).explain(&found("PL104", Some(2)));
    assert!(explained(found("target-stalled", Some(2))));
    assert!(explained(found("PL037", None)));
    assert!(!explained(found("PL409", Some(1))));
    assert!(!explained(found("PL102", Some(2))));
    // What is worth a note alone did not do it.
    assert!(!explained(Finding {
        severity: Severity::Note,
        ..found("PL409", Some(2))
    }));
}
