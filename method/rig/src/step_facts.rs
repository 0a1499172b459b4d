//! What the engine says of a step that its intervals do not: how it ended, what failed behind them, what never came back.

use crate::{RigError, faults};
use plimsoll_engine::worker::{Failure, FailureKind};
use plimsoll_engine::{Control, Outcome};
use plimsoll_evidence::{End, ErrorSample, Finding, Quantity, Severity, StepEvidence};
use plimsoll_methods::{Standstill, StepFacts};
use plimsoll_plan::{Nanos, Step};

/// Result of a step.
pub(crate) struct Measured {
    pub evidence: StepEvidence,
    /// Reason why the engine did not carry the step out to its end. What was done to the target until then is evidence all the same.
    pub failed: Option<RigError>,
}

/// Number of failed I/Os that a step's evidence lists.
pub(crate) const SAMPLES_KEPT: usize = 50;

/// Numbers of failures so far.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Failed {
    /// I/Os and fsyncs.
    pub all: u64,
    /// The fsyncs among them.
    pub fsyncs: u64,
}

/// Facts that the judge can't see in a step's intervals.
pub(crate) fn facts(
    step: u32,
    outcome: &Outcome,
    mut samples: Vec<ErrorSample>,
    in_intervals: Failed,
) -> StepFacts {
    samples.extend(outcome.lost.iter().take(SAMPLES_KEPT).map(faults::sample));
    let never_back = outcome.lost.iter().filter(|f| is_out(f)).count() as u64;
    let standstills = outcome.standstills.iter().map(|s| Standstill {
        at_ns: s.at_ns,
        length_ns: s.length_ns,
    });
    let stuck = outcome.stuck_workers;
    let workers = ("workers", Quantity::Count(stuck.into()));
    let stuck =
        (stuck > 0).then(|| Finding::of_step(step, "workers-stuck", Severity::Suspect, [workers]));
    let late = ("late", Quantity::Ns(outcome.late_start.0 as f64));
    let late = (outcome.late_start > Nanos(0))
        .then(|| Finding::of_step(step, "start-late", Severity::Suspect, [late]));
    StepFacts {
        workers: outcome.workers,
        end: end_of(outcome),
        error_samples: samples,
        errors_after: outcome.errors.saturating_sub(in_intervals.all) + never_back,
        fsync_errors_after: outcome.fsync_errors.saturating_sub(in_intervals.fsyncs),
        standstills: standstills.collect(),
        findings: stuck.into_iter().chain(late).collect(),
    }
}

fn is_out(failure: &Failure) -> bool {
    failure.kind == FailureKind::InFlight
}

fn end_of(outcome: &Outcome) -> End {
    if outcome.is_hung() {
        End::Hung
    } else if outcome.too_many_errors {
        End::Errors
    } else if outcome.stopped {
        End::Interrupted
    } else if outcome.limit {
        End::Limit
    } else {
        End::Elapsed
    }
}

/// Of a step that the engine could not carry out to its end.
pub(crate) fn nothing_known(control: &Control) -> Outcome {
    Outcome {
        workers: 0,
        late_start: Nanos(0),
        limit: false,
        stopped: control.stopped(),
        too_many_errors: true,
        lost: Vec::new(),
        unfinished: 0,
        stuck_workers: 0,
        errors: 0,
        fsync_errors: 0,
        standstills: Vec::new(),
        volumes: Vec::new(),
    }
}

/// Of a saturated step no response time is shown that could be too short.
pub(crate) fn unfinished(step: &Step, evidence: &StepEvidence) -> Option<Finding> {
    let saturated = evidence.saturation.is_some_and(|s| s.saturated);
    let mut values = vec![("ios", Quantity::Count(evidence.unfinished))];
    let stops = step.streams.iter().filter(|s| s.window.until.is_some());
    match stops.count() as u64 {
        0 => {}
        stopped => values.push(("stopped", Quantity::Count(stopped))),
    }
    (evidence.unfinished > 0 && !saturated)
        .then(|| Finding::of_step(evidence.number, "ios-unfinished", Severity::Suspect, values))
}

#[cfg(test)]
mod tests {
    use super::*;
    use plimsoll_engine::backend::Action;
    use plimsoll_measure::Op;

    fn failure(action: Action, kind: FailureKind) -> Failure {
        Failure {
            target: "t".into(),
            path: None,
            action,
            offset: 8192,
            length: 4096,
            at_ns: 10_500_000_000,
            kind,
        }
    }

    /// Ten errors, of which seven were in intervals.
    fn outcome(lost: Vec<Failure>) -> Outcome {
        Outcome {
            workers: 2,
            late_start: Nanos(0),
            limit: false,
            stopped: false,
            too_many_errors: false,
            lost,
            unfinished: 0,
            stuck_workers: 0,
            errors: 10,
            fsync_errors: 4,
            standstills: Vec::new(),
            volumes: Vec::new(),
        }
    }

    const IN_INTERVALS: Failed = Failed { all: 7, fsyncs: 3 };

    #[test]
    fn an_error_that_comes_after_the_last_interval_is_an_error_with_its_place_and_nothing_hung() {
        let late = vec![
            failure(Action::Read, FailureKind::Errno(libc::EIO)),
            failure(Action::Sync, FailureKind::Errno(libc::EIO)),
        ];
        let facts = facts(1, &outcome(late), Vec::new(), IN_INTERVALS);
        assert_eq!(facts.end, End::Elapsed);
        assert_eq!((facts.errors_after, facts.fsync_errors_after), (3, 1));
        let listed: Vec<_> = facts
            .error_samples
            .iter()
            .map(|s| (s.op, s.offset, s.what.as_str()))
            .collect();
        assert_eq!(
            listed,
            [
                (Op::Read, 8192, "EIO (Input/output error)"),
                (Op::Sync, 8192, "EIO (Input/output error)")
            ]
        );
    }

    #[test]
    fn workers_that_are_stuck_are_a_finding_with_their_number() {
        let stuck = Outcome {
            stuck_workers: 3,
            ..outcome(Vec::new())
        };
        let found = facts(7, &stuck, Vec::new(), IN_INTERVALS).findings;
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].rule.as_str(), "workers-stuck");
        assert_eq!(found[0].step, Some(7));
        assert!(
            found[0]
                .message
                .starts_with("3 worker threads did not come back")
        );
    }

    #[test]
    fn what_never_came_back_is_hung_and_an_error() {
        let out = vec![failure(Action::Write, FailureKind::InFlight)];
        let facts = facts(1, &outcome(out), Vec::new(), IN_INTERVALS);
        assert_eq!((facts.end, facts.errors_after), (End::Hung, 4));
    }
}
