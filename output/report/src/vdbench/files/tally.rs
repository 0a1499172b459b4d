//! Operations on files, counted so that any intervals and streams add up.

use super::Column;
use crate::vdbench::tally::Tally;
use plimsoll_measure::{Histogram, Op, StreamStats};

/// Operations of one or more streams.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct FileTally {
    by: [Tally; Column::COUNT],
    /// I/Os that workloads ask for; of a format, the writes.
    pub requested: Tally,
}

impl FileTally {
    /// One stream's interval; a format is asked for writes.
    pub(super) fn of_stream(stream: &StreamStats, is_format: bool) -> Self {
        let mut tally = FileTally::default();
        for (op, stats) in stream.ios_by_op() {
            let moved = if op.moves_bytes() { stats.bytes } else { 0 };
            let own = Tally::of(stats.ios, moved, &stats.service);
            if let Some(column) = Column::of(op) {
                tally.by[column.at()].add(&own);
            }
            if !is_format || op == Op::Write {
                tally.requested.add(&own);
            }
        }
        let brought = stream.brought.iter().flat_map(|b| b.iter());
        for (op, stats) in Op::BROUGHT.into_iter().zip(brought) {
            if let Some(column) = Column::of(op) {
                tally.by[column.at()].add(&Tally::of(stats.ios, stats.bytes, &stats.service));
            }
        }
        tally
    }

    pub(super) fn add(&mut self, other: &FileTally) {
        let both = self.by.iter_mut().zip(&other.by);
        both.for_each(|(own, other)| own.add(other));
        self.requested.add(&other.requested);
    }

    pub(super) fn of(&self, column: Column) -> &Tally {
        &self.by[column.at()]
    }

    /// Reads and writes.
    pub(super) fn transfers(&self) -> [&Tally; 2] {
        [&self.by[0], &self.by[1]]
    }
}

/// Service times of a stream's requested operations.
pub(super) fn add_times(stream: &StreamStats, is_format: bool, sum: &mut Histogram) {
    let requested = |op: Op| !is_format || op == Op::Write;
    let all = stream.ios_by_op().filter(|(op, _)| requested(*op));
    all.for_each(|(_, stats)| sum.merge(&stats.service));
}

/// A standard deviation or a maximum.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Spread {
    /// Of the intervals' rates.
    pub rate: f64,
    /// Of service times, ms.
    pub time_ms: f64,
}

/// Rates of a column in the counted intervals.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Rates {
    count: f64,
    sum: f64,
    squares: f64,
    max: f64,
}

impl Rates {
    pub(super) fn add(&mut self, rate: f64) {
        self.count += 1.0;
        self.sum += rate;
        self.squares += rate * rate;
        self.max = self.max.max(rate);
    }

    /// Largest.
    pub(super) fn max(&self) -> f64 {
        self.max
    }

    /// Standard deviation of the sample; 0 below two intervals.
    pub(super) fn std(&self) -> f64 {
        if self.count < 2.0 {
            return 0.0;
        }
        let variance = (self.squares - self.sum * self.sum / self.count) / (self.count - 1.0);
        variance.max(0.0).sqrt()
    }
}
