//! Which commands are at work, for whoever has to leave at once.

use rustix::process::{Pid, Signal, kill_process_group};
use std::io;
use std::process::Child;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The process groups of all commands that run, and what puts back what some have done. Clones share it.
#[derive(Debug, Clone, Default)]
pub struct AtWork {
    all: Arc<Mutex<All>>,
}

#[derive(Debug, Default)]
struct All {
    left: bool,
    groups: Vec<Pid>,
    owed: Vec<String>,
}

impl AtWork {
    /// The process is about to end: kills all that runs, and lets nothing more begin. What was not put back, or not to its
    /// end, comes back, for the user to do it.
    pub fn leave(&self) -> Vec<String> {
        let mut all = self.lock();
        all.left = true;
        for group in &all.groups {
            let _ = kill_process_group(*group, Signal::KILL);
        }
        all.owed.clone()
    }

    /// Begins one, unless the process is about to end.
    pub(super) fn begin(
        &self,
        spawn: impl FnOnce() -> io::Result<(Child, Pid)>,
    ) -> io::Result<(Child, Pid)> {
        let mut all = self.lock();
        if all.left {
            return Err(io::Error::other("the run was left"));
        }
        let begun = spawn()?;
        all.groups.push(begun.1);
        Ok(begun)
    }

    /// Nobody of the group is left.
    pub(super) fn gone(&self, group: Pid) {
        self.lock().groups.retain(|g| *g != group);
    }

    /// Something was done that this command puts back.
    pub(crate) fn owe(&self, line: &str) {
        self.lock().owed.push(line.to_owned());
    }

    /// Strikes out a command that was put back, or for which that was tried.
    pub(crate) fn paid(&self, line: &str) {
        let mut all = self.lock();
        if let Some(at) = all.owed.iter().position(|owed| owed == line) {
            all.owed.remove(at);
        }
    }

    fn lock(&self) -> MutexGuard<'_, All> {
        // It is whole between any two statements.
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
