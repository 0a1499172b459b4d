//! One worker's part of a process of one event a unit of time.

use crate::generator::Generator;
use crate::seed::seed_for;
use plimsoll_plan::Arrival;

/// One worker's way through the events, and the gaps between them in mean gaps of the whole process.
///
/// Even and uniform events are of one process that all workers walk through: a worker takes every W-th event, from the w-th
/// on. Each gap is added up on its own, so that all workers together have the same events to the nanosecond, however many
/// they are. A gap costs 1 to 2 ns, of each worker: a thousandth part or two of its time at a million events a second.
///
/// An exponential gap costs a logarithm, some ten times as much, and needs no such walk: each worker has a process of its own
/// at its part of the rate, since independent Poisson processes add up to one. Another number of workers draws other
/// events, of the same law.
#[derive(Debug, Clone)]
pub(crate) struct Process {
    arrival: Arrival,
    generator: Generator,
    workers: u32,
    /// How many gaps the worker's next event is away from its last one, or from the start.
    ahead: u32,
    /// The same from one of its events to the next.
    stride: u32,
}

impl Process {
    /// Worker `worker`'s part; all workers get the same seed.
    pub(crate) fn new(arrival: Arrival, seed: u64, worker: u32, workers: u32) -> Self {
        let workers = workers.max(1);
        // (seed, gaps before the first event, gaps between two)
        let (own, ahead, stride) = match arrival {
            Arrival::Exponential => (u64::from(worker) + 1, 1, 1),
            Arrival::Uniform => (0, worker.saturating_add(1), workers),
            Arrival::Even => (0, worker, workers),
        };
        Process {
            arrival,
            generator: Generator::new(seed_for(seed, &[own])),
            workers,
            ahead,
            stride,
        }
    }

    /// How many workers share the process.
    pub(crate) fn workers(&self) -> u32 {
        self.workers
    }

    /// How many gaps lie before the worker's next event.
    #[inline(always)]
    pub(crate) fn gaps(&mut self) -> u32 {
        std::mem::replace(&mut self.ahead, self.stride)
    }

    /// The next gap.
    #[inline(always)]
    pub(crate) fn gap(&mut self) -> f64 {
        match self.arrival {
            Arrival::Exponential => self.generator.exponential() * f64::from(self.workers),
            Arrival::Even => 1.0,
            Arrival::Uniform => 2.0 * self.generator.unit(),
        }
    }

    /// All gaps are of one length.
    #[inline(always)]
    pub(crate) fn is_even(&self) -> bool {
        self.arrival == Arrival::Even
    }
}
