//! After the end: what was due before it is followed until it is back, or has waited long enough.

use super::{Pass, Worker};
use crate::backend::Backend;
use crate::backlog::PER_SAMPLE;
use crate::clock::Clock;
use std::cmp::Reverse;
use std::io;
use std::sync::atomic::Ordering;

/// Into how many parts a schedule is cut of which there is too much to look at each I/O.
const PARTS: u64 = 1_000;

/// When, and how, a worker's part of the step ends.
pub(super) struct Ending {
    /// Time at which issuing ends or has ended, ns.
    pub end_ns: u64,
    /// End of the last interval, ns: what comes back later is in the drain.
    pub counted_until_ns: u64,
    /// Of what was due before this, no times are taken; 0 until the counted time begins.
    pub timed_from_ns: u64,
    /// Intended start from which on nothing is issued any more, ns; 0 once nothing at all is.
    pub due_until_ns: u64,
    /// Until when what was due before the end may still be issued.
    pub catch_up_until_ns: u64,
    /// Time at which the last I/O that was due before the end was issued after it, ns; 0 where none was.
    pub issued_until_ns: u64,
    /// I/Os due in the counted time that were given up.
    pub unfinished: u64,
    /// The end is there: what was due before it is followed.
    pub draining: bool,
    /// A limit or a stream's end came before the step's time was over.
    pub limited: bool,
}

impl Ending {
    /// End of a step that ends at its time, unless something comes before.
    pub fn at(end_ns: u64) -> Self {
        Ending {
            end_ns,
            counted_until_ns: end_ns,
            timed_from_ns: 0,
            due_until_ns: u64::MAX,
            catch_up_until_ns: 0,
            issued_until_ns: 0,
            unfinished: 0,
            draining: false,
            limited: false,
        }
    }
}

impl<B: Backend, C: Clock> Worker<B, C> {
    /// No more is issued; what is out may come back until the deadline.
    #[cold]
    pub(super) fn drain_from_now(&mut self) {
        self.ending.due_until_ns = 0;
        if !self.ending.draining {
            self.ending.draining = true;
            self.ending.end_ns = self.ending.end_ns.min(self.now_ns);
        }
    }

    /// The counted time is over: what was due before `at_ns` is followed.
    pub(super) fn follow_from(&mut self, at_ns: u64) {
        if !self.ending.draining {
            self.ending.draining = true;
            self.ending.end_ns = at_ns;
            self.ending.due_until_ns = at_ns;
            self.ending.catch_up_until_ns = self.orders.timeline.catch_up_until_ns(at_ns);
        }
    }

    /// True where nothing is issued any more, whatever is due.
    #[inline(always)]
    pub(super) fn is_over(&self) -> bool {
        self.ending.due_until_ns == 0
    }

    /// One turn's part after the end: issues what was due before it, for a while, and says whether all is back or given up.
    #[cold]
    pub(super) fn follow(&mut self) -> io::Result<Pass> {
        if !self.is_over() {
            let over = |flag: &std::sync::atomic::AtomicBool| flag.load(Ordering::Relaxed);
            let (errors, abandon) = (&self.line.shared.too_many_errors, &self.line.shared.abandon);
            if self.now_ns >= self.ending.catch_up_until_ns || over(errors) || over(abandon) {
                self.ending.due_until_ns = 0;
            } else {
                self.catch_up()?;
            }
        }
        let waits = !self.is_over() || !self.unstamped.is_empty();
        if self.tally.in_flight() == 0 {
            return Ok(if waits { Pass::Again } else { Pass::Done });
        }
        if self.now_ns < self.deadline_ns() {
            return Ok(Pass::Again);
        }
        self.take_what_came()?;
        Ok(Pass::Done)
    }

    fn catch_up(&mut self) -> io::Result<()> {
        let out = self.tally.in_flight();
        self.issue_open()?;
        if self.tally.in_flight() > out || !self.unstamped.is_empty() {
            self.ending.issued_until_ns = self.now_ns;
        }
        let next = self.due_queue.calendar.peek().map(|Reverse((due, _))| *due);
        let none_waits = self.due_queue.blocked == 0
            && self.due_queue.overdue.is_empty()
            && !self.anyone_waits();
        if none_waits && next.is_none_or(|due| due >= self.ending.due_until_ns) {
            self.ending.due_until_ns = 0;
        }
        Ok(())
    }

    /// From when on the I/Os of a stream have times that count, by when they were due, ns.
    pub(super) fn timed_from_ns(&self, stream: usize) -> u64 {
        let counts_from_ns = self.streams[stream].counts_from_ns;
        self.ending.timed_from_ns.max(counts_from_ns)
    }

    /// What is not back, and what never went out, counts with the time that it has waited until now.
    pub(super) fn give_up(&mut self) {
        let now = self.now_ns;
        for s in &self.slots {
            if !s.in_flight
                || s.action.is_sync()
                || s.intended_ns < self.timed_from_ns(s.stream as usize)
            {
                continue;
            }
            let op = self.tally.stats.streams[s.stream as usize].of(s.action.op());
            op.response.record(now.saturating_sub(s.intended_ns));
            op.service.record(now.saturating_sub(s.submitted_ns));
            self.tally.gave_up(1);
            self.ending.unfinished += 1;
        }
        // What a limit has left out was never asked for.
        if self.ending.counted_until_ns <= self.sampling.interval_start_ns && !self.ending.limited {
            self.give_up_queued();
            for index in 0..self.streams.len() {
                // A call that blocks is the target's doing, as a slot is that never came free.
                let for_slots = B::SERIAL || self.streams[index].backlog.is_for_slots();
                let given_up = self.give_up_unissued(index);
                if for_slots {
                    self.tally.stats.streams[index].late_for_slot += given_up;
                }
            }
        }
    }

    /// What is still in the queues that workers share: each counts its own, for others may still issue theirs.
    fn give_up_queued(&mut self) {
        for (index, due) in self.left_in_queues() {
            let timed_from_ns = self.timed_from_ns(index as usize);
            let stream = &mut self.streams[index as usize];
            let until = self.now_ns.min(stream.until_ns);
            if let Some(io) = stream.source.next().filter(|_| due >= timed_from_ns) {
                let stats = &mut self.tally.stats.streams[index as usize];
                stats.late_for_slot += 1;
                stats.of(io.op).response.record(until.saturating_sub(due));
                self.tally.gave_up(1);
                self.ending.unfinished += 1;
            }
        }
    }

    /// A stream's I/Os that were due before the end and never went out. Each is looked at, up to so many; of the rest the
    /// rate tells how many fell into each part of the time. Returns how many there are.
    pub(super) fn give_up_unissued(&mut self, index: usize) -> u64 {
        let (start, now) = (self.orders.timeline.start_ns, self.now_ns);
        let from = self.timed_from_ns(index);
        let stream = &mut self.streams[index];
        let end = self.ending.end_ns.min(stream.until_ns);
        let Some(pace) = &mut stream.pace else {
            return 0;
        };
        let stats = &mut self.tally.stats.streams[index];
        let mut due = stream.due_ns;
        let mut given_up = 0;
        for _ in 0..PER_SAMPLE {
            if due >= end {
                break;
            }
            let Some(io) = stream.source.next() else {
                due = end;
                break;
            };
            if due >= from {
                stats.of(io.op).response.record(now.saturating_sub(due));
                given_up += 1;
            }
            due = start.saturating_add(pace.next_ns());
        }
        let (mut at, mut known) = (due.max(from), 0);
        let (first, part) = (at, end.saturating_sub(at).div_ceil(PARTS).max(1));
        while at < end {
            let Some(io) = stream.source.next() else {
                break;
            };
            let to = (at + part).min(end);
            // The first is one for certain; nothing is known of those after it.
            let until = 1 + pace.expected(first - start, to - 1 - start) as u64;
            let middle = at + (to - at) / 2;
            stats
                .of(io.op)
                .response
                .record_many(now.saturating_sub(middle), until - known);
            (at, known) = (to, until);
        }
        self.count_given_up(given_up + known);
        given_up + known
    }

    /// So many I/Os count with what they had waited: of the warm-up nobody asks how many.
    pub(super) fn count_given_up(&mut self, ios: u64) {
        self.tally.gave_up(ios);
        if self.now_ns >= self.orders.timeline.counted_from_ns() {
            self.ending.unfinished += ios;
        }
    }
}
