//! Those whom commands have left behind.

use super::{GRACE, Job};
use std::sync::{Mutex, PoisonError};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// How often those who were asked to end are looked after.
const LOOK_AFTER: Duration = Duration::from_millis(20);

/// Commands that are over, each of which has left somebody behind in its process group. With this they are ended: what a run writes is
/// nobody's to write to once it is over.
#[derive(Debug, Default)]
pub(super) struct LeftBehind(Mutex<Vec<Job>>);

impl LeftBehind {
    /// Keeps a command that is over, where anybody of its group lives. It is not reaped, so its group keeps its number.
    pub fn add(&self, job: Job) {
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
