//! Checks of a plan before anything of it is prepared: by itself, against the options, and of how its targets may be used.

use crate::allowed::Access;
use crate::uses::{self, Use};
use crate::{RigError, RunOptions, access, pinning, simulated};
use plimsoll_plan::validate::{Problem, validate};
use plimsoll_plan::{Action, Command, Plan};
use std::io;
use std::path::Path;

/// Access to each target, held until this is dropped; `None` where they are simulated.
pub(crate) fn allowed(plan: &Plan, options: &RunOptions) -> Result<Option<Access>, RigError> {
    if let (Some(command), false) = (first_command(plan), options.allow_commands) {
        return Err(RigError::CommandNotAllowed(command.line.clone()));
    }
    check_plan(plan, options)?;
    let uses = uses::uses(plan);
    if simulated::arrays(plan, &used(&uses), 0)?.is_some() {
        return Ok(None);
    }
    access::judge(plan, &uses, options).map(Some)
}

pub(crate) fn check_plan(plan: &Plan, options: &RunOptions) -> Result<(), RigError> {
    if plan.items.is_empty() {
        return Err(RigError::Empty);
    }
    refuse_hosts(plan)?;
    let mut problems = validate(plan);
    problems.extend(pinning::check(plan));
    refuse(problems)?;
    check_may_write(options)?;
    uses::check_destroy_names(plan, &options.destroy)
}

/// Refuses a plan that says what each of several hosts does: one host has no such part.
fn refuse_hosts(plan: &Plan) -> Result<(), RigError> {
    let names: Vec<&str> = plan.hosts.list.iter().map(|h| h.name.as_str()).collect();
    match names.is_empty() {
        true => Ok(()),
        false => Err(RigError::OfHosts(names.join(","))),
    }
}

/// Checks that what the user opens to commands is there.
fn check_may_write(options: &RunOptions) -> Result<(), RigError> {
    let Some(first) = options.commands_may_write.first() else {
        return Ok(());
    };
    if !options.allow_commands {
        return Err(RigError::Refused(format!(
            "--commands-may-write {} has no effect without --allow-commands: add that flag, or leave this one out",
            first.display()
        )));
    }
    let mut paths = options.commands_may_write.iter();
    let absent = paths.find_map(|path| Some(missing(path, &path.metadata().err()?)));
    absent.map_or(Ok(()), Err)
}

pub(crate) fn missing(path: &Path, error: &io::Error) -> RigError {
    RigError::Refused(format!(
        "--commands-may-write {}: {error}; name a file or folder that is there",
        path.display()
    ))
}

pub(crate) fn refuse(problems: Vec<Problem>) -> Result<(), RigError> {
    match problems.is_empty() {
        true => Ok(()),
        false => Err(RigError::Plan(problems)),
    }
}

pub(crate) fn used(uses: &[Use]) -> Vec<bool> {
    uses.iter().map(|u| *u != Use::default()).collect()
}

/// The first command in a plan, if any.
pub(crate) fn first_command(plan: &Plan) -> Option<&Command> {
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
