//! The commands of a step: which are ahead, which run, and when each is begun and ended.

use super::TOO_LATE;
use super::entry::{Done, Entry};
use crate::shell::{self, Job, LOOK_AFTER, Launcher};
use plimsoll_engine::clock::RealClock;
use plimsoll_plan::{Command, Nanos};
use std::collections::VecDeque;
use std::time::Duration;

/// Time between two looks for the step's beginning.
const LOOK: Duration = Duration::from_millis(1);

/// One with its time.
pub(super) struct Planned {
    pub at_ns: u64,
    pub puts_back: bool,
    pub command: Command,
    /// True where the command that this one puts back was begun.
    pub owed: bool,
}

/// Phase of the commands, which says what becomes of them now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    /// The step goes on: each is begun at its time.
    Goes,
    /// The run was interrupted: what was done is put back, and nothing else begins.
    Stopped,
    /// The same, as the step is over; since when, CLOCK_MONOTONIC.
    Over { since_ns: u64 },
}

/// All of one step.
pub(super) struct Table {
    ahead: VecDeque<Planned>,
    begun: Vec<Entry>,
    limit: Nanos,
    launcher: Launcher,
}

impl Table {
    /// By rising time; none may run longer than `limit`.
    pub fn new(ahead: VecDeque<Planned>, limit: Nanos, launcher: Launcher) -> Self {
        Table {
            ahead,
            begun: Vec::new(),
            limit,
            launcher,
        }
    }

    /// Does what is due, of a step that began at `began_ns`. How long it is until something is, where that is known.
    pub fn turn(&mut self, began_ns: Option<u64>, phase: Phase) -> Option<Duration> {
        let last = self.ahead.is_empty();
        for entry in &mut self.begun {
            entry.turn(phase, self.limit, last, &self.launcher);
        }
        for entry in self.begun.iter_mut().filter(|e| e.owed && e.has_ended()) {
            entry.owed = false;
            self.launcher.at_work().paid(&entry.evidence.what);
        }
        while let Some(next) = self.ahead.front() {
            match phase {
                Phase::Goes => {
                    let Some(began) = began_ns else {
                        return Some(LOOK);
                    };
                    let due = began.saturating_add(next.at_ns);
                    let left = due.saturating_sub(RealClock::monotonic_ns());
                    if left > 0 {
                        return Some(Duration::from_nanos(left));
                    }
                    // What puts back waits for what it puts back.
                    if next.puts_back && !self.doings(Entry::has_ended) {
                        return Some(LOOK_AFTER);
                    }
                }
                Phase::Stopped | Phase::Over { .. } => {
                    if !next.owed {
                        self.pass_over(TOO_LATE);
                        continue;
                    }
                    if !self.doings(Entry::is_gone) {
                        return Some(LOOK_AFTER);
                    }
                }
            }
            self.begin_next(began_ns);
        }
        None
    }

    /// True where `are` holds for all commands that were begun and do not put back.
    fn doings(&self, are: impl Fn(&Entry) -> bool) -> bool {
        self.begun.iter().filter(|e| !e.puts_back).all(are)
    }

    /// The first that is ahead does not begin.
    fn pass_over(&mut self, why: &str) {
        if let Some(next) = self.ahead.pop_front() {
            let entry = Entry::never(Some(next.at_ns), &next.command, why);
            self.begun.push(entry);
        }
    }

    fn begin_next(&mut self, began_ns: Option<u64>) {
        let Some(next) = self.ahead.pop_front() else {
            return;
        };
        if !next.puts_back {
            let puts_back = |p: &&mut Planned| p.puts_back && !p.owed;
            for later in self.ahead.iter_mut().filter(puts_back) {
                later.owed = true;
                self.launcher.at_work().owe(&later.command.line);
            }
        }
        let mut entry = Entry::begin(Some(next.at_ns), began_ns, &next.command, &self.launcher);
        entry.puts_back = next.puts_back;
        entry.owed = next.owed;
        self.begun.push(entry);
    }

    /// Begins one that was not planned.
    pub fn begin_now(&mut self, began_ns: Option<u64>, phase: Phase, command: Command) {
        let entry = match (began_ns, phase) {
            (Some(_), Phase::Goes) => Entry::begin(None, began_ns, &command, &self.launcher),
            _ => Entry::never(None, &command, TOO_LATE),
        };
        self.begun.push(entry);
    }

    /// None of them is done, for this reason.
    pub fn refuse(&mut self, why: &str) {
        while !self.ahead.is_empty() {
            self.pass_over(why);
        }
    }

    /// True where one of the commands runs, or has left somebody who may write.
    pub fn is_at_work(&self) -> bool {
        let at_work = |e: &Entry| !e.has_ended() || e.job().is_some_and(Job::may_write);
        self.begun.iter().any(at_work)
    }

    /// True where something was done that is to be put back.
    pub fn owes(&self) -> bool {
        self.ahead.iter().any(|p| p.owed)
    }

    /// True where nothing is ahead, and nobody is left of what was begun.
    pub fn is_over(&self) -> bool {
        self.ahead.is_empty() && self.begun.iter().all(Entry::is_gone)
    }

    /// Until one has written something, or must be looked after; at most so long.
    pub fn wait(&self, at_most: Option<Duration>) {
        let at_most = at_most.map_or(LOOK_AFTER, |left| left.min(LOOK_AFTER));
        shell::wait(self.begun.iter().filter_map(Entry::job), at_most);
    }

    /// Results of all commands.
    pub fn take(&mut self) -> Vec<Done> {
        self.begun.drain(..).map(Entry::done).collect()
    }
}
