//! What a worker is told before it starts, what it works with, and its line to whoever gathers.

use super::{Budget, Pool, Report, Shared, StreamState, Throttles, Timeline};
use crate::buffers::Arena;
use crate::dependencies::WorkerDependencies;
use plimsoll_measure::IntervalStats;
use plimsoll_traffic::Deficit;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender};

/// How the loop decides what to issue.
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

/// What does not change while a worker runs.
#[derive(Debug, Clone, Copy)]
pub struct Orders {
    /// The worker's number.
    pub number: usize,
    /// How it decides.
    pub mode: Mode,
    /// When.
    pub timeline: Timeline,
    /// I/Os handed to the kernel at once, at most.
    pub submit_batch: usize,
    /// Completions that a closed loop waits for at once, where so many are out.
    pub reap_batch: u32,
    /// Errors of all workers after which the step ends.
    pub max_errors: u64,
    /// Bytes of a slot's buffer; 0 where none is needed.
    pub buffer_stride: usize,
    /// Whether waiting may burn CPU for punctuality: not where there's only one CPU, nor on a clock that stands still
    /// while nothing waits.
    pub may_spin: bool,
    /// Whether it may burn as much as punctuality takes; else a few percent of a CPU.
    pub punctual: bool,
}

/// Work of one worker.
pub struct Work {
    /// How, and when.
    pub orders: Orders,
    /// How much.
    pub budget: Budget,
    /// (pool, slots of it); slots are numbered from 0 in this order.
    pub pools: Vec<(Pool, u32)>,
    /// Its parts of the step's streams; [`Pool`] and [`StreamThrottle`](super::StreamThrottle) name them by their place here.
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

/// What a worker's thread works with. Field order matters: the backend goes before the memory that it knows.
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

/// What a worker shares with the others of its step, and with whoever gathers their counters.
pub struct Line {
    /// What the step's workers share.
    pub shared: Arc<Shared>,
    /// Where reports go.
    pub reports: Sender<Report>,
    /// Where used counters come back, cleared.
    pub fresh: Receiver<Box<IntervalStats>>,
}
