//! How long to wait for what comes back.

use super::{Mode, NEVER, Worker};
use crate::backend::{Backend, Wait};
use crate::clock::Clock;
use std::cmp::Reverse;
use std::io;

/// How long a worker waits at most that has more to put into a queue, ns. Four thousand I/Os in that time are more than
/// any target does for one share of a stream.
const LOOK_AGAIN_NS: u64 = 1_000_000;

impl<B: Backend, C: Clock> Worker<B, C> {
    /// How long to wait for completions, and until when: the next sample, the next due I/O. `busy`: something was
    /// issued in this turn.
    #[inline(always)]
    pub(super) fn how_long(&self, busy: bool) -> (Wait, u64) {
        if busy && self.mode == Mode::Closed {
            // The common case, kept cheap: something is out or going out, and samples may end a little late.
            let ns = self.next_look_ns.saturating_sub(self.now_ns).max(1);
            return (self.wait_for(ns), NEVER);
        }
        let mut until = self.next_look_ns;
        if self.draining {
            if !busy && self.tally.in_flight() == 0 && self.is_over() {
                return (Wait::None, NEVER);
            }
            until = until.min(self.deadline_ns());
            if !self.is_over() {
                until = until.min(self.catch_up_until_ns);
                if self.sharing {
                    // Others work off what is in a queue, and it would not notice.
                    until = until.min(self.now_ns + LOOK_AGAIN_NS);
                }
            }
        } else {
            let due = self.calendar.peek().map_or(NEVER, |Reverse((due, _))| *due);
            let held = self.held.as_ref().map_or(NEVER, |held| held.next_ns());
            let due = due.min(held);
            if due != NEVER {
                let early = match self.may_spin {
                    true => self.awake.allows(self.spin_ns()),
                    false => 0,
                };
                until = until.min(due.saturating_sub(early));
            }
        }
        if !self.overdue.is_empty() && !self.is_over() {
            // Others work off what it has in a queue, and it would not notice.
            until = until.min(self.now_ns + LOOK_AGAIN_NS);
        }
        match until.saturating_sub(self.now_ns) {
            0 => (Wait::None, NEVER),
            ns => (self.wait_for(ns), until),
        }
    }

    /// For as many completions as are asked for at once. A schedule, and the end, wait for the first: there the I/Os
    /// that are out may be the last for long.
    #[inline(always)]
    fn wait_for(&self, ns: u64) -> Wait {
        let closed = matches!(self.mode, Mode::Closed | Mode::Shared) && !self.draining;
        let least = if closed { self.reap_batch } else { 1 };
        Wait::For {
            ns,
            least: least.min(self.tally.in_flight() as u32).max(1),
        }
    }

    /// Counts what has come back unseen, before the rest is given up: a worker that was kept from its CPU past the
    /// deadline finds answers that were there in time.
    #[cold]
    pub(super) fn take_what_came(&mut self) -> io::Result<()> {
        if B::SERIAL {
            // Nothing comes unseen, and looking would carry out what is queued.
            return Ok(());
        }
        while self.tally.in_flight() > 0 {
            self.backend.poll(Wait::None, &mut self.ready)?;
            if self.ready.is_empty() {
                break;
            }
            self.now_ns = self.clock.now_ns();
            self.count();
        }
        Ok(())
    }

    /// When I/Os that are out are given up.
    #[inline(always)]
    pub(super) fn deadline_ns(&self) -> u64 {
        self.end_ns.saturating_add(self.timeline.drain_ns)
    }

    /// How long before its time to wake: what waking took lately, twice.
    #[inline(always)]
    fn spin_ns(&self) -> u64 {
        (self.overslept_ns * 2).clamp(2_000, 200_000)
    }

    /// A wait that ended by its time-out shows what waking costs here.
    #[inline(always)]
    pub(super) fn learn_oversleep(&mut self, wait: Wait, until: u64) {
        if until == NEVER || wait == Wait::None || self.now_ns < until {
            return;
        }
        let over = (self.now_ns - until).min(200_000);
        self.overslept_ns = (self.overslept_ns * 7 + over) / 8;
    }
}
