//! What a worker is told before it starts, what it works with, and its line to whoever gathers.

use super::{Budget, Pool, Report, Shared, StreamState, Throttles, Timeline};
use crate::buffers::Arena;
use crate::dependencies::WorkerDependencies;
use plimsoll_measure::IntervalStats;
use plimsoll_traffic::Deficit;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender};

/// Mode in which the loop decides what to issue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Every slot always busy.
    Closed,
    /// Every slot busy as far as nothing holds its stream back: it thinks between I/Os, or has a most per second.
    Throttled,
    /// Every slot busy as far as the streams' shares allow.
    Shared,
    /// On schedule.
    Open,
    /// Streams with a schedule go first; the others fill every slot that is left, by shares where the worker has a
    /// [`Deficit`], and as far as nothing holds them back where it has [`Throttles`].
    Mixed,
}

/// Orders of a worker, which do not change while it runs.
#[derive(Debug, Clone, Copy)]
pub struct Orders {
    /// The worker's number.
    pub number: usize,
    /// Mode in which the worker decides what to issue.
    pub mode: Mode,
    /// Instants of the step.
    pub timeline: Timeline,
    /// I/Os handed to the kernel at once, at most.
    pub submit_batch: usize,
    /// Completions that a closed loop waits for at once, where so many are out.
    pub reap_batch: u32,
    /// Errors of all workers after which the step ends.
    pub max_errors: u64,
    /// Bytes of a slot's buffer; 0 where none is needed.
    pub buffer_stride: usize,
    /// True where waiting may burn CPU for punctuality: not where there's only one CPU, nor on a clock that stands still while nothing
    /// waits.
    pub may_spin: bool,
    /// True where waiting may burn as much CPU as punctuality takes; else it may burn a few percent of one.
    pub punctual: bool,
}

/// Work of one worker.
pub struct Work {
    /// Orders that the worker follows.
    pub orders: Orders,
    /// Limits that end the worker before its time.
    pub budget: Budget,
    /// (pool, slots of it); slots are numbered from 0 in this order.
    pub pools: Vec<(Pool, u32)>,
    /// Streams, each the worker's part of one of the step's; [`Pool`] and [`StreamThrottle`](super::StreamThrottle) name them by their
    /// place here.
    pub streams: Vec<StreamState>,
    /// Keeps shares, in [`Mode::Shared`] and perhaps in [`Mode::Mixed`].
    pub deficit: Option<Deficit>,
    /// Holds streams back, in [`Mode::Throttled`] and perhaps in [`Mode::Mixed`].
    pub throttles: Option<Box<Throttles>>,
    /// Begins and ends streams with others; `None` where none has to do with another's end.
    pub dependencies: Option<Box<WorkerDependencies>>,
}

impl Work {
    /// I/Os that may be in flight at once, in all pools.
    pub fn slots(&self) -> usize {
        self.pools.iter().map(|(_, slots)| *slots as usize).sum()
    }

    /// Bytes of all slots' buffers.
    pub fn buffer_bytes(&self) -> usize {
        self.slots() * self.orders.buffer_stride
    }
}

/// Tools of a worker's thread. Field order matters: the backend is dropped before the memory that it knows.
pub struct Tools<B, C> {
    /// Issues the I/O.
    pub backend: B,
    /// Buffers for all slots.
    pub arena: Arena,
    /// The time.
    pub clock: C,
    /// The time of this thread so far.
    pub thread_time: fn() -> ThreadTime,
}

/// A thread's time since it began, ns.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ThreadTime {
    /// On a CPU.
    pub ran_ns: u64,
    /// Ready to run, waiting for a CPU; `None` where the kernel does not tell.
    pub waited_ns: Option<u64>,
}

/// Line from a worker to the others of its step, and to whoever gathers their counters.
pub struct Line {
    /// State that the step's workers share.
    pub shared: Arc<Shared>,
    /// Sender of the worker's reports.
    pub reports: Sender<Report>,
    /// Receiver of used counters, which come back cleared.
    pub fresh: Receiver<Box<IntervalStats>>,
}
