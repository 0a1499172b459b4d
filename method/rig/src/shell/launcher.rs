//! Launcher of commands, where they are allowed.

use super::{AtWork, GRACE, Job};
use crate::Enclosure;
use rustix::process::Pid;
use std::io;
use std::process::{Child, Command, ExitStatus};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Reason why a command is not begun.
pub(crate) const NOT_ALLOWED: &str = "commands run only with --allow-commands";

/// Exit code of the shell where there is no such command.
const NOT_FOUND: i32 = 127;

/// Starts commands: behind a wall, and so that whoever ends the process knows of them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Launcher {
    at_work: AtWork,
    /// Ended with the last of its clones, and before the wall goes.
    left: Arc<LeftBehind>,
    /// `None` where commands are not allowed.
    enclosure: Option<Arc<Enclosure>>,
}

impl Launcher {
    /// One that starts commands within `enclosure`, or none.
    pub fn new(at_work: &AtWork, enclosure: Option<Enclosure>) -> Self {
        Launcher {
            at_work: at_work.clone(),
            left: Arc::default(),
            enclosure: enclosure.map(Arc::new),
        }
    }

    /// Starts one.
    pub(super) fn start(&self, command: &mut Command) -> io::Result<(Child, Pid)> {
        let Some(enclosure) = &self.enclosure else {
            return Err(io::Error::other(NOT_ALLOWED));
        };
        self.at_work.begin(|| {
            let child = enclosure.spawn(command)?;
            let group = Pid::from_child(&child);
            Ok((child, group))
        })
    }

    /// Takes over a command that is over: whom it has left behind is ended with the run.
    pub fn leave(&self, job: Job) {
        self.left.add(job);
    }

    /// True where commands are allowed.
    pub fn is_allowed(&self) -> bool {
        self.enclosure.is_some()
    }

    /// Commands that run, and what is to be put back.
    pub fn at_work(&self) -> &AtWork {
        &self.at_work
    }

    /// Words for a command's failure, with what may have been the reason.
    pub fn failure(&self, status: ExitStatus) -> String {
        let bounds = self.enclosure.as_ref().and_then(|e| e.bounds());
        match bounds {
            // One that is not there has written nothing.
            Some(bounds) if status.code() != Some(NOT_FOUND) => format!("{status}; {bounds}"),
            _ => status.to_string(),
        }
    }
}

/// Time between two looks after those who were asked to end.
const LOOK_AFTER: Duration = Duration::from_millis(20);

/// Commands that are over, each of which has left somebody behind in its process group. With this they are ended: what a run writes is
/// nobody's to write to once it is over.
#[derive(Debug, Default)]
struct LeftBehind(Mutex<Vec<Job>>);

impl LeftBehind {
    /// Keeps a command that is over, where anybody of its group lives. It is not reaped, so its group keeps its number.
    fn add(&self, job: Job) {
        if job.is_left_by_all() {
            return;
        }
        let mut jobs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        jobs.push(job);
    }
}

impl Drop for LeftBehind {
    fn drop(&mut self) {
        let jobs = self.0.get_mut().unwrap_or_else(PoisonError::into_inner);
        for job in jobs.iter() {
            job.ask_to_end();
        }
        let asked = Instant::now();
        let mut is_killed = false;
        loop {
            jobs.retain(|job| !job.is_left_by_all());
            if jobs.is_empty() || asked.elapsed() >= 2 * GRACE {
                return;
            }
            if asked.elapsed() >= GRACE && !is_killed {
                is_killed = true;
                for job in jobs.iter() {
                    job.kill();
                }
            }
            sleep(LOOK_AFTER);
        }
    }
}
