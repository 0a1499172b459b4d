//! The logs that jobs ask for (`write_bw_log` and its like): of what, how often, and what the files are called.

use super::lowering::{clones, largest_size, names, numbered};
use super::{Job, Parsed};
use plimsoll_plan::Nanos;

/// What a log tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum LogKind {
    /// KiB per second.
    Bandwidth,
    /// I/Os per second.
    Iops,
    /// All three latencies.
    Latency,
    /// Histograms of the latency from the submission on.
    Histogram,
}

/// One job's, or one clone's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobLog {
    /// What it tells.
    pub kind: LogKind,
    /// What the files' names begin with.
    pub stem: String,
    /// The number in their names, from 1; `None` where all jobs write into one.
    pub number: Option<u32>,
    /// The step that carries the job out, counted from 0.
    pub step: usize,
    /// Its workload in that step.
    pub workload: String,
    /// A line is of this time.
    pub window: Nanos,
    /// How many times the buckets of a histogram are joined by two.
    pub coarseness: u32,
    /// Lines have a field for the offset.
    pub offset: bool,
    /// Times count from 1970.
    pub since_1970: bool,
    /// A line has the largest value of its time, and not the mean.
    pub largest: bool,
    /// The largest size of its I/Os, bytes.
    pub block: u64,
}

/// The shortest time of a line.
pub(super) const SHORTEST: Nanos = Nanos(100_000_000);
/// Window of a job that does not say any: fio then writes a line for each I/O.
pub(super) const USUAL: Nanos = Nanos::secs(1);

const KINDS: [(&str, LogKind); 4] = [
    ("write_bw_log", LogKind::Bandwidth),
    ("write_iops_log", LogKind::Iops),
    ("write_lat_log", LogKind::Latency),
    ("write_hist_log", LogKind::Histogram),
];

/// What a job logs: the option, and what it is of.
pub(super) fn wanted(job: &Job) -> impl Iterator<Item = (&'static str, LogKind)> + '_ {
    KINDS
        .into_iter()
        .filter(|(option, _)| job.get(option).is_some())
}

/// The time of a line of a job's log, as it is asked for; `None` where each I/O is to have one.
pub(super) fn asked(job: &Job, kind: LogKind) -> Option<Nanos> {
    let option = match kind {
        LogKind::Histogram => "log_hist_msec",
        _ => "log_avg_msec",
    };
    let micros = job.number(option).and_then(|us| u64::try_from(us).ok());
    micros
        .filter(|us| *us > 0)
        .map(|us| Nanos(us.saturating_mul(1000)))
}

/// Window of a job's log, as near as it can be had.
pub(super) fn window(job: &Job, kind: LogKind) -> Nanos {
    asked(job, kind).map_or(USUAL, |asked| asked.max(SHORTEST))
}

impl Parsed {
    /// All logs that are asked for, in the order of the jobs.
    pub fn logs(&self) -> Vec<JobLog> {
        let mut out = Vec::new();
        let mut number = 0;
        for ((from, to), step) in numbered(&self.jobs) {
            let jobs = &self.jobs[from..to];
            for (job, name) in jobs.iter().zip(names(jobs)) {
                for workload in clones(job, &name) {
                    number += 1;
                    let of = |(option, kind)| log(job, option, kind, number, step, &workload);
                    out.extend(wanted(job).map(of));
                }
            }
        }
        out
    }
}

fn log(job: &Job, option: &str, kind: LogKind, number: u32, step: usize, workload: &str) -> JobLog {
    let stem = job.text(option).filter(|stem| !stem.is_empty());
    JobLog {
        kind,
        stem: stem.unwrap_or(&job.name).to_string(),
        number: (job.switch("per_job_logs") != Some(false)).then_some(number),
        step,
        workload: workload.to_string(),
        window: window(job, kind),
        coarseness: job
            .number("log_hist_coarseness")
            .map_or(0, |n| n.clamp(0, 6) as u32),
        offset: job.is_on("log_offset"),
        since_1970: job.is_on("log_alternate_epoch"),
        block: largest_size(job),
        largest: matches!(job.text("log_window_value"), Some("1" | "max")),
    }
}
