//! Reads and writes, counted so that any intervals and streams add up.

use plimsoll_measure::{Histogram, Op, OpStats, StreamStats};

/// Counts of one kind of operation, by service time.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Tally {
    pub(super) ios: u64,
    pub(super) bytes: u64,
    /// I/Os whose times are in the sums: what was due in the counted time, whenever it came back.
    timed: u64,
    sum_ns: f64,
    sum_squares: f64,
    max_ns: u64,
}

/// Reads and writes. Vdbench has no trim: one counts as a write.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct ReadsWrites {
    pub(super) reads: Tally,
    pub(super) writes: Tally,
}

impl Tally {
    pub(super) fn of(ios: u64, bytes: u64, service: &Histogram) -> Self {
        Tally {
            ios,
            bytes,
            timed: service.count(),
            sum_ns: service.exact_sum_ns() as f64,
            sum_squares: service.sum_squares(),
            max_ns: service.max_ns().unwrap_or(0),
        }
    }

    pub(super) fn add(&mut self, other: &Tally) {
        self.ios += other.ios;
        self.bytes += other.bytes;
        self.timed += other.timed;
        self.sum_ns += other.sum_ns;
        self.sum_squares += other.sum_squares;
        self.max_ns = self.max_ns.max(other.max_ns);
    }

    /// Mean service time, ms; 0 where there was no I/O, as Vdbench prints it.
    pub(super) fn mean_ms(&self) -> f64 {
        if self.timed == 0 {
            0.0
        } else {
            self.sum_ns / self.timed as f64 / 1e6
        }
    }

    /// Largest service time, ms.
    pub(super) fn max_ms(&self) -> f64 {
        self.max_ns as f64 / 1e6
    }

    /// Standard deviation of the sample (divisor n-1), ms; 0 below two I/Os.
    pub(super) fn std_ms(&self) -> f64 {
        if self.timed < 2 {
            return 0.0;
        }
        let n = self.timed as f64;
        let variance = (self.sum_squares - self.sum_ns * self.sum_ns / n) / (n - 1.0);
        variance.max(0.0).sqrt() / 1e6
    }

    /// Sum of service times, s: the integral of I/Os in flight.
    pub(super) fn busy_s(&self) -> f64 {
        self.sum_ns / 1e9
    }
}

impl ReadsWrites {
    /// One stream's interval.
    pub(super) fn of_stream(stream: &StreamStats) -> Self {
        let mut tally = ReadsWrites::default();
        for op in Op::ALL {
            let OpStats {
                ios,
                bytes,
                service,
                ..
            } = &stream.ops[op as usize];
            let moved = if op.moves_bytes() { *bytes } else { 0 };
            tally.side(op).add(&Tally::of(*ios, moved, service));
        }
        // Vdbench knows no time at which an I/O was due.
        for (op, service) in Op::ALL
            .into_iter()
            .zip(stream.untimed.iter().flat_map(|u| u.iter()))
        {
            tally.side(op).add(&Tally::of(0, 0, service));
        }
        tally
    }

    /// Times of what came back of one stream after the end, which count in no rate.
    pub(super) fn times_of(stream: &StreamStats) -> Self {
        let mut tally = ReadsWrites::default();
        for op in Op::ALL {
            let service = &stream.ops[op as usize].service;
            tally.side(op).add(&Tally::of(0, 0, service));
        }
        tally
    }

    fn side(&mut self, op: Op) -> &mut Tally {
        match op {
            Op::Read => &mut self.reads,
            _ => &mut self.writes,
        }
    }

    pub(super) fn add(&mut self, other: &ReadsWrites) {
        self.reads.add(&other.reads);
        self.writes.add(&other.writes);
    }

    /// Both together.
    pub(super) fn all(&self) -> Tally {
        let mut all = self.reads;
        all.add(&self.writes);
        all
    }
}
