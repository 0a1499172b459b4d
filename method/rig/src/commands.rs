//! Commands before and after steps: run only when allowed.

use crate::shell::{self, GRACE, Job, LOOK_AFTER, Launcher, Tail};
use crate::{Event, RigError};
use plimsoll_engine::Control;
use plimsoll_plan::{Action, Command, Plan};
use std::time::Instant;

/// The first command in a plan, if any.
pub(crate) fn first(plan: &Plan) -> Option<&Command> {
    let of_steps = plan.items.iter().flat_map(|item| {
        item.steps().iter().flat_map(|step| {
            let timed = step.actions.iter().filter_map(|timed| match &timed.action {
                Action::Command(command) => Some(command),
                Action::Fault(_) => None,
            });
            step.start_commands
                .iter()
                .chain(&step.end_commands)
                .chain(timed)
        })
    });
    plan.start_commands
        .iter()
        .chain(&plan.end_commands)
        .chain(of_steps)
        .next()
}

/// Runs commands through the shell, one after the other; a failure ends all, as in Vdbench. They have as long as they want,
/// but an interrupt ends the one that runs. What one leaves behind goes on, but what
/// that writes is read no longer: its output has to go elsewhere.
pub(crate) fn run(
    commands: &[Command],
    control: &Control,
    launcher: &Launcher,
    watch: &mut dyn FnMut(Event),
) -> Result<(), RigError> {
    for command in commands {
        let failed = |reason: String| RigError::Command {
            line: command.line.clone(),
            reason,
        };
        let mut wrote = Tail::default();
        let ended = one(&command.line, control, launcher, &mut wrote);
        watch(Event::CommandOutput {
            line: &command.line,
            output: wrote.text(),
            to: &command.output,
        });
        ended.map_err(failed)?;
    }
    Ok(())
}

fn one(line: &str, control: &Control, launcher: &Launcher, wrote: &mut Tail) -> Result<(), String> {
    let mut job = Job::begin(line, launcher).map_err(|e| e.to_string())?;
    // Those after a run that was interrupted run, too.
    let heeds = !control.stopped();
    let mut asked: Option<Instant> = None;
    loop {
        job.read(wrote);
        if job.ended().is_some() {
            break;
        }
        match asked {
            None if heeds && control.stopped() => {
                job.ask_to_end();
                asked = Some(Instant::now());
            }
            Some(at) if at.elapsed() >= 2 * GRACE => break,
            Some(at) if at.elapsed() >= GRACE => job.kill(),
            _ => {}
        }
        shell::wait(std::iter::once(&job), LOOK_AFTER);
    }
    job.read(wrote);
    if asked.is_some() {
        job.kill();
        return Err("it was interrupted".into());
    }
    match job.ended() {
        Some(Ok(status)) if status.success() => Ok(()),
        Some(Ok(status)) => Err(launcher.failure(*status)),
        Some(Err(error)) => Err(format!("how it ended is not known: {error}")),
        None => Err("it did not end".into()),
    }
}
