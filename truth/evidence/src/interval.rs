//! One interval of one step.

use crate::{ArrayInterval, Witnessed};
use plimsoll_measure::IntervalStats;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// All workers' counters of one interval, and what the witness saw meanwhile.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// The step's number in the record, from 1.
    pub step: u32,
    /// Number of the host in [`crate::Environment::hosts`], from 1; 0: all of them together, or the only one.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub host: u32,
    /// Number in its step, from 1; warm-up counts too.
    pub number: u32,
    /// Start of the interval, ns from the step's start.
    pub start_ns: u64,
    /// Length, ns; the last interval may be shorter.
    pub length_ns: u64,
    /// Phase of the step, which tells whether the interval counts.
    pub phase: Phase,
    /// The counters.
    pub stats: IntervalStats,
    /// CPU of host and threads; `None` where not observable.
    pub cpu: Option<CpuInterval>,
    /// The arrays below the step's targets, in the order of [`crate::StepEvidence::arrays`]; empty where none told
    /// anything.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub arrays: Vec<ArrayInterval>,
    /// Observations of the kernel and the host; `None` where nobody looked: in virtual time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub witnessed: Option<Box<Witnessed>>,
}

/// Phase of a step that an interval belongs to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Time before the counted time: of all that the phase has, only errors count.
    WarmUp,
    /// The counted time.
    #[default]
    Counted,
    /// Time after the counted time, until all that was due in that has come back: its response times count, its rate does not.
    Drain,
}

impl Interval {
    /// Interval of all hosts together, beside which no witness saw anything; `time_ns` is from its start to its end, from the step's start.
    pub fn new(
        step: u32,
        number: u32,
        time_ns: Range<u64>,
        phase: Phase,
        stats: IntervalStats,
    ) -> Interval {
        Interval {
            step,
            host: 0,
            number,
            start_ns: time_ns.start,
            length_ns: time_ns.end - time_ns.start,
            phase,
            stats,
            cpu: None,
            arrays: Vec::new(),
            witnessed: None,
        }
    }

    /// True in the counted time.
    pub fn counts(&self) -> bool {
        self.phase == Phase::Counted
    }
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

/// True for zero, the default, which is then left out of the written form.
#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
pub(crate) fn is_zero(number: &u32) -> bool {
    *number == 0
}
