//! Runs that other hosts carry out: the methods, the judge and the record are here, and the steps are theirs.

use crate::crew::saturate_where_one_is;
use crate::plan_check::refuse;
use crate::session::{Carrier, Session, Testbed};
use crate::step_facts::Measured;
use crate::{
    Crew, CrewEvent, CrewOutcome, CrewStep, Event, FoundTarget, Past, RigError, RunOptions,
    pinning, prepare, record_place, uses,
};
use plimsoll_engine::backend::choose::BackendKind;
use plimsoll_engine::{Control, OpenTarget};
use plimsoll_evidence::{Phase, StepEvidence, Timeline};
use plimsoll_methods::{Judge, Observed, StepFacts};
use plimsoll_plan::validate::{Problem, validate};
use plimsoll_plan::{Host, Plan, Shell, Step, Target};
use plimsoll_record::RunStatus;
use std::sync::Arc;

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

/// Refuses a plan that hosts could not carry out together, as far as the plan alone says.
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
    refuse(problems)?;
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

/// Refuses what means something on one host only.
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

/// Evidence of a step, put together from the hosts' parts.
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
