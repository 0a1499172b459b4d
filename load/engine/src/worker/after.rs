//! After the end: what was due before it is followed until it is back, or has waited long enough.

use super::{Turn, Worker};
use crate::backend::{Action, Backend};
use crate::backlog::PER_SAMPLE;
use crate::clock::Clock;
use std::cmp::Reverse;
use std::io;
use std::sync::atomic::Ordering;

/// Into how many parts a schedule is cut of which there is too much to look at each I/O.
const PARTS: u64 = 1_000;

impl<B: Backend, C: Clock> Worker<B, C> {
    /// No more is issued; what is out may come back until the deadline.
    #[cold]
    pub(super) fn drain_from_now(&mut self) {
        self.due_until_ns = 0;
        if !self.draining {
            self.draining = true;
            self.end_ns = self.end_ns.min(self.now_ns);
        }
    }

    /// The counted time is over: what was due before `at_ns` is followed.
    pub(super) fn follow_from(&mut self, at_ns: u64) {
        if !self.draining {
            self.draining = true;
            self.end_ns = at_ns;
            self.due_until_ns = at_ns;
            self.catch_up_until_ns = self.timeline.catch_up_until_ns(at_ns);
        }
    }

    /// True where nothing is issued any more, whatever is due.
    #[inline(always)]
    pub(super) fn is_over(&self) -> bool {
        self.due_until_ns == 0
    }

    /// One turn's part after the end: issues what was due before it, for a while, and says whether all is back or given up.
    #[cold]
    pub(super) fn follow(&mut self) -> io::Result<Turn> {
        if !self.is_over() {
            let over = |flag: &std::sync::atomic::AtomicBool| flag.load(Ordering::Relaxed);
            let (errors, abandon) = (&self.shared.too_many_errors, &self.shared.abandon);
            if self.now_ns >= self.catch_up_until_ns || over(errors) || over(abandon) {
                self.due_until_ns = 0;
            } else {
                self.catch_up()?;
            }
        }
        let waits = !self.is_over() || !self.unstamped.is_empty();
        if self.tally.in_flight() == 0 {
            return Ok(if waits { Turn::Again } else { Turn::Done });
        }
        if self.now_ns < self.deadline_ns() {
            return Ok(Turn::Again);
        }
        self.take_what_came()?;
        Ok(Turn::Done)
    }

    fn catch_up(&mut self) -> io::Result<()> {
        self.issue_open()?;
        let next = self.calendar.peek().map(|Reverse((due, _))| *due);
        let none_waits = self.blocked == 0 && self.overdue.is_empty() && !self.anyone_waits();
        if none_waits && next.is_none_or(|due| due >= self.due_until_ns) {
            self.due_until_ns = 0;
        }
        Ok(())
    }

    /// What is not back, and what never went out, counts with the time that it has waited until now.
    pub(super) fn give_up(&mut self) {
        let now = self.now_ns;
        for s in &self.slots {
            if !s.in_flight || s.action == Action::Sync || s.intended_ns < self.timed_from_ns {
                continue;
            }
            let op = &mut self.tally.stats.streams[s.stream as usize].ops[s.action as usize];
            op.response.record(now.saturating_sub(s.intended_ns));
            op.service.record(now.saturating_sub(s.submitted_ns));
            self.tally.gave_up(1);
            self.unfinished += 1;
        }
        // What a limit has left out was never asked for.
        if self.counted_until_ns <= self.interval_start_ns && !self.limited {
            self.give_up_queued();
            for index in 0..self.streams.len() {
                self.give_up_unissued(index);
            }
        }
    }

    /// What is still in the queues that workers share: each counts its own, for others may still issue theirs.
    fn give_up_queued(&mut self) {
        for (index, due) in self.left_in_queues() {
            let stream = &mut self.streams[index as usize];
            let until = self.now_ns.min(stream.until_ns);
            if let Some(io) = stream.source.next().filter(|_| due >= self.timed_from_ns) {
                let ops = &mut self.tally.stats.streams[index as usize].ops;
                ops[usize::from(io.op)]
                    .response
                    .record(until.saturating_sub(due));
                self.tally.gave_up(1);
                self.unfinished += 1;
            }
        }
    }

    /// A stream's I/Os that were due before the end and never went out. Each is looked at, up to so many; of the rest the
    /// rate tells how many fell into each part of the time. Returns how many there are.
    pub(super) fn give_up_unissued(&mut self, index: usize) -> u64 {
        let (start, now) = (self.timeline.start_ns, self.now_ns);
        let stream = &mut self.streams[index];
        let (from, end) = (self.timed_from_ns, self.end_ns.min(stream.until_ns));
        let Some(pace) = &mut stream.pace else {
            return 0;
        };
        let ops = &mut self.tally.stats.streams[index].ops;
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
                ops[usize::from(io.op)]
                    .response
                    .record(now.saturating_sub(due));
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
            ops[usize::from(io.op)]
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
        if self.now_ns >= self.timeline.counted_from_ns() {
            self.unfinished += ios;
        }
    }
}
