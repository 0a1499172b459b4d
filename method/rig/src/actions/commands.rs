//! Commands at times of a step that runs in real time.

use super::TOO_LATE;
use crate::Event;
use plimsoll_engine::Control;
use plimsoll_engine::clock::RealClock;
use plimsoll_evidence::ActionEvidence;
use plimsoll_plan::{Action, Command, TimedAction};
use std::process::{Output, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

/// How often the step's beginning is looked for.
const LOOK: Duration = Duration::from_millis(1);
/// How much of what a command wrote is kept, bytes: its end.
const KEPT: usize = 4096;

/// Commands of one step, each in a thread of its own at its time, so that none holds up the load or the next one.
pub(super) struct Commands {
    keeper: std::io::Result<JoinHandle<Vec<Done>>>,
    wishes: Sender<Command>,
}

/// One with its time.
struct Planned {
    at_ns: u64,
    puts_back: bool,
    command: Command,
}

/// What came of one.
struct Done {
    evidence: ActionEvidence,
    /// Where its definition wants what it wrote.
    to: String,
    wrote: String,
}

impl Commands {
    /// Waits for the step that begins next under `control`, and for each command's time.
    pub fn begin(timed: &[TimedAction], control: &Control) -> Self {
        control.forget_beginning();
        let (wishes, wanted) = channel();
        let control = control.clone();
        let planned = timed.iter().filter_map(|t| match &t.action {
            Action::Command(command) => Some(Planned {
                at_ns: t.at.0,
                puts_back: t.puts_back,
                command: command.clone(),
            }),
            Action::Fault(_) => None,
        });
        let planned: Vec<Planned> = planned.collect();
        let keeper = std::thread::Builder::new()
            .name("actions".into())
            .spawn(move || keep(&planned, &control, &wanted));
        Commands { keeper, wishes }
    }

    /// Runs it now.
    pub fn act(&self, command: Command) {
        // Without a keeper nothing can be done, and the end says so.
        let _ = self.wishes.send(command);
    }

    /// The step is over: what has not begun does not begin, unless it puts back what was done, and what runs is waited for.
    pub fn finish(self, watch: &mut dyn FnMut(Event)) -> Vec<ActionEvidence> {
        drop(self.wishes);
        let keeper = match self.keeper {
            Ok(keeper) => keeper,
            Err(error) => {
                watch(Event::Note(format!(
                    "commands could not be run beside the step: {error}"
                )));
                return Vec::new();
            }
        };
        let mut all = Vec::new();
        for done in keeper.join().unwrap_or_default() {
            if done.evidence.began_ns.is_some() {
                watch(Event::CommandOutput {
                    line: &done.evidence.what,
                    output: done.wrote,
                    to: &done.to,
                });
            }
            all.push(done.evidence);
        }
        all
    }
}

/// Begins each command at its time, until the step is over.
fn keep(planned: &[Planned], control: &Control, wanted: &Receiver<Command>) -> Vec<Done> {
    let mut running = Vec::new();
    let mut begin = |planned_ns, began_ns, command: &Command| {
        let command = command.clone();
        running.push(std::thread::spawn(move || {
            run(planned_ns, began_ns, &command)
        }));
    };
    let mut ahead = planned.iter().peekable();
    let mut any = false;
    loop {
        let left = match (ahead.peek(), control.began_ns()) {
            (None, _) => None,
            (Some(_), None) => Some(LOOK),
            (Some(next), Some(began)) => {
                let due = began.saturating_add(next.at_ns);
                let left = due.saturating_sub(RealClock::monotonic_ns());
                if left == 0 {
                    begin(Some(next.at_ns), Some(began), &next.command);
                    any = true;
                    ahead.next();
                    continue;
                }
                Some(Duration::from_nanos(left))
            }
        };
        let wish = match left {
            Some(left) => wanted.recv_timeout(left),
            None => wanted.recv().map_err(RecvTimeoutError::from),
        };
        match wish {
            Ok(command) => begin(None, control.began_ns(), &command),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    // What puts back waits for what it puts back.
    let joined = running.into_iter().filter_map(|r| r.join().ok());
    let mut all: Vec<Done> = joined.collect();
    for left in ahead {
        let began = control.began_ns().filter(|_| any && left.puts_back);
        all.push(run(Some(left.at_ns), began, &left.command));
    }
    all
}

/// Runs one beside a step that began at `step_began_ns`, CLOCK_MONOTONIC; `None`: the step is over, and it is only listed.
fn run(planned_ns: Option<u64>, step_began_ns: Option<u64>, command: &Command) -> Done {
    let mut done = Done {
        evidence: ActionEvidence {
            what: command.line.clone(),
            planned_ns,
            began_ns: None,
            ended_ns: None,
            failed: None,
            output: String::new(),
        },
        to: command.output.clone(),
        wrote: String::new(),
    };
    let Some(began) = step_began_ns else {
        done.evidence.failed = Some(TOO_LATE.into());
        return done;
    };
    let now = || Some(RealClock::monotonic_ns().saturating_sub(began));
    done.evidence.began_ns = now();
    let result = std::process::Command::new("/bin/sh")
        .arg("-c")
        .arg(&command.line)
        .stdin(Stdio::null())
        .output();
    done.evidence.ended_ns = now();
    match result {
        Ok(output) => {
            done.evidence.failed = (!output.status.success()).then(|| output.status.to_string());
            done.wrote = text(&output);
        }
        Err(error) => done.evidence.failed = Some(error.to_string()),
    }
    done.evidence.output = end_of(&done.wrote).to_owned();
    done
}

fn text(output: &Output) -> String {
    let mut text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.push_str(&String::from_utf8_lossy(&output.stderr));
    text
}

fn end_of(text: &str) -> &str {
    let at_least = text.len().saturating_sub(KEPT);
    let from = (at_least..text.len()).find(|at| text.is_char_boundary(*at));
    &text[from.unwrap_or(text.len())..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_text_is_kept_in_whole_characters() {
        assert_eq!(end_of("short"), "short");
        assert_eq!(end_of(""), "");
        let long = "ä".repeat(KEPT);
        let end = end_of(&long);
        assert!(end.len() <= KEPT && end.chars().all(|c| c == 'ä'));
    }
}
