//! One interval of one step.

use crate::ArrayInterval;
use plimsoll_measure::IntervalStats;
use serde::{Deserialize, Serialize};

/// All workers' counters of one interval, and what the witness saw meanwhile.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// The step's number in the record, from 1.
    pub step: u32,
    /// Number in its step, from 1; warm-up counts too.
    pub number: u32,
    /// Its start, ns from the step's start.
    pub start_ns: u64,
    /// Its length, ns; the last may be shorter.
    pub length_ns: u64,
    /// True while it isn't counted.
    pub warmup: bool,
    /// The counters.
    pub stats: IntervalStats,
    /// CPU of host and threads; `None` where not observable.
    pub cpu: Option<CpuInterval>,
    /// The arrays below the step's targets, in the order of [`crate::StepEvidence::arrays`]; empty where none told
    /// anything.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub arrays: Vec<ArrayInterval>,
}

/// CPU use in one interval.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct CpuInterval {
    /// Share of all CPUs' time in user mode, 0..=1.
    pub user: f64,
    /// Share in the kernel (with interrupts), 0..=1.
    pub system: f64,
    /// Share waiting for I/O, 0..=1.
    pub iowait: f64,
    /// Share stolen by the hypervisor, 0..=1.
    pub steal: f64,
    /// CPU time of this process with its kernel workers, ns.
    pub process_ns: u64,
    /// CPU time of the kernel's io-wq threads among it, ns.
    pub io_wq_ns: u64,
    /// Busy share of each worker thread, 0..=1.
    pub workers: Vec<f64>,
}
