//! How long to wait for what comes back.

use super::awake::Awake;
use super::{Mode, NEVER, Orders, Worker};
use crate::backend::{Backend, Wait};
use crate::clock::Clock;
use std::cmp::Reverse;
use std::io;

/// How long a worker waits at most that has more to put into a queue, ns. Four thousand I/Os in that time are more than
/// any target does for one share of a stream.
const LOOK_AGAIN_NS: u64 = 1_000_000;

/// What waking costs here, and how much of it may be spent awake.
pub(super) struct Waking {
    may_spin: bool,
    pub awake: Awake,
    /// By what a sleep ended late lately, ns.
    overslept_ns: u64,
}

impl Waking {
    /// Before anything is known of the host.
    pub fn new(orders: &Orders) -> Self {
        Waking {
            may_spin: orders.may_spin,
            awake: Awake::new(orders.punctual, orders.timeline.start_ns),
            overslept_ns: 20_000,
        }
    }

    /// How long before a due I/O to wake, ns: what waking took lately, twice, as far as the budget goes.
    #[inline(always)]
    fn early_ns(&self) -> u64 {
        match self.may_spin {
            true => self
                .awake
                .allows((self.overslept_ns * 2).clamp(2_000, 200_000)),
            false => 0,
        }
    }

    /// A wait that ended by its time-out, at `now_ns` and not at `until_ns`, shows what waking costs here.
    #[inline(always)]
    pub fn learn_oversleep(&mut self, wait: Wait, until_ns: u64, now_ns: u64) {
        if until_ns == NEVER || wait == Wait::None || now_ns < until_ns {
            return;
        }
        let over = (now_ns - until_ns).min(200_000);
        self.overslept_ns = (self.overslept_ns * 7 + over) / 8;
    }
}

impl<B: Backend, C: Clock> Worker<B, C> {
    /// How long to wait for completions, and until when: the next sample, the next due I/O. `busy`: something was
    /// issued in this turn.
    #[inline(always)]
    pub(super) fn how_long(&self, busy: bool) -> (Wait, u64) {
        if busy && self.orders.mode == Mode::Closed {
            // The common case, kept cheap: something is out or going out, and samples may end a little late.
            let ns = self
                .sampling
                .next_look_ns
                .saturating_sub(self.now_ns)
                .max(1);
            return (self.wait_for(ns), NEVER);
        }
        let mut until = self.sampling.next_look_ns;
        if self.ending.draining {
            if !busy && self.tally.in_flight() == 0 && self.is_over() {
                return (Wait::None, NEVER);
            }
            until = until.min(self.deadline_ns());
            if !self.is_over() {
                until = until.min(self.ending.catch_up_until_ns);
                if self.crowd.sharing {
                    // Others work off what is in a queue, and it would not notice.
                    until = until.min(self.now_ns + LOOK_AGAIN_NS);
                }
            }
        } else {
            let due = self
                .due_queue
                .calendar
                .peek()
                .map_or(NEVER, |Reverse((due, _))| *due);
            let throttles = self.throttles.as_ref();
            let due = due.min(throttles.map_or(NEVER, |t| t.next_ns()));
            if due != NEVER {
                until = until.min(due.saturating_sub(self.waking.early_ns()));
            }
        }
        if !self.due_queue.overdue.is_empty() && !self.is_over() {
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
        let closed =
            matches!(self.orders.mode, Mode::Closed | Mode::Shared) && !self.ending.draining;
        let least = if closed { self.orders.reap_batch } else { 1 };
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
            self.tools.backend.poll(Wait::None, &mut self.ready)?;
            if self.ready.is_empty() {
                break;
            }
            self.now_ns = self.tools.clock.now_ns();
            self.count();
        }
        Ok(())
    }

    /// When I/Os that are out are given up: when the last that was issued has had the time that is allowed.
    #[inline(always)]
    pub(super) fn deadline_ns(&self) -> u64 {
        let ending = &self.ending;
        let last_ns = ending.end_ns.max(ending.issued_until_ns);
        last_ns.saturating_add(self.orders.timeline.drain_ns)
    }
}
