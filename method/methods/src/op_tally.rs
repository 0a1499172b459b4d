//! Operations of a step, or of one of its streams, summed as its intervals come.

use plimsoll_evidence::OpSummary;
use plimsoll_measure::{Histogram, Op, OpStats, StreamStats};

/// Sums by operation, in the order of [`Op::EVERY`].
#[derive(Debug)]
pub struct OpTally {
    sums: [OpSummary; Op::EVERY.len()],
    /// Service times of what was due before the counted time.
    untimed: [Histogram; Op::ALL.len()],
}

impl OpTally {
    /// Nothing yet.
    pub fn new() -> Self {
        OpTally {
            sums: Op::EVERY.map(|op| OpSummary::of(op, &OpStats::nothing())),
            untimed: Op::ALL.map(|_| Histogram::empty()),
        }
    }

    /// Adds what a stream did in a counted interval.
    pub fn add(&mut self, stream: &StreamStats) {
        for (op, part) in stream.by_op() {
            let sum = &mut self.sums[op as usize];
            sum.ios += part.ios;
            sum.bytes += part.bytes;
        }
        for (sum, part) in self
            .untimed
            .iter_mut()
            .zip(stream.untimed.iter().flat_map(|u| u.iter()))
        {
            sum.merge(part);
        }
        self.add_drained(stream);
    }

    /// Adds the times and errors of what came back after the counted time.
    pub fn add_drained(&mut self, stream: &StreamStats) {
        for (op, part) in stream.by_op() {
            let sum = &mut self.sums[op as usize];
            sum.errors += part.errors;
            sum.response.merge(&part.response);
            sum.service.merge(&part.service);
        }
    }

    /// Adds syncs that failed outside of the counted time.
    pub fn add_failed_syncs(&mut self, failed: u64) {
        self.sums[Op::Sync as usize].errors += failed;
    }

    /// Operations that occurred, and the syncs where any did. Where all I/Os of one were due before the counted time, these service times are
    /// what is known of it.
    pub fn finish(mut self) -> (Vec<OpSummary>, Option<Box<OpSummary>>) {
        for (sum, untimed) in self.sums.iter_mut().zip(self.untimed) {
            if sum.service.is_empty() {
                sum.service = untimed;
            }
        }
        let occurred = self.sums.into_iter().filter(|op| {
            op.ios + op.errors > 0 || op.response.count() > 0 || op.service.count() > 0
        });
        let (ops, syncs): (Vec<_>, Vec<_>) = occurred.partition(|o| o.op.is_io());
        (ops, syncs.into_iter().next().map(Box::new))
    }
}
