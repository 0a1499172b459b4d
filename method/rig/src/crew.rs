//! Crews: hosts that carry out a plan's steps together, and what they tell of one.

use crate::{Event, RigError, RunOptions};
use plimsoll_engine::Control;
use plimsoll_evidence::{
    End, Environment, ErrorSample, HostPart, Interval, LostHost, StepEvidence,
};
use plimsoll_plan::{Nanos, Plan, Step};
use plimsoll_record::RunStatus;
use std::path::Path;

/// Hosts that carry out a plan's steps together.
pub trait Crew {
    /// Has every host look at the plan, and when it fits all of them, make ready. Nothing is changed on any host where one
    /// refuses.
    ///
    /// # Errors
    /// [`RigError::Hosts`] where a host refuses, or the hosts do not fit together.
    fn ready(
        &mut self,
        plan: &Plan,
        options: &RunOptions,
        seed: u64,
        watch: &mut dyn FnMut(Event),
    ) -> Result<CrewReady, RigError>;

    /// The size of all of a step's targets together, on all hosts: what they share counts once.
    fn targets_bytes(&self, step: &Step) -> u64;

    /// The step as it is to be judged: what all hosts together have in flight.
    fn together(&self, step: &Step) -> Step;

    /// Has all hosts carry out a step from a common instant on.
    ///
    /// # Errors
    /// [`RigError::Hosts`] where it could not be begun.
    fn carry_out(
        &mut self,
        step: &CrewStep<'_>,
        sink: &mut dyn FnMut(CrewEvent),
    ) -> Result<CrewOutcome, RigError>;

    /// The run has a record there from now on: whoever goes on with it when this process is killed begins with that.
    fn recorded(&mut self, _record: &Path, _watch: &mut dyn FnMut(Event)) {}

    /// Lets time pass between steps, unless the run is stopped: the hosts are to know that somebody is still there.
    fn pass(&mut self, length: Nanos, control: &Control);

    /// The run is over, and this is how.
    fn finish(&mut self, status: &RunStatus, watch: &mut dyn FnMut(Event));
}

/// Findings of the hosts.
#[derive(Debug)]
pub struct CrewReady {
    /// Environment of the run: all hosts, and the targets as the first has them.
    pub environment: Environment,
    /// Each target of the plan.
    pub targets: Vec<FoundTarget>,
}

/// A target as the hosts found it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FoundTarget {
    /// Bytes that may be used on each host.
    pub size: u64,
    /// The smallest direct I/O, bytes.
    pub logical_block: u32,
}

/// A step, and how it is run.
#[derive(Debug)]
pub struct CrewStep<'a> {
    /// Number of the step in the record.
    pub number: u32,
    /// Step of all hosts together. The amount that ends it is in bytes, unless the plan says what each host does: then each makes bytes of
    /// its own overwrites.
    pub step: &'a Step,
    /// Errors of all hosts with which it ends.
    pub max_errors: u64,
    /// The targets are to come to rest first.
    pub settle: bool,
    /// Stops it.
    pub control: &'a Control,
}

/// Event of a step as it runs.
#[derive(Debug)]
pub enum CrewEvent {
    /// One host's own interval; [`Interval::host`] says whose.
    OfHost(Box<Interval>),
    /// An interval of all hosts together, in order.
    Merged(Box<Interval>),
    /// Something worth a line.
    Note(String),
}

/// Outcome of a step.
#[derive(Debug)]
pub struct CrewOutcome {
    /// Worker threads of all hosts.
    pub workers: u32,
    /// Reason for the end of the step.
    pub end: End,
    /// The first errors, each host's.
    pub error_samples: Vec<ErrorSample>,
    /// Failures outside of every interval.
    pub errors_after: u64,
    /// The fsyncs among it.
    pub fsync_errors_after: u64,
    /// I/Os that were due in the counted time and not back at the end of the drain.
    pub unfinished: u64,
    /// Each host's part.
    pub hosts: Vec<HostPart>,
    /// The hosts whose part is missing.
    pub lost: Vec<LostHost>,
    /// Notes on the hosts, a sentence each.
    pub notes: Vec<String>,
    /// Reason why the run does not go on after the step, if so.
    pub failed: Option<String>,
    /// Reason why the step is no result, and is measured again, if so.
    pub set_aside: Option<String>,
}

/// Past what one host's targets carry, the load is past what the fleet carries: the sum hides it.
pub(crate) fn saturate_where_one_is(evidence: &mut StepEvidence) {
    let worst = evidence.hosts.iter().filter_map(|h| h.saturation);
    let Some(worst) = worst.filter(|s| s.saturated).max_by(|a, b| {
        a.shortfall
            .partial_cmp(&b.shortfall)
            .unwrap_or(std::cmp::Ordering::Equal)
    }) else {
        return;
    };
    if let Some(all) = &mut evidence.saturation
        && !all.saturated
    {
        all.saturated = true;
        all.undecided = false;
        all.cause = worst.cause;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plimsoll_evidence::{Saturation, SaturationCause};

    fn host(saturated: bool, shortfall: f64) -> HostPart {
        let saturation = Saturation {
            saturated,
            cause: saturated.then_some(SaturationCause::RateShort),
            shortfall,
            ..Saturation::default()
        };
        HostPart {
            offered: Some(100.0),
            saturation: Some(saturation),
            ..HostPart::new(1, "a")
        }
    }

    fn judged_of(hosts: Vec<HostPart>) -> Saturation {
        let mut evidence = StepEvidence {
            saturation: Some(Saturation::default()),
            hosts,
            ..StepEvidence::new(1, "s")
        };
        saturate_where_one_is(&mut evidence);
        evidence.saturation.expect("judged")
    }

    #[test]
    fn one_saturated_host_makes_the_step_saturated_whatever_the_others_carry() {
        let one = judged_of(vec![host(false, 0.0), host(true, 0.2), host(false, 0.0)]);
        assert!(one.saturated);
        assert_eq!(one.cause, Some(SaturationCause::RateShort));
        assert!(!judged_of(vec![host(false, 0.0), host(false, 0.004)]).saturated);
    }
}
