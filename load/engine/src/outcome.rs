//! Results of a step: its merged intervals while it runs, and how it ended.

use crate::backend::nbd::VolumeReport;
use crate::heartbeat::Standstill;
use crate::worker::{Failure, FailureKind};
use plimsoll_measure::IntervalStats;
use plimsoll_plan::Nanos;

/// All workers' counters of one interval.
#[derive(Debug)]
pub struct MergedInterval {
    /// From 1.
    pub number: u32,
    /// From the step's start, ns.
    pub start_ns: u64,
    /// Length, ns.
    pub length_ns: u64,
    /// True for the time after the end, in which what was due before it comes back.
    pub drain: bool,
    /// The counters, by the step's streams.
    pub stats: IntervalStats,
    /// Busy share of each worker thread, 0..=1.
    pub worker_busy: Vec<f64>,
    /// Each worker thread's time; one that had ended before has none. `None` where the kernel does not tell.
    pub worker_times: Option<Vec<WorkerTime>>,
    /// The first failures in it.
    pub failures: Vec<Failure>,
    /// For each target that is reached by NBD, in the order of [`Outcome::volumes`]: how many I/Os each of its paths had carried
    /// since the step began, when the interval was put together.
    pub carried: Vec<Vec<u64>>,
}

/// A worker thread's time in one interval, ns.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct WorkerTime {
    /// On a CPU.
    pub ran_ns: u64,
    /// Ready to run, waiting for a CPU.
    pub waited_ns: u64,
}

/// Outcome of a step.
#[derive(Debug)]
pub struct Outcome {
    /// Worker threads.
    pub workers: u32,
    /// Delay of the I/O's start past [`Options::start_at`].
    pub late_start: Nanos,
    /// A limit, a stream's end or [`Control::end_step`] stopped it before its time.
    pub limit: bool,
    /// [`Control::stop`] did.
    pub stopped: bool,
    /// Too many I/Os failed.
    pub too_many_errors: bool,
    /// I/Os that never came back.
    pub lost: Vec<Failure>,
    /// I/Os that were due in the counted time and not back at the end of the drain.
    pub unfinished: u64,
    /// Worker threads that never came back: stuck in a system call.
    pub stuck_workers: u32,
    /// Failed I/Os and fsyncs, those after the last interval too; no more than [`Options::max_errors`], and one for each
    /// fsync at the end. What never came back is not among them.
    pub errors: u64,
    /// The fsyncs and flushes among them.
    pub fsync_errors: u64,
    /// Standstills, in which the host, or whoever stopped the process, kept it from its CPUs.
    pub standstills: Vec<Standstill>,
    /// Reports of what the paths did, for each target that is reached by NBD.
    pub volumes: Vec<VolumeReport>,
}

impl Outcome {
    /// True where I/Os never came back.
    pub fn is_hung(&self) -> bool {
        self.stuck_workers > 0 || self.lost.iter().any(|f| f.kind == FailureKind::InFlight)
    }

    pub(crate) fn add_fsyncs(&mut self, failures: Vec<Failure>, max_errors: u64) {
        self.errors += failures.len() as u64;
        self.fsync_errors += failures.len() as u64;
        self.too_many_errors |= self.errors >= max_errors && !failures.is_empty();
        self.lost.extend(failures);
    }
}
