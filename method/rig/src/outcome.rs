//! Whether a run counts as clean.

use crate::RunResult;
use plimsoll_evidence::{Severity, Verdict};
use plimsoll_record::RunStatus;

/// Outcome of a run for whoever waits for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// Measured, and nothing failed.
    Clean,
    /// Measured; some failed, and the user had allowed for as many.
    Allowed,
    /// Measured, and I/Os failed, or did not come back.
    IosFailed,
    /// Measured, and a method could not answer its question: too short, too noisy. Nothing failed, or no more than was
    /// allowed for.
    Undecided,
    /// Measured, and the audit found it invalid for its claim; with `strict` also suspect.
    Invalid,
    /// Not all was measured, or not all of it is in the record.
    Unfinished,
}

impl RunResult {
    /// Failed I/Os and fsyncs of all steps, fills and warm-ups too.
    pub fn errors(&self) -> u64 {
        self.steps.iter().map(|s| s.errors).sum()
    }

    /// Outcome for whoever waits for the run.
    pub fn outcome(&self) -> Outcome {
        if self.record_error.is_some() {
            return Outcome::Unfinished;
        }
        let decided = self.undecided().next().is_none();
        outcome(
            &self.status,
            self.errors(),
            self.errors_are_allowed(),
            decided,
            self.is_invalid(),
        )
    }

    /// True where the audit found what makes the result false for its claim. What failed is judged by itself: the user may have allowed for
    /// it.
    pub fn is_invalid(&self) -> bool {
        let least = match self.strict {
            true => Severity::Suspect,
            false => Severity::Invalid,
        };
        let of_failures =
            |rule: &str| ["ios-failed", "fsyncs-failed", "curve-ios-failed"].contains(&rule);
        let found = self.audit.findings.iter().map(|f| &f.finding);
        let mut others = found.filter(|f| !of_failures(&f.rule));
        others.any(|f| f.severity >= least)
    }

    /// True where a step came to nothing that is counted: it ended in its warm-up, or nothing came back. One that had done all there was to do is
    /// none of these.
    pub fn measured_nothing(&self) -> bool {
        let found = self.audit.findings.iter().map(|f| &f.finding);
        let was_done = |step: Option<u32>| {
            let mut same = found.clone().filter(|f| f.step == step);
            same.any(|f| f.rule == "nothing-to-do" && f.values.iter().any(|v| v.name == "ended"))
        };
        let nothing = ["nothing-counted", "nothing-completed"];
        let mut none = found.clone().filter(|f| nothing.contains(&f.rule.as_str()));
        none.any(|f| f.rule == nothing[1] || !was_done(f.step))
    }

    /// True where the user allowed for as many failures as there were.
    pub fn errors_are_allowed(&self) -> bool {
        // It would have ended before, had there been more.
        self.status == RunStatus::Completed && self.allowed_errors.is_some()
    }

    /// Verdicts of methods that concluded without an answer to their question.
    pub fn undecided(&self) -> impl Iterator<Item = &Verdict> {
        self.verdicts.iter().filter(|v| !v.decided())
    }
}

/// Of a run with a whole record. What failed comes before what could not be told.
fn outcome(
    status: &RunStatus,
    errors: u64,
    allowed: bool,
    decided: bool,
    invalid: bool,
) -> Outcome {
    match status {
        RunStatus::Interrupted | RunStatus::Running => Outcome::Unfinished,
        RunStatus::Failed(_) => Outcome::IosFailed,
        RunStatus::Completed if errors > 0 && !allowed => Outcome::IosFailed,
        RunStatus::Completed if invalid => Outcome::Invalid,
        RunStatus::Completed if !decided => Outcome::Undecided,
        RunStatus::Completed if errors > 0 => Outcome::Allowed,
        RunStatus::Completed => Outcome::Clean,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use RunStatus::{Completed, Failed, Interrupted};

    #[test]
    fn a_question_without_an_answer_is_undecided_unless_worse_has_happened() {
        for (errors, allowed) in [(0, false), (0, true), (51, true)] {
            let undecided = outcome(&Completed, errors, allowed, false, false);
            assert_eq!(undecided, Outcome::Undecided);
        }
        assert_eq!(
            outcome(&Completed, 1, false, false, false),
            Outcome::IosFailed
        );
        assert_eq!(
            outcome(&Interrupted, 0, false, false, true),
            Outcome::Unfinished
        );
        let failed = Failed("error 51 ends the run".into());
        assert_eq!(outcome(&failed, 51, true, false, false), Outcome::IosFailed);
    }

    #[test]
    fn an_answer_is_clean_or_what_was_allowed_for() {
        assert_eq!(outcome(&Completed, 0, false, true, false), Outcome::Clean);
        assert_eq!(outcome(&Completed, 51, true, true, false), Outcome::Allowed);
        assert_eq!(
            outcome(&Completed, 51, false, true, true),
            Outcome::IosFailed
        );
    }

    #[test]
    fn a_result_that_is_false_for_its_claim_is_not_clean() {
        assert_eq!(outcome(&Completed, 0, false, true, true), Outcome::Invalid);
        assert_eq!(outcome(&Completed, 51, true, false, true), Outcome::Invalid);
    }
}
