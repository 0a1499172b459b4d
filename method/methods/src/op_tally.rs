//! Operations of a step, or of one of its streams, summed as its intervals come.

use plimsoll_evidence::OpSummary;
use plimsoll_measure::{Op, OpStats, StreamStats};

/// Sums by operation, in the order of [`Op::EVERY`].
#[derive(Debug)]
pub struct OpTally([OpSummary; Op::EVERY.len()]);

impl OpTally {
    /// Nothing yet.
    pub fn new() -> Self {
        OpTally(Op::EVERY.map(|op| OpSummary::of(op, &OpStats::nothing())))
    }

    /// Adds what a stream did in a counted interval.
    pub fn add(&mut self, stream: &StreamStats) {
        for (op, part) in stream.by_op() {
            let sum = &mut self.0[op as usize];
            sum.ios += part.ios;
            sum.bytes += part.bytes;
        }
        self.add_drained(stream);
    }

    /// Adds the times and errors of what came back after the counted time.
    pub fn add_drained(&mut self, stream: &StreamStats) {
        for (op, part) in stream.by_op() {
            let sum = &mut self.0[op as usize];
            sum.errors += part.errors;
            sum.response.merge(&part.response);
            sum.service.merge(&part.service);
        }
    }

    /// Adds syncs that failed outside of the counted time.
    pub fn add_failed_syncs(&mut self, failed: u64) {
        self.0[Op::Sync as usize].errors += failed;
    }

    /// Operations that occurred, and the syncs where any did.
    pub fn finish(self) -> (Vec<OpSummary>, Option<Box<OpSummary>>) {
        let occurred = self.0.into_iter().filter(|op| {
            op.ios + op.errors > 0 || op.response.count() > 0 || op.service.count() > 0
        });
        let (ops, syncs): (Vec<_>, Vec<_>) = occurred.partition(|o| o.op.is_io());
        (ops, syncs.into_iter().next().map(Box::new))
    }
}
