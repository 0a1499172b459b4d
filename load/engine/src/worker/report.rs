//! What a worker tells while it runs, and what workers share.

use crate::backend::Action;
use plimsoll_measure::IntervalStats;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64};

/// A failed or lost I/O, and where it was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// The target's name.
    pub target: String,
    /// What it did.
    pub action: Action,
    /// Address on the target.
    pub offset: u64,
    /// Bytes asked for.
    pub length: u32,
    /// From the step's start, ns.
    pub at_ns: u64,
    /// Why.
    pub kind: FailureKind,
}

/// What became of a failed I/O.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailureKind {
    /// The system's error number.
    Errno(i32),
    /// Fewer bytes than asked for.
    Short(u32),
    /// It had not come back by the drain deadline.
    InFlight,
}

/// What a worker tells while it runs.
#[derive(Debug)]
pub enum Report {
    /// An interval has ended.
    Interval {
        /// The worker.
        worker: usize,
        /// The interval, from 1.
        number: u32,
        /// Its length, ns.
        length_ns: u64,
        /// The counters, by the worker's own streams.
        stats: Box<IntervalStats>,
        /// Errors in it, the first of them only.
        failures: Vec<Failure>,
    },
    /// The worker has ended.
    Done {
        /// The worker.
        worker: usize,
        /// True where a limit or a stream's end stopped it before its time.
        limit: bool,
        /// True where [`Shared::stop`] did: its last interval is the step's last.
        stopped: bool,
        /// I/Os that never came back, and the first that failed after the last interval.
        lost: Vec<Failure>,
        /// The kernel's refusal that ended it.
        error: Option<io::Error>,
    },
}

/// What all workers of a step share; touched once a sample at most, and only read there.
#[derive(Debug, Default)]
pub struct Shared {
    /// Set to end the step at the next interval.
    pub stop: AtomicBool,
    /// Failed I/Os and fsyncs of all workers, past the one that ends the step too.
    pub errors: AtomicU64,
    /// The fsyncs among those that count.
    pub fsync_errors: AtomicU64,
    /// Set when too many failed.
    pub too_many_errors: AtomicBool,
    /// Set when a worker cannot go on, so that the others need not.
    pub abandon: AtomicBool,
}
