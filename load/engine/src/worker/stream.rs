//! One stream on one worker.

use crate::backlog::Backlog;
use crate::pace::Pace;
use crate::trace::Lane;
use crate::verify::Check;
use plimsoll_content::Filler;
use plimsoll_measure::{Demand, HEAT_COLUMNS, StreamStats};
use plimsoll_plan::{Nanos, Window};
use plimsoll_traffic::StreamSource;

/// One stream on this worker.
pub struct StreamState {
    pub(super) source: StreamSource,
    pub(super) filler: Option<Filler>,
    pub(super) check: Option<Box<Check>>,
    /// Where its I/Os are kept, where they are logged.
    pub(super) lane: Option<Box<Lane>>,
    pub(super) pool: u32,
    pub(super) pace: Option<Pace>,
    pub(super) due_ns: u64,
    /// Due I/Os that were issued, or put into a queue that workers share.
    pub(super) issued: u64,
    /// How many of those were still in the queue when this was looked at last.
    pub(super) queued: u64,
    pub(super) due_counted: u64,
    pub(super) backlog: Backlog,
    pub(super) priority: u32,
    pub(super) heat_scale: u64,
    pub(super) generation: u64,
    pub(super) exhausted: bool,
    /// When the last of it came back, once it's exhausted.
    pub(super) over_ns: u64,
    /// When it works; from the step's start until the worker has it, then on the worker's clock, ns.
    pub(super) from_ns: u64,
    /// And until when; [`u64::MAX`] where that is the step's end.
    pub(super) until_ns: u64,
    /// Time from which on what it does counts, on the same clocks; 0: from its beginning.
    pub(super) counts_from_ns: u64,
    /// Time from which on what comes back needs no second look: it counts, and is not of an exhausted stream.
    pub(super) plain_from_ns: u64,
    /// Whether it is outside of that time.
    pub(super) is_away: bool,
    /// What of the interval's counts is in its samples already.
    sampled: Sampled,
    /// What had come back in the interval when the stream's time was over; what comes later is in no sample of its own.
    done_at_end: Option<u64>,
}

/// Counts of a stream's interval up to the end of a sample.
#[derive(Debug, Clone, Copy, Default)]
struct Sampled {
    late_for_slot: u64,
    late_by_host: u64,
    done: u64,
}

impl Sampled {
    fn of(stats: &StreamStats) -> Self {
        Sampled {
            late_for_slot: stats.late_for_slot,
            late_by_host: stats.late_by_host,
            done: stats.done(),
        }
    }
}

/// Generations that one worker's part of a stream has for itself: a trillion writes.
const GENERATION_BITS: u32 = 40;

impl StreamState {
    /// A stream on the worker's pool of that index; `pace` is its schedule, where it has one, `size` its target's bytes.
    /// Streams and workers with different `writer`s never write the same content to the same place.
    pub fn new(
        source: StreamSource,
        filler: Option<Filler>,
        pool: u32,
        pace: Option<Pace>,
        priority: u32,
        size: u64,
        writer: u64,
    ) -> Self {
        let scale = ((HEAT_COLUMNS as u128) << 64) / u128::from(size.max(1));
        StreamState {
            source,
            filler,
            check: None,
            lane: None,
            pool,
            pace,
            due_ns: 0,
            issued: 0,
            queued: 0,
            due_counted: 0,
            backlog: Backlog::default(),
            priority,
            heat_scale: u64::try_from(scale).unwrap_or(u64::MAX),
            generation: writer << GENERATION_BITS,
            exhausted: false,
            over_ns: u64::MAX,
            from_ns: 0,
            until_ns: u64::MAX,
            counts_from_ns: 0,
            plain_from_ns: 0,
            is_away: false,
            sampled: Sampled::default(),
            done_at_end: None,
        }
    }

    /// Stream for a part of the step's time.
    pub fn within(self, window: Window) -> Self {
        StreamState {
            from_ns: window.from.0,
            until_ns: window.until.map_or(u64::MAX, |until| until.0),
            counts_from_ns: match window.ramp {
                Nanos(0) => 0,
                _ => window.counted().from.0,
            },
            ..self
        }
    }

    /// Stream with its content verified.
    pub fn verified(self, check: Option<Check>) -> Self {
        StreamState {
            check: check.map(Box::new),
            ..self
        }
    }

    /// Stream with its I/Os logged.
    pub fn traced(self, lane: Option<Lane>) -> Self {
        StreamState {
            lane: lane.map(Box::new),
            ..self
        }
    }

    /// Ends the stream's time, with what `stats` have counted of it in the interval.
    pub(super) fn end_time(&mut self, stats: &StreamStats) {
        self.is_away = true;
        self.done_at_end = Some(Sampled::of(stats).done);
    }

    /// Nothing is left for it to do.
    pub(super) fn exhaust(&mut self, now_ns: u64) {
        self.exhausted = true;
        self.over_ns = now_ns;
        self.plain_from_ns = u64::MAX;
    }

    /// What it does counts from then on.
    pub(super) fn count_from(&mut self, at_ns: u64) {
        self.counts_from_ns = at_ns;
        self.plain_from_ns = self.plain_from_ns.max(at_ns);
    }

    /// One of its I/Os came back.
    #[inline(always)]
    pub(super) fn came_back(&mut self, now_ns: u64) {
        if self.exhausted {
            self.over_ns = now_ns;
        }
    }

    /// How long it worked between two times, ns; `waits`: for I/Os that are in flight.
    pub(super) fn busy_ns(&self, from_ns: u64, until_ns: u64, waits: bool) -> u64 {
        let begins_ns = self.from_ns.max(self.counts_from_ns).max(from_ns);
        let over_ns = if waits { u64::MAX } else { self.over_ns };
        over_ns
            .min(self.until_ns)
            .min(until_ns)
            .saturating_sub(begins_ns)
    }

    /// The next interval counts from nothing.
    pub(super) fn enter_interval(&mut self) {
        self.sampled = Sampled::default();
        self.done_at_end = self.done_at_end.map(|_| 0);
    }

    /// No more of it is due: it has ended.
    pub(super) fn stop_counting(&mut self) {
        self.due_ns = u64::MAX;
        self.backlog.close(self.issued.max(self.due_counted));
    }

    /// What was asked for since the last sample, whose end is `until_ns` from the start, with what `stats` have counted;
    /// `None` without a schedule. What waits, waits for a slot; with `all` whatever it waits for.
    pub(super) fn demand(
        &mut self,
        start_ns: u64,
        until_ns: u64,
        all: bool,
        countable: &mut u32,
        stats: &StreamStats,
    ) -> Option<Demand> {
        let pace = self.pace.as_ref()?;
        let next_ns = self.due_ns.saturating_sub(start_ns);
        if self.due_ns == u64::MAX || next_ns >= until_ns {
            self.backlog.close(self.issued.max(self.due_counted));
        } else {
            self.backlog.look(pace, next_ns);
            self.backlog.advance_to(until_ns, countable);
        }
        let mut now = Sampled::of(stats);
        now.done = self.done_at_end.unwrap_or(now.done);
        let last = std::mem::replace(&mut self.sampled, now);
        let waits = all || self.queued > 0 || self.backlog.is_for_slots();
        Some(Demand {
            due: self.newly_due(),
            done: now.done.saturating_sub(last.done),
            late_for_slot: now.late_for_slot - last.late_for_slot,
            late_by_host: now.late_by_host - last.late_by_host,
            backlog_end: if waits { self.behind() } else { 0 },
        })
    }

    /// How many more are due than were when this was asked last. Less than nothing where more was counted from the rate
    /// than was due in the end: that is made up for before any more is counted.
    fn newly_due(&mut self) -> u64 {
        let due = self.backlog.due.saturating_sub(self.due_counted);
        self.due_counted += due;
        due
    }

    /// Due and not issued; nothing once it has ended.
    fn behind(&self) -> u64 {
        // An I/O issued just past a sample's end is not a backlog below zero.
        let behind = self.backlog.due.saturating_sub(self.issued) + self.queued;
        if self.exhausted { 0 } else { behind }
    }

    /// The column of the heat map that an address falls into.
    #[inline(always)]
    pub(super) fn heat_column(&self, offset: u64) -> usize {
        let column = ((u128::from(offset) * u128::from(self.heat_scale)) >> 64) as usize;
        column.min(HEAT_COLUMNS - 1)
    }
}
