//! What is done while a run runs: `actions = [{ at = "30s", command = "…" }]`.

use super::given::{Given, Wrong};
use super::keys::Key;
use super::report::{Entry, Report};
use super::words::unit;
use plimsoll_plan::{Action, Command, TimedAction};

/// The actions of a run, in the order in which they were written.
pub fn actions(report: &mut Report<'_>, entry: Entry<'_>) -> Vec<TimedAction> {
    let mut actions = Vec::new();
    for value in entry.values() {
        let given = Given::from_toml(value, entry.key.form, report.source);
        match given.and_then(|given| action(entry.key, &given)) {
            Ok(action) => actions.push(action),
            Err(wrong) => report.wrong(entry.key.name, value.span(), wrong),
        }
    }
    actions
}

fn action(key: &Key, given: &Given) -> Result<TimedAction, Wrong> {
    given.check(key.form)?;
    let at = given.get("at").ok_or_else(|| {
        Wrong::new(&given.whole, "it has no time").remedy("add at = \"30s\"; the warm-up counts")
    })?;
    let action = match (given.get("command"), given.get("fault")) {
        (Some(command), None) => Action::Command(Command {
            line: command.text.clone(),
            output: "console".to_string(),
        }),
        (None, Some(fault)) => Action::Fault(fault.text.clone()),
        _ => {
            return Err(
                Wrong::new(&given.whole, "it wants one thing to be done: a command, or a fault")
                    .remedy("write { at = \"30s\", command = \"…\" }, or { at = \"30s\", fault = \"path-down path=0\" }"),
            );
        }
    };
    Ok(TimedAction {
        at: unit(at)?,
        action,
        puts_back: false,
    })
}
