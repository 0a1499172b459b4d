//! One worker's part of a process of one event a unit of time.

use crate::generator::Generator;
use crate::seed::seed_for;
use plimsoll_plan::Arrival;

/// The gaps between one worker's events, in mean gaps of the whole process.
///
/// - exponential: a process of the worker's own at its part of the rate. Independent Poisson processes add up to one.
/// - even: every W-th event, from the w-th on, so that the workers interleave exactly.
/// - uniform: every worker draws all gaps, from one seed, and takes every W-th event: sums of the gaps in between.
#[derive(Debug, Clone)]
pub(crate) struct Process {
    arrival: Arrival,
    generator: Generator,
    workers: u32,
    /// How many of the whole process's events the next one is away.
    ahead: u32,
}

impl Process {
    /// Worker `worker`'s part; all workers get the same seed.
    pub(crate) fn new(arrival: Arrival, seed: u64, worker: u32, workers: u32) -> Self {
        let own = match arrival {
            Arrival::Exponential => u64::from(worker) + 1,
            Arrival::Uniform | Arrival::Even => 0,
        };
        Process {
            arrival,
            generator: Generator::new(seed_for(seed, &[own])),
            workers: workers.max(1),
            ahead: match arrival {
                Arrival::Exponential => workers.max(1),
                Arrival::Uniform => worker + 1,
                Arrival::Even => worker,
            },
        }
    }

    /// How many workers share the process.
    pub(crate) fn workers(&self) -> u32 {
        self.workers
    }

    /// The gap before the worker's next event.
    #[inline(always)]
    pub(crate) fn gap(&mut self) -> f64 {
        let ahead = self.ahead;
        self.ahead = self.workers;
        match self.arrival {
            Arrival::Exponential => self.generator.exponential() * f64::from(ahead),
            Arrival::Even => f64::from(ahead),
            Arrival::Uniform => (0..ahead).map(|_| 2.0 * self.generator.unit()).sum(),
        }
    }
}
