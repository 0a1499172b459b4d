//! Carries out a plan: one step after the other, as its methods ask for them.

use crate::audit::of_session;
use crate::courses::Courses;
use crate::plan_check::first_command;
use crate::session::{Carrier, Session};
use crate::{
    Crew, Event, Past, RigError, RunOptions, commands, crew_run, marks, prepare, run_step, settle,
};
use plimsoll_audit::Audit;
use plimsoll_engine::Control;
use plimsoll_evidence::{End, Environment, StepEvidence, Verdict};
use plimsoll_methods::{observed, progress};
use plimsoll_plan::{Bytes, Item, Plan, Step};
use plimsoll_record::{RecordError, Recorder, RunStatus};
use std::path::PathBuf;

/// Result of a run.
#[derive(Debug)]
pub struct RunResult {
    /// Environment: the place of the run, and what it ran with.
    pub environment: Environment,
    /// All steps, fills too.
    pub steps: Vec<StepEvidence>,
    /// Conclusions of the methods.
    pub verdicts: Vec<Verdict>,
    /// Status at the end of the run.
    pub status: RunStatus,
    /// Path of the record.
    pub record: Option<PathBuf>,
    /// Reason why the record is not whole.
    pub record_error: Option<RecordError>,
    /// Number of errors that the user asked to go on with, having raised the number that ends a run.
    pub allowed_errors: Option<u64>,
    /// Audit of the run by the rules.
    pub audit: Audit,
    /// True where a suspect finding counts as an invalid one.
    pub strict: bool,
    /// I/Os are still out: the process cannot be tidied up, only left.
    pub hung: bool,
}

/// Checks, prepares and measures. `watch` sees everything as it happens.
pub fn run(
    plan: &Plan,
    options: &RunOptions,
    control: &Control,
    watch: &mut dyn FnMut(Event),
) -> Result<RunResult, RigError> {
    carry_on(plan, None, options, control, watch)
}

/// Checks, and has a crew of hosts measure.
pub fn run_by(
    crew: Box<dyn Crew>,
    plan: &Plan,
    options: &RunOptions,
    control: &Control,
    watch: &mut dyn FnMut(Event),
) -> Result<RunResult, RigError> {
    by_crew(crew, plan, None, options, control, watch)
}

/// Goes on with a run of a crew of hosts whose controller was killed, in its record.
pub fn attach(
    crew: Box<dyn Crew>,
    past: &Past,
    options: &RunOptions,
    control: &Control,
    watch: &mut dyn FnMut(Event),
) -> Result<RunResult, RigError> {
    by_crew(crew, &past.plan, Some(past), options, control, watch)
}

fn by_crew(
    crew: Box<dyn Crew>,
    plan: &Plan,
    past: Option<&Past>,
    options: &RunOptions,
    control: &Control,
    watch: &mut dyn FnMut(Event),
) -> Result<RunResult, RigError> {
    let mut session = crew_run::prepare(crew, plan, past, options, control, watch)?;
    if let Some(past) = past {
        session.take_up(past);
    }
    watch(Event::Ready {
        environment: &session.environment,
        record: session.recorder.as_ref().map(|r| r.path()),
    });
    go_on(session, plan, past, &[], watch)
}

/// Goes on with a run that did not come to its end, in its record.
pub fn resume(
    past: &Past,
    options: &RunOptions,
    control: &Control,
    watch: &mut dyn FnMut(Event),
) -> Result<RunResult, RigError> {
    carry_on(&past.plan, Some(past), options, control, watch)
}

fn carry_on(
    plan: &Plan,
    past: Option<&Past>,
    options: &RunOptions,
    control: &Control,
    watch: &mut dyn FnMut(Event),
) -> Result<RunResult, RigError> {
    if let (Some(command), false) = (first_command(plan), options.allow_commands) {
        return Err(RigError::CommandNotAllowed(command.line.clone()));
    }
    let prepare::ReadyRun {
        mut session,
        fills,
        leaving,
        endings,
    } = prepare::prepare(plan, past, options, control, watch)?;
    if let Some(past) = past {
        session.take_up(past);
    }
    watch(Event::Ready {
        environment: &session.environment,
        record: session.recorder.as_ref().map(|r| r.path()),
    });
    let done = go_on(session, plan, past, &fills, watch);
    // Now nobody has them open any more.
    marks::end(leaving, &endings, watch);
    done
}

/// All that follows when everything is open.
fn go_on(
    mut session: Session,
    plan: &Plan,
    past: Option<&Past>,
    fills: &[Step],
    watch: &mut dyn FnMut(Event),
) -> Result<RunResult, RigError> {
    let plan = &measured(plan, &session);
    let mut courses = past.map_or_else(Courses::default, |p| Courses::of_past(&p.courses));
    let result = go(&mut session, plan, fills, &mut |event| {
        courses.see(&event);
        watch(event);
    });
    let status = match &result {
        Ok(status) => status.clone(),
        Err(error) => RunStatus::Failed(error.to_string()),
    };
    if let Carrier::Hosts(crew) = &mut session.carrier {
        crew.finish(&status, watch);
    }
    let ended = close(session, plan, &courses, status, watch);
    result?;
    Ok(ended)
}

/// Has the rules judge a run that is over, and closes its record.
pub(crate) fn close(
    mut session: Session,
    plan: &Plan,
    courses: &Courses,
    status: RunStatus,
    watch: &mut dyn FnMut(Event),
) -> RunResult {
    session.see_layout(watch);
    // It may have been taken away since the last interval.
    session.record(watch, Recorder::look_after);
    let audit = of_session(&session, plan, courses);
    for finding in audit.own() {
        session.record(watch, |r| r.add_finding(finding));
    }
    if let Some(recorder) = session.recorder.take()
        && let Err(error) = recorder.finish(status.clone())
    {
        watch(Event::Note(format!(
            "the record could not be closed: {error}"
        )));
        session.record_error = Some(error);
    }
    let hung = session.steps.iter().any(|s| s.end == End::Hung);
    RunResult {
        environment: session.environment,
        steps: session.steps,
        verdicts: session.verdicts,
        status,
        record: session.record_path,
        record_error: session.record_error,
        allowed_errors: session.allowed_errors,
        audit,
        strict: session.options.strict,
        hung,
    }
}

/// The plan, with what only opened targets tell.
fn measured(plan: &Plan, session: &Session) -> Plan {
    let mut plan = plan.clone();
    for item in &mut plan.items {
        if let Item::Method(method) = item {
            method.measured(|id| {
                let target = &session.targets[id.0 as usize];
                (Bytes(target.size), Bytes(target.logical_block.into()))
            });
        }
    }
    plan
}

fn go(
    session: &mut Session,
    plan: &Plan,
    fills: &[Step],
    watch: &mut dyn FnMut(Event),
) -> Result<RunStatus, RigError> {
    let (control, launcher) = (session.control.clone(), session.launcher.clone());
    let command_limit = session.options.command_limit;
    commands::run(
        &plan.start_commands,
        &control,
        &launcher,
        command_limit,
        watch,
    )?;
    for fill in fills {
        if let Some(status) = one(session, fill, watch)? {
            return Ok(status);
        }
    }
    let status = all_items(session, plan, watch)?;
    commands::run(
        &plan.end_commands,
        &control,
        &launcher,
        command_limit,
        watch,
    )?;
    Ok(status)
}

/// Carries out the plan's items, as its methods ask for them.
fn all_items(
    session: &mut Session,
    plan: &Plan,
    watch: &mut dyn FnMut(Event),
) -> Result<RunStatus, RigError> {
    // Fills that the plan did not ask for; in a past it passes over them.
    let own_fills = match session.resumed {
        true => 0,
        false => session.steps.len(),
    };
    let mut last_item = None;
    loop {
        let (so_far, observer) = observed(plan, &session.steps[own_fills..]);
        session.observer = observer;
        conclude(session, so_far.verdicts, watch);
        let Some(step) = so_far.next else {
            return Ok(RunStatus::Completed);
        };
        let rests = match &plan.items[so_far.item] {
            Item::Step(_) => false,
            Item::Curve(_) => true,
            Item::Method(method) => method.wants_rest(),
        };
        let is_point = last_item == Some(so_far.item) && rests;
        if is_point
            && !so_far.at_once
            && !session.carrier.is_elsewhere()
            && !settle::wait(session, &step)
        {
            watch(Event::Note(format!(
                "the targets had not come to rest before {}",
                step.name
            )));
        }
        last_item = Some(so_far.item);
        session.has_method = !matches!(&plan.items[so_far.item], Item::Step(_));
        if let Some(status) = one(session, &step, watch)? {
            let so_far = progress(plan, &session.steps[own_fills..]);
            conclude(session, so_far.verdicts, watch);
            return Ok(status);
        }
    }
}

/// Carries out one step; a status where the plan does not go on after it.
fn one(
    session: &mut Session,
    step: &Step,
    watch: &mut dyn FnMut(Event),
) -> Result<Option<RunStatus>, RigError> {
    let evidence = run_step::carry_out(session, step, watch)?;
    if evidence.set_aside.is_some() {
        // No step that is done: the plan asks for it again.
        session.set_aside(&evidence, watch);
        return Ok(None);
    }
    let status = match evidence.end {
        // Vdbench ends with the first run that had an error.
        End::Elapsed | End::Limit
            if session.vdbench && session.allowed_errors.is_none() && evidence.errors > 0 =>
        {
            Some(RunStatus::Failed(format!(
                "{} failed in {}, and Vdbench runs nothing after that",
                failed_ios(evidence.errors),
                evidence.name
            )))
        }
        End::Elapsed | End::Limit => None,
        End::Interrupted => Some(RunStatus::Interrupted),
        End::Errors => Some(RunStatus::Failed(format!(
            "{} failed, the last in {}: error {} ends the run",
            failed_ios(session.errors() + evidence.errors),
            evidence.name,
            session.max_errors
        ))),
        End::Hung => Some(RunStatus::Failed(format!(
            "I/Os of {} did not come back within {} after its end; {} failed in all",
            evidence.name,
            session.options.drain,
            failed_ios(session.errors() + evidence.errors)
        ))),
    };
    if !session.carrier.is_elsewhere() {
        marks::filled(step, &evidence, &session.targets)?;
    }
    session.steps.push(evidence);
    Ok(status)
}

/// Tells of the verdicts that are new.
fn conclude(session: &mut Session, verdicts: Vec<Verdict>, watch: &mut dyn FnMut(Event)) {
    for verdict in verdicts.into_iter().skip(session.verdicts.len()) {
        watch(Event::Verdict(&verdict));
        session.record(watch, |r| r.add_verdict(&verdict));
        session.verdicts.push(verdict);
    }
}

/// `1 I/O`, `9 I/Os`.
fn failed_ios(count: u64) -> String {
    format!("{count} I/O{}", if count == 1 { "" } else { "s" })
}
