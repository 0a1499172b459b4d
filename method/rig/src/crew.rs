//! Runs that other hosts carry out: the methods, the judge and the record are here, and the steps are theirs.

use crate::run_step::Measured;
use crate::session::{Carrier, Session, Testbed};
use crate::{Event, Past, RigError, RunOptions, pinning, prepare, record_place, uses};
use plimsoll_engine::backend::choose::BackendKind;
use plimsoll_engine::{Control, OpenTarget};
use plimsoll_evidence::{
    End, Environment, ErrorSample, HostPart, Interval, LostHost, Phase, StepEvidence, Timeline,
};
use plimsoll_methods::{Judge, Observed, StepFacts};
use plimsoll_plan::validate::{Problem, validate};
use plimsoll_plan::{Host, Nanos, Plan, Shell, Step, Target};
use plimsoll_record::RunStatus;
use std::path::Path;
use std::sync::Arc;

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

/// What the hosts found.
#[derive(Debug)]
pub struct CrewReady {
    /// Where and with what: all hosts, and the targets as the first has them.
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
    /// Its number in the record.
    pub number: u32,
    /// What all hosts do together. What ends it is in bytes, unless the plan says what each host does: then each makes bytes of
    /// its own overwrites.
    pub step: &'a Step,
    /// Errors of all hosts with which it ends.
    pub max_errors: u64,
    /// The targets are to come to rest first.
    pub settle: bool,
    /// Stops it.
    pub control: &'a Control,
}

/// What is seen of a step as it runs.
#[derive(Debug)]
pub enum CrewEvent {
    /// One host's own interval; [`Interval::host`] says whose.
    OfHost(Box<Interval>),
    /// An interval of all hosts together, in order.
    Merged(Box<Interval>),
    /// Something worth a line.
    Note(String),
}

/// What became of a step.
#[derive(Debug)]
pub struct CrewOutcome {
    /// Worker threads of all hosts.
    pub workers: u32,
    /// Why it ended.
    pub end: End,
    /// The first errors, each host's.
    pub error_samples: Vec<ErrorSample>,
    /// What failed outside of every interval.
    pub errors_after: u64,
    /// The fsyncs among it.
    pub fsync_errors_after: u64,
    /// I/Os that were due in the counted time and not back at the end of the drain.
    pub unfinished: u64,
    /// Each host's part.
    pub hosts: Vec<HostPart>,
    /// The hosts whose part is missing.
    pub lost: Vec<LostHost>,
    /// What is to be said of the hosts, a sentence each.
    pub notes: Vec<String>,
    /// Why the run does not go on after it, if so.
    pub failed: Option<String>,
    /// Why it is no result, and is measured again, if so.
    pub set_aside: Option<String>,
}

/// Checks the plan, has the hosts make ready, and begins the record.
pub(crate) fn prepare(
    mut crew: Box<dyn Crew>,
    plan: &Plan,
    past: Option<&Past>,
    options: &RunOptions,
    control: &Control,
    watch: &mut dyn FnMut(Event),
) -> Result<Session, RigError> {
    check_by_hosts(plan)?;
    let place = record_place::permit(plan, options)?;
    let uses = uses::uses(plan);
    let seed = options
        .seed
        .or(plan.seed)
        .unwrap_or_else(prepare::drawn_seed);
    let mut found = crew.ready(plan, options, seed, watch)?;
    if let Some(past) = past {
        found.environment = past.attached();
    }
    if found.targets.len() != plan.targets.len() {
        return Err(RigError::Hosts(
            "a host says of another number of targets than the plan has; use one version of plimsoll on all hosts".into(),
        ));
    }
    let open = |(target, found): (&Target, &FoundTarget)| {
        Arc::new(OpenTarget {
            size: found.size,
            offset: target.offset.0,
            align: target.align.map(|b| b.0),
            logical_block: found.logical_block,
            durability: target.durability,
            ..OpenTarget::unused(&target.name)
        })
    };
    let all = plan.targets.iter().zip(&found.targets);
    let targets: Vec<Arc<OpenTarget>> = all.map(open).collect();
    let begun = prepare::check_open(plan, &targets, &uses)
        .and_then(|()| record_place::begin(place, plan, past, &found.environment, options, watch));
    let recorder = match begun {
        Ok(recorder) => recorder,
        // Who only wanted to go on with a run does not end it.
        Err(error) if past.is_some() => return Err(error),
        Err(error) => {
            crew.finish(&RunStatus::Failed(error.to_string()), watch);
            return Err(error);
        }
    };
    if let Some(recorder) = &recorder {
        crew.recorded(recorder.path(), watch);
    }
    let testbed = Testbed {
        kinds: vec![BackendKind::Null; targets.len()],
        targets,
        carrier: Carrier::Hosts(crew),
        metrics: None,
        environment: found.environment,
        recorder,
        // Hosts have no commands of a definition.
        launcher: crate::shell::Launcher::default(),
    };
    Ok(Session::new(plan, options, control, testbed))
}

/// Whether hosts could carry the plan out together, as far as the plan alone says.
///
/// # Errors
/// What is wrong with it, and what hosts do not do together.
pub fn check_by_hosts(plan: &Plan) -> Result<(), RigError> {
    if plan.items.is_empty() {
        return Err(RigError::Empty);
    }
    let mut problems = validate(plan);
    problems.extend(pinning::check(plan));
    problems.extend(plan.hosts.list.iter().filter_map(by_rsh));
    prepare::refuse(problems)?;
    refuse_what_is_for_one(plan)
}

/// Whoever reads along on the way would have what starts an agent.
fn by_rsh(host: &Host) -> Option<Problem> {
    (host.shell == Shell::Rsh).then(|| Problem {
        message: format!("host `{}` is to be reached by rsh, which sends all in the clear", host.name),
        remedy: "say shell=ssh, or leave it out; or start an agent there, and name its server with --nats".into(),
        span: host.origins.of("shell"),
    })
}

/// What means something on one host only.
fn refuse_what_is_for_one(plan: &Plan) -> Result<(), RigError> {
    let split = plan.targets.iter().find(|t| t.split);
    if let Some(split) = split.filter(|_| plan.hosts.is_empty()) {
        return Err(RigError::NotByHosts(format!(
            "to have a range of {} each, where the definition names none of them; name them in it, as [host.NAME], or say \
             shared = true of it to have all hosts use all of it",
            split.name
        )));
    }
    let of_steps =
        |s: &Step| s.start_commands.is_empty() && s.end_commands.is_empty() && s.actions.is_empty();
    let none = plan.start_commands.is_empty()
        && plan.end_commands.is_empty()
        && plan.steps().all(of_steps);
    if !none {
        return Err(RigError::NotByHosts(
            "commands and faults of a definition; remove them, or run the definition on one host"
                .into(),
        ));
    }
    if (0..plan.targets.len() as u32).any(|id| plan.is_path(plimsoll_plan::TargetId(id))) {
        return Err(RigError::NotByHosts(
            "to compare a target's paths; run that on one host".into(),
        ));
    }
    Ok(())
}

/// Has the hosts carry out a step, and judges what they did together.
pub(crate) fn measure(
    session: &mut Session,
    crew: &mut dyn Crew,
    step: &Step,
    number: u32,
    watch: &mut dyn FnMut(Event),
) -> Result<Measured, RigError> {
    let together = crew.together(step);
    let mut judge = Judge::new(&together, number);
    let control = session.control.clone();
    let mut observer = session.observer.take();
    let order = CrewStep {
        number,
        step,
        max_errors: session.errors_left(),
        settle: !session.steps.is_empty() && !session.options.no_settle,
        control: &control,
    };
    let mut in_intervals = 0;
    let outcome = crew.carry_out(&order, &mut |event| match event {
        CrewEvent::OfHost(interval) => session.record(watch, |r| r.append_interval(&interval)),
        CrewEvent::Note(note) => watch(Event::Note(note)),
        CrewEvent::Merged(interval) => {
            in_intervals += interval.stats.errors();
            if interval.stats.errors() > 0 {
                watch(Event::Failed {
                    step,
                    samples: &[],
                    by_ns: interval.start_ns + interval.length_ns,
                    so_far: in_intervals,
                });
            }
            session.record(watch, |r| r.append_interval(&interval));
            watch(Event::Interval {
                step,
                interval: &interval,
            });
            judge.add(&interval);
            let seen = observer.as_deref_mut();
            if let Some(observer) = seen.filter(|_| interval.phase != Phase::Drain)
                && observer.observe(&interval) == Observed::End
            {
                control.end_step();
            }
        }
    });
    let timeline = observer.and_then(|mut o| o.timeline());
    Ok(judged(judge, outcome?, timeline))
}

/// What the hosts' parts come to.
fn judged(judge: Judge<'_>, outcome: CrewOutcome, timeline: Option<Timeline>) -> Measured {
    let facts = StepFacts {
        end: outcome.end,
        error_samples: outcome.error_samples,
        errors_after: outcome.errors_after,
        fsync_errors_after: outcome.fsync_errors_after,
        ..StepFacts::clean(outcome.workers)
    };
    let mut evidence = StepEvidence {
        unfinished: outcome.unfinished,
        timeline,
        ..judge.finish(&facts)
    };
    evidence.set_aside = outcome.set_aside;
    evidence.hosts = outcome.hosts;
    evidence.lost_hosts = outcome.lost;
    evidence.notes.extend(outcome.notes);
    saturate_where_one_is(&mut evidence);
    Measured {
        evidence,
        failed: outcome.failed.map(RigError::Hosts),
    }
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
