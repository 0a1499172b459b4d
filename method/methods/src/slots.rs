//! Whether slots were short: all taken whenever an I/O came due.

use crate::pieces::{SAMPLE_NS, demands};
use crate::series::is_spoiled;
use plimsoll_evidence::Interval;
use plimsoll_measure::Demand;
use plimsoll_plan::Window;

/// A sample is short of slots where this share of what went out in it had waited for one, and a backlog stood before
/// and after.
const ALL: f64 = 0.99;
/// So many I/Os without a free slot for any of them are no chance, even of one slot that is busy nine tenths of the time.
const MIN_UNBROKEN: u64 = 2000;

/// One stream's slots over its counted time. It keeps counts, not samples.
#[derive(Debug, Clone, Default)]
pub struct SlotWatch {
    /// Time in which the stream works: its other samples show nothing of its slots.
    window: Window,
    due: u64,
    late: u64,
    /// Samples that the host did not spoil, and those of them that were short.
    samples: u64,
    short: u64,
    /// The unbroken run of short ones at the end: (samples, I/Os that went out).
    run: (u64, u64),
    /// The longest such run.
    longest: (u64, u64),
    backlog: u64,
}

impl SlotWatch {
    /// Of a stream that works in this window.
    pub fn of(window: Window) -> Self {
        SlotWatch {
            window,
            ..SlotWatch::default()
        }
    }

    /// Adds the next counted interval of the step's `index`-th stream.
    pub fn add(&mut self, interval: &Interval, index: usize) {
        let Some(stream) = interval.stats.streams.get(index) else {
            return;
        };
        self.due += stream.due;
        self.late += stream.late_for_slot;
        if stream.demand.is_empty() {
            // Nobody told the backlog by sample: nothing shows that slots were short without a break.
            self.backlog = interval.stats.backlog_end;
            self.samples += 1;
            return;
        }
        let mut from_ns = interval.start_ns;
        for demand in demands(interval, stream) {
            let to_ns = from_ns.saturating_add(SAMPLE_NS);
            match self.window.overlap_ns(from_ns, to_ns) {
                0 => self.backlog = demand.backlog_end,
                _ => self.sample(&demand, from_ns, to_ns),
            }
            from_ns = to_ns;
        }
    }

    /// Adds the slots that were due, and went out, after the counted time.
    pub fn add_drained(&mut self, interval: &Interval, index: usize) {
        if let Some(stream) = interval.stats.streams.get(index) {
            self.late += stream.late_for_slot;
            self.backlog = stream.demand.last().map_or(0, |d| d.backlog_end);
        }
    }

    fn sample(&mut self, demand: &Demand, from_ns: u64, to_ns: u64) {
        let before = std::mem::replace(&mut self.backlog, demand.backlog_end);
        // Where the stream begins, nothing can have waited before: it shows nothing.
        let begins = (from_ns..to_ns).contains(&self.window.from.0);
        if begins || is_spoiled(demand.late_by_host, demand.due) {
            return;
        }
        // Where it ends, nothing waits after: what did is among those that found no slot.
        let until = self.window.until.map_or(u64::MAX, |until| until.0);
        let ends = from_ns < until && until < to_ns;
        self.samples += 1;
        let issued = (before + demand.due).saturating_sub(demand.backlog_end);
        let is_short = before > 0
            && (demand.backlog_end > 0 || ends)
            && demand.late_for_slot as f64 >= ALL * issued as f64;
        if !is_short {
            self.run = (0, 0);
            return;
        }
        self.short += 1;
        self.run = (self.run.0 + 1, self.run.1 + issued);
        self.longest = self.longest.max(self.run);
    }

    /// Share of the due I/Os that found no free slot, 0..=1: those that never went out are among them.
    pub fn no_slot_share(&self) -> f64 {
        share(self.late + self.backlog, self.due).min(1.0)
    }

    /// Share of the samples, without those that the host spoiled, that were short of slots.
    pub fn short_samples(&self) -> f64 {
        share(self.short, self.samples)
    }

    /// True where slots were short without a break for more than half of the step.
    pub fn were_short(&self) -> bool {
        self.longest.0 * 2 > self.samples && self.longest.1 >= MIN_UNBROKEN
    }

    /// Due and not issued at the end.
    pub fn backlog(&self) -> u64 {
        self.backlog
    }

    /// Adds another stream's counts, for what several come to together.
    pub fn merge(&mut self, other: &SlotWatch) {
        self.due += other.due;
        self.late += other.late;
        self.backlog += other.backlog;
    }
}

fn share(part: u64, whole: u64) -> f64 {
    match whole {
        0 => 0.0,
        _ => part as f64 / whole as f64,
    }
}
