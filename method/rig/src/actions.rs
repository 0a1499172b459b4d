//! What is done while a step runs: faults in the arrays of a simulated one, commands beside a real one.

mod commands;

use crate::Event;
use commands::Commands;
use plimsoll_engine::Control;
use plimsoll_evidence::ActionEvidence;
use plimsoll_plan::validate::Problem;
use plimsoll_plan::{Action, Plan, Step};
use plimsoll_sim::{Faults, Lab};

/// Does what a step and its method want done, and keeps what came of it.
pub(crate) struct Doer {
    means: Means,
    done: Vec<ActionEvidence>,
}

enum Means {
    /// In virtual time.
    Faults(Faults),
    /// In real time; commands only where they are allowed.
    Commands { commands: Commands, allowed: bool },
}

/// For the step that begins next.
pub(crate) fn doer(step: &Step, lab: Option<&Lab>, control: &Control, allowed: bool) -> Doer {
    let Some(lab) = lab else {
        return Doer {
            means: Means::Commands {
                commands: Commands::begin(&step.actions, control),
                allowed,
            },
            done: Vec::new(),
        };
    };
    let faults = lab.faults();
    let entered = step.actions.iter().filter_map(|timed| match &timed.action {
        Action::Fault(words) => Some(enter(&faults, words, Some(timed.at.0), timed.at.0)),
        Action::Command(_) => None,
    });
    Doer {
        done: entered.collect(),
        means: Means::Faults(faults),
    }
}

/// Enters a fault for `after_ns` from now, which is `at_ns` of the step.
fn enter(faults: &Faults, words: &str, planned_ns: Option<u64>, at_ns: u64) -> ActionEvidence {
    let after_ns = planned_ns.unwrap_or(0);
    let failed = faults.enter(words, after_ns).err().map(|e| e.to_string());
    let happens = failed.is_none().then_some(at_ns);
    ActionEvidence {
        what: words.to_owned(),
        planned_ns,
        began_ns: happens,
        ended_ns: happens,
        failed,
        output: String::new(),
    }
}

impl Doer {
    /// Does it now, which is `at_ns` of the step. Each kind of time has its own kind of action; another is not done, and
    /// its evidence says so.
    pub fn act(&mut self, action: Action, at_ns: u64) {
        let refused = |what: &str, why: &str| ActionEvidence {
            what: what.to_owned(),
            planned_ns: None,
            began_ns: None,
            ended_ns: None,
            failed: Some(why.to_owned()),
            output: String::new(),
        };
        match (&self.means, action) {
            (Means::Faults(faults), Action::Fault(words)) => {
                let entered = enter(faults, &words, None, at_ns);
                self.done.push(entered);
            }
            (
                Means::Commands {
                    commands,
                    allowed: true,
                },
                Action::Command(command),
            ) => {
                commands.act(command);
            }
            (Means::Commands { .. }, Action::Command(command)) => {
                self.done.push(refused(
                    &command.line,
                    "commands run only with --allow-commands",
                ));
            }
            (Means::Faults(_), Action::Command(command)) => {
                self.done
                    .push(refused(&command.line, "no command runs in virtual time"));
            }
            (Means::Commands { .. }, Action::Fault(words)) => {
                self.done
                    .push(refused(&words, "only simulated arrays have faults"));
            }
        }
    }

    /// The step is over.
    pub fn finish(self, watch: &mut dyn FnMut(Event)) -> Vec<ActionEvidence> {
        let mut done = self.done;
        if let Means::Commands { commands, .. } = self.means {
            done.extend(commands.finish(watch));
        }
        done.sort_by_key(|a| a.began_ns.or(a.planned_ns));
        done
    }
}

/// What of a plan's timed actions cannot be done on its targets.
pub(crate) fn check(plan: &Plan, lab: Option<&Lab>) -> Vec<Problem> {
    let timed = plan
        .steps()
        .flat_map(|s| s.actions.iter().map(move |a| (s, a)));
    timed
        .filter_map(|(step, timed)| {
            let (message, remedy) = match (&timed.action, lab) {
                (Action::Command(_), None) => return None,
                (Action::Fault(words), Some(lab)) => {
                    let error = lab.faults().check(words).err()?;
                    (
                        error.to_string(),
                        "docs/lab.md lists the faults and their parts",
                    )
                }
                (Action::Command(command), Some(_)) => (
                    format!(
                        "`{}` cannot run beside a simulated array: its time is not ours",
                        command.line
                    ),
                    "let a fault happen to the array, such as `path-down path=0 for=10s`",
                ),
                (Action::Fault(words), None) => (
                    format!("`{words}` is a fault of a simulated array, and the targets are real"),
                    "give a command that does it",
                ),
            };
            Some(Problem {
                message,
                remedy: remedy.to_owned(),
                span: step.origins.of("actions"),
            })
        })
        .collect()
}
