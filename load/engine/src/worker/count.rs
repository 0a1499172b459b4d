//! What came back.

use super::issue::is_paced;
use super::verify::MISMATCHED;
use super::{Failure, FailureKind, HOST_LATE_NS, Mode, Worker};
use crate::backend::tree::{BLOCKED, IN_VAIN, OVER};
use crate::backend::{Action, Backend};
use crate::clock::Clock;
use crate::slots::Slot;
use std::sync::atomic::Ordering;

/// How many failures of an interval are kept with their place: all of them, up to the errors that end a run by default.
const FAILURES_KEPT: usize = 50;

impl<B: Backend, C: Clock> Worker<B, C> {
    /// Counts all that came back.
    #[inline(always)]
    pub(super) fn count(&mut self) {
        let now = self.now_ns;
        let mut ready = std::mem::take(&mut self.ready);
        if self.verifies {
            self.verify(&mut ready);
        }
        for c in ready.drain(..) {
            let mut s = self.slots[c.slot as usize];
            self.slots[c.slot as usize].in_flight = false;
            let mut now = now;
            if B::STAMPS {
                now = self.take_stamps(c.slot, &mut s);
            } else {
                self.tally.completed(now);
            }
            if B::CHOOSES {
                self.count_chosen(c.slot, &mut s, c.result, now);
                self.streams[s.stream as usize].came_back(now);
            } else if !s.action.is_sync() && c.result == s.length as i32 {
                self.count_good(&s, now);
            } else {
                self.count_other(c.slot, &s, c.result, now);
                self.streams[s.stream as usize].came_back(now);
            }
            self.release(c.slot, s.pool, now);
        }
        self.ready = ready;
    }

    /// Has the backend's own stamps of an I/O in the place of the worker's; when it was done, ns. What it was late until
    /// its system call is the generator's doing.
    fn take_stamps(&mut self, slot: u32, s: &mut Slot) -> u64 {
        let (submitted_ns, done_ns) = self.tools.backend.stamps(slot);
        // It was counted as in flight from the worker's own stamp on.
        let ahead_ns = submitted_ns.saturating_sub(s.submitted_ns);
        self.tally.completed(done_ns.saturating_sub(ahead_ns));
        s.submitted_ns = submitted_ns;
        let counts = s.ready_ns >= self.streams[s.stream as usize].counts_from_ns;
        if counts && is_paced(self.orders.mode, &self.streams, s) {
            let late_ns = submitted_ns.saturating_sub(s.ready_ns);
            let stats = &mut self.tally.stats;
            stats.lateness.record(late_ns);
            if late_ns > HOST_LATE_NS {
                stats.streams[s.stream as usize].late_by_host += 1;
            }
        }
        done_ns
    }

    #[inline(always)]
    fn count_good(&mut self, s: &Slot, now: u64) {
        let stream = &self.streams[s.stream as usize];
        if now < stream.plain_from_ns && self.is_in_ramp(s, now) {
            return;
        }
        let stream = &self.streams[s.stream as usize];
        let stats = &mut self.tally.stats.streams[s.stream as usize];
        let op = match B::CHOOSES {
            true => stats.of(s.action.op()),
            false => &mut stats.ops[s.action as usize],
        };
        op.ios += 1;
        op.bytes += u64::from(s.length);
        // What was due before the counted time is in its rate, and not in its times.
        if s.intended_ns >= self.ending.timed_from_ns.max(stream.counts_from_ns) {
            op.response.record(now.saturating_sub(s.intended_ns));
            op.service.record(now.saturating_sub(s.submitted_ns));
        } else {
            self.tally.untimed += 1;
            stats.add_untimed(s.action.op(), now.saturating_sub(s.submitted_ns));
        }
        if !B::CHOOSES {
            stats.heat[stream.heat_column(s.offset)] += 1;
        }
        if s.action == Action::Write {
            self.pools[s.pool as usize].wrote(s.stream);
        }
    }

    /// True for what a stream does before it counts: that is in no number, its part of the depth included. Of one that is exhausted it is
    /// noted when its last came back.
    #[cold]
    fn is_in_ramp(&mut self, s: &Slot, now: u64) -> bool {
        let stream = &mut self.streams[s.stream as usize];
        stream.came_back(now);
        if now >= stream.counts_from_ns {
            return false;
        }
        self.tally.leave_out(now.saturating_sub(s.submitted_ns));
        if s.action == Action::Write {
            self.pools[s.pool as usize].wrote(s.stream);
        }
        true
    }

    /// Action that the backend chose. A result from 0 on is a success, and the bytes that it moved; an action that found nothing to do
    /// is counted apart, and a stream that has nothing more to do is over.
    fn count_chosen(&mut self, slot: u32, s: &mut Slot, result: i32, now: u64) {
        s.action = self.tools.backend.chosen(slot);
        match result {
            0.. => {
                s.length = result as u32;
                s.submitted_ns = self.count_brought(slot, s, now, true);
                self.count_good(s, now);
            }
            OVER => self.streams[s.stream as usize].source.end(),
            IN_VAIN => {
                self.streams[s.stream as usize].source.end();
                self.tally.stats.streams[s.stream as usize].ended_in_vain += 1;
            }
            BLOCKED => {
                self.count_brought(slot, s, now, false);
                self.tally.leave_out(now.saturating_sub(s.submitted_ns));
                let stream = &self.streams[s.stream as usize];
                if now >= stream.counts_from_ns {
                    self.tally.stats.streams[s.stream as usize].blocked += 1;
                }
            }
            _ => {
                s.submitted_ns = self.count_brought(slot, s, now, false);
                self.count_bad(slot, s, result);
            }
        }
    }

    /// Counts the operations that one on a tree brought with it, and gives the time (ns) from which its own service time counts:
    /// theirs is not in it, but for a create or a copy, which consists of them.
    fn count_brought(&mut self, slot: u32, s: &Slot, now: u64, well: bool) -> u64 {
        let brought = self.tools.backend.take_brought(slot);
        if brought.is_empty() {
            return s.submitted_ns;
        }
        let timed_from_ns = self.timed_from_ns(s.stream as usize);
        let is_timed = s.submitted_ns >= timed_from_ns;
        if now >= self.streams[s.stream as usize].counts_from_ns {
            let stats = &mut self.tally.stats.streams[s.stream as usize];
            // A copy that is done moved what it read and wrote.
            if well {
                stats.of(s.action.op()).bytes += brought.iter().map(|one| one.bytes).sum::<u64>();
            }
            for one in &brought {
                let Some(counted) = stats.brought(one.op) else {
                    continue;
                };
                counted.ios += 1;
                counted.bytes += one.bytes;
                if is_timed {
                    counted.service.record(one.ns);
                }
            }
        }
        match s.action {
            Action::Create | Action::Copy => s.submitted_ns,
            _ => {
                let ns = brought.iter().map(|one| one.ns).sum();
                s.submitted_ns.saturating_add(ns).min(now)
            }
        }
    }

    /// Syncs and trims, whose success is no number of bytes, and failures.
    fn count_other(&mut self, slot: u32, s: &Slot, result: i32, now: u64) {
        match s.action {
            Action::Sync | Action::DataSync if result >= 0 => self.count_sync(s, now),
            Action::Trim if result >= 0 => self.count_good(s, now),
            _ => self.count_bad(slot, s, result),
        }
    }

    /// A sync that came back well. It has a service time alone: no schedule says when it is due.
    fn count_sync(&mut self, s: &Slot, now: u64) {
        if now < self.streams[s.stream as usize].counts_from_ns {
            self.tally.leave_out(now.saturating_sub(s.submitted_ns));
            return;
        }
        let timed_from_ns = self.timed_from_ns(s.stream as usize);
        let stats = &mut self.tally.stats.streams[s.stream as usize];
        let syncs = stats.syncs.get_or_insert_default();
        syncs.ios += 1;
        if s.submitted_ns >= timed_from_ns {
            syncs.service.record(now.saturating_sub(s.submitted_ns));
        }
    }

    #[cold]
    fn count_bad(&mut self, slot: u32, s: &Slot, result: i32) {
        let mismatch = (result == MISMATCHED).then(|| self.take_mismatch(slot));
        let failed = self.line.shared.errors.fetch_add(1, Ordering::Relaxed) + 1;
        if failed >= self.orders.max_errors {
            self.line
                .shared
                .too_many_errors
                .store(true, Ordering::Relaxed);
            self.drain_from_now();
        }
        if failed > self.orders.max_errors {
            // Another worker had the error that ended the step; what was still out belongs to no result.
            return;
        }
        match s.action.op() {
            op if op.is_io() => {
                self.tally.stats.streams[s.stream as usize].of(op).errors += 1;
            }
            _ => {
                let stats = &mut self.tally.stats.streams[s.stream as usize];
                stats.syncs.get_or_insert_default().errors += 1;
                self.line
                    .shared
                    .fsync_errors
                    .fetch_add(1, Ordering::Relaxed);
            }
        }
        if self.failures.len() < FAILURES_KEPT {
            let kind = match (mismatch.flatten(), result) {
                (Some(mismatch), _) => FailureKind::Mismatch(mismatch),
                (None, 0..) => FailureKind::Short(result as u32),
                (None, _) => FailureKind::Errno(result.saturating_neg()),
            };
            let mut failure = self.failure(s, kind);
            if B::CHOOSES {
                let at = self.tools.backend.failed_at(slot);
                (failure.path, failure.offset, failure.length) = (at.path, at.offset, at.length);
            }
            self.failures.push(failure);
        }
    }

    /// What and where an I/O was that failed.
    pub(super) fn failure(&self, s: &Slot, kind: FailureKind) -> Failure {
        // The address that was drawn is none in the file that the backend chose.
        let (offset, length) = match B::CHOOSES {
            true => (0, 0),
            false => (s.offset, s.length),
        };
        Failure {
            target: self.pools[s.pool as usize].target.name.clone(),
            path: None,
            action: s.action,
            offset,
            length,
            at_ns: self.now_ns.saturating_sub(self.orders.timeline.start_ns),
            kind,
        }
    }

    #[inline(always)]
    fn release(&mut self, slot: u32, pool: u32, now: u64) {
        self.slots[slot as usize].intended_ns = now;
        if self.orders.mode == Mode::Closed {
            self.freed.push(slot);
            return;
        }
        self.release_otherwise(slot, pool, now);
    }

    #[inline(never)]
    fn release_otherwise(&mut self, slot: u32, pool: u32, now: u64) {
        if self.thinks(slot, now) {
            return;
        }
        self.pools[pool as usize].came_free(now);
        self.put_back(pool, slot);
    }
}
