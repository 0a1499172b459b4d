//! Carries out a plan: one step after the other, as its methods ask for them.

use crate::session::Session;
use crate::{Event, RigError, RunOptions, carry, commands, prepare, settle};
use plimsoll_engine::Control;
use plimsoll_evidence::{End, Environment, StepEvidence, Verdict};
use plimsoll_methods::{Curve, Next};
use plimsoll_plan::{CurveSpec, Item, Plan, Purpose, Step};
use plimsoll_record::{RecordError, RunStatus};
use std::path::PathBuf;

/// What a run came to.
#[derive(Debug)]
pub struct RunResult {
    /// Where and with what.
    pub environment: Environment,
    /// All steps, fills too.
    pub steps: Vec<StepEvidence>,
    /// What the methods concluded.
    pub verdicts: Vec<Verdict>,
    /// How it ended.
    pub status: RunStatus,
    /// Where the record lies.
    pub record: Option<PathBuf>,
    /// Why the record is not whole.
    pub record_error: Option<RecordError>,
    /// I/Os are still out: the process cannot be tidied up, only left.
    pub hung: bool,
}

/// Whether the plan goes on after a step.
enum Onward {
    Next,
    Stop(RunStatus),
}

/// Checks, prepares and measures. `watch` sees everything as it happens.
pub fn run(
    plan: &Plan,
    options: &RunOptions,
    control: &Control,
    watch: &mut dyn FnMut(Event),
) -> Result<RunResult, RigError> {
    if let (Some(command), false) = (commands::first(plan), options.allow_commands) {
        return Err(RigError::CommandNotAllowed(command.line.clone()));
    }
    let prepare::Prepared {
        mut session,
        fills,
        permits,
    } = prepare::prepare(plan, options, control, watch)?;
    watch(Event::Ready {
        environment: &session.environment,
        record: session.recorder.as_ref().map(|r| r.path()),
    });
    let record = session.recorder.as_ref().map(|r| r.path().to_path_buf());
    let result = go(&mut session, plan, &fills, watch);
    let status = match &result {
        Ok(status) => status.clone(),
        Err(error) => RunStatus::Failed(error.to_string()),
    };
    if let Some(recorder) = session.recorder.take()
        && let Err(error) = recorder.finish(status.clone())
    {
        watch(Event::Note(format!(
            "the record could not be closed: {error}"
        )));
        session.record_error = Some(error);
    }
    result?;
    // Devices stay claimed until nothing more is written.
    drop(permits);
    let hung = session.steps.iter().any(|s| s.end == End::Hung);
    Ok(RunResult {
        environment: session.environment,
        steps: session.steps,
        verdicts: session.verdicts,
        status,
        record,
        record_error: session.record_error,
        hung,
    })
}

fn go(
    session: &mut Session,
    plan: &Plan,
    fills: &[Step],
    watch: &mut dyn FnMut(Event),
) -> Result<RunStatus, RigError> {
    commands::run(&plan.start_commands, watch)?;
    for fill in fills {
        if let Onward::Stop(status) = one(session, fill, watch)? {
            return Ok(status);
        }
    }
    for item in &plan.items {
        let onward = match item {
            Item::Step(step) => one(session, step, watch)?,
            Item::Curve(curve) => whole_curve(session, curve, watch)?,
        };
        if let Onward::Stop(status) = onward {
            commands::run(&plan.end_commands, watch)?;
            return Ok(status);
        }
    }
    commands::run(&plan.end_commands, watch)?;
    Ok(RunStatus::Completed)
}

/// Carries out one step and says whether the plan goes on.
fn one(
    session: &mut Session,
    step: &Step,
    watch: &mut dyn FnMut(Event),
) -> Result<Onward, RigError> {
    let evidence = carry::carry_out(session, step, watch)?;
    if step.purpose == Purpose::Measure {
        session.last_rate = Some(evidence.rate.mean);
    }
    let onward = match evidence.end {
        End::Elapsed | End::Limit => Onward::Next,
        End::Interrupted => Onward::Stop(RunStatus::Interrupted),
        End::Errors => Onward::Stop(RunStatus::Failed(format!(
            "{} I/Os failed in {}, and no more than {} were allowed",
            evidence.errors, evidence.name, session.max_errors
        ))),
        End::Hung => Onward::Stop(RunStatus::Failed(format!(
            "I/Os of {} did not come back within {} after its end",
            evidence.name, session.options.drain
        ))),
    };
    session.steps.push(evidence);
    Ok(onward)
}

fn whole_curve(
    session: &mut Session,
    spec: &CurveSpec,
    watch: &mut dyn FnMut(Event),
) -> Result<Onward, RigError> {
    let curve = Curve::new(spec);
    let first = session.steps.len();
    loop {
        let (verdict, onward) = match curve.next(&session.steps[first..]) {
            Next::Step(step) => {
                if session.steps.len() > first && !settle::wait(session, &step) {
                    watch(Event::Note(format!(
                        "the targets had not come to rest before {}",
                        step.name
                    )));
                }
                match one(session, &step, watch)? {
                    Onward::Next => continue,
                    stop => (curve.verdict(&session.steps[first..]), stop),
                }
            }
            Next::Done(verdict) => (Some(verdict), Onward::Next),
            Next::StopAll(verdict) => (Some(verdict), Onward::Stop(RunStatus::Completed)),
        };
        if let Some(verdict) = verdict {
            watch(Event::Verdict(&verdict));
            session.record(watch, |r| r.add_verdict(&verdict));
            session.verdicts.push(verdict);
        }
        return Ok(onward);
    }
}
