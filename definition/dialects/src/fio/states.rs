//! The states that jobs ask to be kept (`verify_state_save=1`): which files, and of what in the plan.

use super::Parsed;
use super::lowering::{clones, is_saved, names, numbered};
use super::state::state_path;

/// The state of one clone of a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SavedState {
    /// The file.
    pub path: String,
    /// The job's name.
    pub name: String,
    /// Its number among all clones of all jobs, counted from 0.
    pub index: u64,
    /// I/Os in flight that were asked for.
    pub depth: u32,
    /// The step, counted from 0.
    pub step: usize,
    /// Its workload in that.
    pub workload: String,
}

impl Parsed {
    /// All states that are to be kept, in the order of the jobs.
    pub fn states(&self) -> Vec<SavedState> {
        let mut out = Vec::new();
        for ((from, to), step) in numbered(&self.jobs) {
            let jobs = &self.jobs[from..to];
            for (job, name) in jobs.iter().zip(names(jobs)) {
                if !is_saved(job) {
                    continue;
                }
                for (number, workload) in (0..).zip(clones(job, &name)) {
                    let index = job.clones_before + number;
                    out.push(SavedState {
                        path: state_path(&job.name, index),
                        name: job.name.clone(),
                        index,
                        depth: job.number("iodepth").unwrap_or(1).clamp(1, MOST_DEPTH) as u32,
                        step,
                        workload,
                    });
                }
            }
        }
        out
    }
}

/// More completions than this no state has: it is read whole.
const MOST_DEPTH: i64 = 1 << 15;
