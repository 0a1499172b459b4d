//! Commands from definitions: run only when allowed.

use crate::{Event, RigError};
use plimsoll_plan::{Action, Command, Plan};

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

/// Runs commands through the shell, one after the other; a failure ends all, as in Vdbench.
pub(crate) fn run(commands: &[Command], watch: &mut dyn FnMut(Event)) -> Result<(), RigError> {
    for command in commands {
        let failed = |reason: String| RigError::Command {
            line: command.line.clone(),
            reason,
        };
        let output = std::process::Command::new("/bin/sh")
            .arg("-c")
            .arg(&command.line)
            .output()
            .map_err(|e| failed(e.to_string()))?;
        let mut text = String::from_utf8_lossy(&output.stdout).into_owned();
        text.push_str(&String::from_utf8_lossy(&output.stderr));
        watch(Event::CommandOutput {
            line: &command.line,
            output: text,
            to: &command.output,
        });
        if !output.status.success() {
            return Err(failed(output.status.to_string()));
        }
    }
    Ok(())
}
