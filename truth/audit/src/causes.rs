//! Causes among findings: what says why stands before what says what became of the numbers for it.

use crate::find;
use plimsoll_evidence::Finding;
use std::collections::HashSet;

/// Rules that say what became of the numbers, each with those that say why.
const WHY: &[(u16, &[u16])] = &[
    (101, &[108, 205, 206, 207, 407, 408, 409]),
    (102, &[37, 205, 206, 207, 408, 409]),
    (103, &[37, 207, 408, 409, 449]),
    (104, &[37, 207, 408, 409, 449]),
    (105, &[501, 521, 523, 524, 525]),
    (108, &[205, 206, 207, 407]),
    (114, &[501, 510, 512, 515, 516]),
    (130, &[405]),
    (203, &[207, 407, 408]),
    (410, &[108, 205, 206, 207]),
    (411, &[108, 201, 203, 205, 206, 207, 407, 449, 540]),
];

/// Findings of a run, by which one of them may be explained.
#[derive(Debug, Default)]
pub struct Causes(HashSet<(u16, Option<u32>)>);

impl Causes {
    /// Causes among these.
    pub fn among<'a>(findings: impl IntoIterator<Item = &'a Finding>) -> Self {
        let causes = |number: u16| WHY.iter().any(|(_, why)| why.contains(&number));
        let numbered = findings
            .into_iter()
            .filter_map(|f| Some((find(&f.rule)?.number, f.step)));
        Causes(numbered.filter(|(number, _)| causes(*number)).collect())
    }

    /// True of a finding that another one explains: of the same step, or of the plan.
    pub fn explain(&self, finding: &Finding) -> bool {
        let number = find(&finding.rule).map(|rule| rule.number);
        let why = WHY.iter().find(|(what, _)| Some(*what) == number);
        let mut why = why.into_iter().flat_map(|(_, why)| *why);
        why.any(|n| self.0.contains(&(*n, finding.step)) || self.0.contains(&(*n, None)))
    }
}

#[test]
fn what_explains_is_of_the_same_step_or_of_the_plan() {
    use plimsoll_evidence::Severity;
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
}
