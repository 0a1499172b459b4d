//! The I/O logs that jobs ask for (`write_iolog`): which files, and what of the plan goes into each.

use super::Parsed;
use super::lowering::{clones, names, numbered, reads_back};

/// A log of each I/O, of one job or of several that name one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IoLog {
    /// The file.
    pub path: String,
    /// The steps, counted from 0, and the workloads in them.
    pub of: Vec<(usize, String)>,
    /// How many jobs and clones that is.
    pub jobs: u64,
}

impl Parsed {
    /// All I/O logs that are asked for, in the order of the jobs.
    pub fn iologs(&self) -> Vec<IoLog> {
        let mut out: Vec<IoLog> = Vec::new();
        for ((from, to), step) in numbered(&self.jobs) {
            let jobs = &self.jobs[from..to];
            for (job, name) in jobs.iter().zip(names(jobs)) {
                let Some(path) = job.text("write_iolog") else {
                    continue;
                };
                let back = reads_back(job).then_some(step + 1);
                let steps = || std::iter::once(step).chain(back);
                let of = clones(job, &name).into_iter();
                let of = of.flat_map(|w| steps().map(move |step| (step, w.clone())));
                let at = match out.iter().position(|log| log.path == path) {
                    Some(at) => at,
                    None => {
                        out.push(IoLog {
                            path: path.to_string(),
                            of: Vec::new(),
                            jobs: 0,
                        });
                        out.len() - 1
                    }
                };
                out[at].of.extend(of);
                out[at].jobs += job.number("numjobs").unwrap_or(1).max(1).unsigned_abs();
            }
        }
        out
    }
}
