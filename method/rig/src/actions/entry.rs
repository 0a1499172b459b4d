//! One command of a step, from its beginning until nobody of it is left.

use super::table::Phase;
use crate::shell::{GRACE, Job, Launcher, Tail};
use plimsoll_engine::clock::RealClock;
use plimsoll_evidence::ActionEvidence;
use plimsoll_plan::{Command, Nanos};

/// Time that a command which runs at the step's end has to come to its own.
const AFTER_END_NS: u64 = 2_000_000_000;
/// Bytes that are kept of what a command wrote: its end.
const KEPT: usize = 4096;

/// One that was begun, or will not be.
pub(super) struct Entry {
    pub evidence: ActionEvidence,
    /// True where the command puts back what another one did.
    pub puts_back: bool,
    /// And that other one was begun.
    pub owed: bool,
    /// Destination of what the command wrote, as its definition says.
    to: String,
    wrote: Tail,
    notes: Vec<String>,
    /// `None` where nobody of it is left.
    job: Option<Job>,
    began_ns: u64,
    ending: Ending,
    /// Reason why the command was made to end.
    why: Option<String>,
}

/// Stage of making the command's group end. Times on CLOCK_MONOTONIC.
#[derive(Debug, Clone, Copy)]
enum Ending {
    Not,
    Asked { at_ns: u64 },
    Killed { at_ns: u64 },
}

/// Result of a command.
pub(super) struct Done {
    pub evidence: ActionEvidence,
    /// Destination of what the command wrote, as its definition says.
    pub to: String,
    pub wrote: String,
    /// Notes for the report.
    pub notes: Vec<String>,
}

impl Entry {
    /// One that does not begin.
    pub fn never(planned_ns: Option<u64>, command: &Command, why: &str) -> Self {
        Entry {
            evidence: ActionEvidence {
                what: command.line.clone(),
                planned_ns,
                began_ns: None,
                ended_ns: None,
                failed: Some(why.to_owned()),
                output: String::new(),
            },
            puts_back: false,
            owed: false,
            to: command.output.clone(),
            wrote: Tail::default(),
            notes: Vec::new(),
            job: None,
            began_ns: 0,
            ending: Ending::Not,
            why: None,
        }
    }

    /// Begins it, beside a step that began at `step_began_ns`.
    pub fn begin(
        planned_ns: Option<u64>,
        step_began_ns: Option<u64>,
        command: &Command,
        launcher: &Launcher,
    ) -> Self {
        let now_ns = RealClock::monotonic_ns();
        let at_ns = step_began_ns.map(|began| now_ns.saturating_sub(began));
        let mut entry = Entry::never(planned_ns, command, "");
        entry.evidence.began_ns = at_ns;
        entry.evidence.failed = None;
        entry.began_ns = now_ns;
        match Job::begin(&command.line, launcher) {
            Ok(job) => entry.job = Some(job),
            Err(error) => {
                entry.evidence.ended_ns = at_ns;
                entry.evidence.failed = Some(format!("it could not be begun: {error}"));
            }
        }
        entry
    }

    /// Job that runs, or has left somebody.
    pub fn job(&self) -> Option<&Job> {
        self.job.as_ref()
    }

    /// True where the command itself has ended, or was given up.
    pub fn has_ended(&self) -> bool {
        self.job.is_none() || self.evidence.ended_ns.is_some()
    }

    /// True where nobody of the command's group is left.
    pub fn is_gone(&self) -> bool {
        self.job.is_none()
    }

    /// Reads what it wrote, sees whether it has ended, and ends it where its time is over. `last`: nothing is ahead.
    pub fn turn(&mut self, phase: Phase, limit: Nanos, last: bool, launcher: &Launcher) {
        let Some(job) = &mut self.job else { return };
        job.read(&mut self.wrote);
        let now_ns = RealClock::monotonic_ns();
        let ran_ns = now_ns.saturating_sub(self.began_ns);
        if self.evidence.ended_ns.is_none()
            && let Some(how) = job.ended()
        {
            let failed = match how {
                Ok(status) if status.success() => None,
                Ok(status) => Some(launcher.failure(*status)),
                Err(error) => Some(format!("how it ended is not known: {error}")),
            };
            let ended = match how {
                Ok(status) => status.to_string(),
                Err(error) => error.to_string(),
            };
            self.evidence.failed = match &self.why {
                Some(why) => Some(format!("{why} ({ended})")),
                None => failed,
            };
            self.evidence.ended_ns = self.evidence.began_ns.map(|b| b.saturating_add(ran_ns));
            // What it wrote last.
            job.read(&mut self.wrote);
        }
        match self.ending {
            Ending::Not => self.begin_ending(phase, limit, last, now_ns),
            Ending::Asked { .. } | Ending::Killed { .. } if job.is_gone() => self.job = None,
            Ending::Asked { at_ns } if over(at_ns, now_ns) => {
                job.kill();
                self.ending = Ending::Killed { at_ns: now_ns };
            }
            Ending::Killed { at_ns } if over(at_ns, now_ns) => self.give_up(),
            _ => {}
        }
    }

    /// Asks it to end where it is time, or those whom it left behind.
    fn begin_ending(&mut self, phase: Phase, limit: Nanos, last: bool, now_ns: u64) {
        let Some(job) = &mut self.job else { return };
        if self.evidence.ended_ns.is_some() {
            let leave = match phase {
                Phase::Goes => false,
                Phase::Stopped => !self.puts_back,
                Phase::Over { .. } => last || !self.puts_back,
            };
            if !leave {
                return;
            }
            if job.is_gone() {
                self.job = None;
                return;
            }
            self.notes.push(format!(
                "`{}` had left processes behind, which were ended with its step; begin with setsid what is to outlive it",
                self.evidence.what
            ));
        } else {
            let at_limit = now_ns.saturating_sub(self.began_ns) >= limit.0;
            let why = match phase {
                _ if at_limit => format!("it was ended after {limit}, the limit of a command"),
                // What puts back has its time, whatever becomes of the step.
                _ if self.puts_back => return,
                Phase::Stopped => "it was ended as the run was interrupted".to_owned(),
                Phase::Over { since_ns } if now_ns >= since_ns.saturating_add(AFTER_END_NS) => {
                    "it was ended with its step".to_owned()
                }
                _ => return,
            };
            self.why = Some(why);
        }
        job.ask_to_end();
        self.ending = Ending::Asked { at_ns: now_ns };
    }

    /// Gives up a command that was killed, and of which some is there nevertheless: stuck in the kernel.
    fn give_up(&mut self) {
        self.job = None;
        let what = &self.evidence.what;
        if self.evidence.ended_ns.is_none() {
            let why = self.why.take().unwrap_or_default();
            self.evidence.failed = Some(format!("{why}, and was still there after it was killed"));
        }
        self.notes.push(format!(
            "processes of `{what}` are still there after they were killed: they are stuck in the kernel, or nobody waits for them"
        ));
    }

    /// Result of the command.
    pub fn done(mut self) -> Done {
        let wrote = self.wrote.text();
        self.evidence.output = end_of(&wrote).to_owned();
        Done {
            evidence: self.evidence,
            to: self.to,
            wrote,
            notes: self.notes,
        }
    }
}

fn over(at_ns: u64, now_ns: u64) -> bool {
    now_ns.saturating_sub(at_ns) >= GRACE.as_nanos() as u64
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
