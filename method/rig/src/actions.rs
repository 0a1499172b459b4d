//! What is done while a step runs: faults in the arrays of a simulated one, commands beside a real one.

mod commands;
mod entry;
mod table;

use crate::Event;
use crate::shell::{Launcher, NOT_ALLOWED};
use commands::Commands;
use plimsoll_engine::Control;
use plimsoll_evidence::ActionEvidence;
use plimsoll_plan::validate::Problem;
use plimsoll_plan::{Action, Nanos, Plan, Step, TimedAction};
use plimsoll_sim::{EnteredFault, Faults, Lab};

/// Does what a step and its method want done, and keeps what came of it.
pub(crate) struct Doer {
    means: Means,
    done: Vec<ActionEvidence>,
}

enum Means {
    /// In virtual time.
    Faults(TimedFaults),
    /// In real time; commands only where they are allowed.
    Commands { commands: Commands, allowed: bool },
}

/// Faults that were entered for a step.
struct TimedFaults {
    faults: Faults,
    /// Start of the step, ns from the run's start.
    began_ns: u64,
    /// Actions with a time, and the place of each in [`Doer::done`].
    entered: Vec<(TimedAction, usize, EnteredFault)>,
}

/// For the step that begins next.
pub(crate) fn doer(
    step: &Step,
    lab: Option<&Lab>,
    control: &Control,
    launcher: &Launcher,
    limit: Nanos,
) -> Doer {
    let Some(lab) = lab else {
        return Doer {
            means: Means::Commands {
                commands: Commands::begin(&step.actions, control, limit, launcher),
                allowed: launcher.is_allowed(),
            },
            done: Vec::new(),
        };
    };
    let faults = lab.faults();
    let mut done = Vec::new();
    let mut all = Vec::new();
    for timed in &step.actions {
        let Action::Fault(words) = &timed.action else {
            continue;
        };
        let (evidence, entered) = enter(&faults, words, Some(timed.at.0), timed.at.0);
        all.extend(entered.map(|entered| (timed.clone(), done.len(), entered)));
        done.push(evidence);
    }
    let timed = TimedFaults {
        began_ns: faults.now_ns(),
        faults,
        entered: all,
    };
    Doer {
        done,
        means: Means::Faults(timed),
    }
}

/// Enters a fault for `after_ns` from now, which is `at_ns` of the step.
fn enter(
    faults: &Faults,
    words: &str,
    planned_ns: Option<u64>,
    at_ns: u64,
) -> (ActionEvidence, Option<EnteredFault>) {
    let (entered, failed) = match faults.enter(words, planned_ns.unwrap_or(0)) {
        Ok(entered) => (Some(entered), None),
        Err(error) => (None, Some(error.to_string())),
    };
    let happens = entered.is_some().then_some(at_ns);
    let evidence = ActionEvidence {
        what: words.to_owned(),
        planned_ns,
        began_ns: happens,
        ended_ns: happens,
        failed,
        output: String::new(),
    };
    (evidence, entered)
}

impl TimedFaults {
    /// The step is over: what has not happened does not happen in another one. What puts back is done now, if there is
    /// anything to put back.
    fn finish(self, done: &mut [ActionEvidence]) {
        let mut any = false;
        for (timed, at, entered) in &self.entered {
            if !self.faults.withdraw(entered) {
                any = true;
                continue;
            }
            let now_ns = self.faults.now_ns() - self.began_ns;
            done[*at] = match &timed.action {
                Action::Fault(words) if timed.puts_back && any => {
                    let (evidence, _) = enter(&self.faults, words, None, now_ns);
                    ActionEvidence {
                        planned_ns: Some(timed.at.0),
                        ..evidence
                    }
                }
                _ => ActionEvidence {
                    began_ns: None,
                    ended_ns: None,
                    failed: Some(TOO_LATE.into()),
                    ..done[*at].clone()
                },
            };
        }
    }
}

/// Reason why an action was not done.
const TOO_LATE: &str = "the step was over before its time";

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
            (Means::Faults(timed), Action::Fault(words)) => {
                let (evidence, _) = enter(&timed.faults, &words, None, at_ns);
                self.done.push(evidence);
            }
            (
                Means::Commands {
                    commands,
                    allowed: true,
                },
                Action::Command(command),
            ) => {
                if !commands.act(command.clone()) {
                    self.done
                        .push(refused(&command.line, "nobody was there to run it"));
                }
            }
            (Means::Commands { .. }, Action::Command(command)) => {
                self.done.push(refused(&command.line, NOT_ALLOWED));
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
        match self.means {
            Means::Commands { commands, .. } => done.extend(commands.finish(watch)),
            Means::Faults(timed) => timed.finish(&mut done),
        }
        done.sort_by_key(|a| a.began_ns.or(a.planned_ns));
        done
    }
}

/// Problems of a plan's timed faults, which cannot happen to its arrays.
pub(crate) fn check(plan: &Plan, lab: &Lab) -> Vec<Problem> {
    let faults = lab.faults();
    let timed = plan
        .steps()
        .flat_map(|s| s.actions.iter().map(move |a| (s, a)));
    timed
        .filter_map(|(step, timed)| {
            let Action::Fault(words) = &timed.action else {
                return None;
            };
            let error = faults.check(words).err()?;
            let keys = ["actions", "do_fault", "undo_fault"];
            Some(Problem {
                message: error.to_string(),
                remedy: "docs/lab-server.md lists the faults and their parts".to_owned(),
                span: keys.iter().find_map(|key| step.origins.of(key)),
            })
        })
        .collect()
}
