//! What goes out next, and sending it.

use super::{Budget, HOST_LATE_NS, Mode, NEVER, StreamState, Worker};
use crate::backend::{Action, Backend, Request};
use crate::backlog::PER_SAMPLE;
use crate::clock::Clock;
use crate::pace::Pace;
use crate::slots::Slot;
use plimsoll_traffic::Io;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io;

/// Queue of I/Os that come due: which are to come, and which wait.
pub(super) struct DueQueue {
    /// (next due, stream) of the streams that wait for their time.
    pub calendar: BinaryHeap<Reverse<(u64, u32)>>,
    /// Streams that wait for a slot, in all pools.
    pub blocked: usize,
    /// Streams that have so much in a queue already that the rest is only counted.
    pub overdue: Vec<u32>,
    /// Intended starts that may be counted one by one in this sample.
    pub countable: u32,
}

impl Default for DueQueue {
    fn default() -> Self {
        DueQueue {
            calendar: BinaryHeap::new(),
            blocked: 0,
            overdue: Vec::new(),
            countable: PER_SAMPLE,
        }
    }
}

impl<B: Backend, C: Clock> Worker<B, C> {
    /// Puts a stream's next intended start into the calendar, where it has a schedule.
    #[inline(always)]
    pub(super) fn schedule(&mut self, index: u32) {
        let due = self.draw_due(index);
        self.enter(index, due);
    }

    /// Puts a stream into the calendar. Where it has nothing to catch up with, nothing is counted apart any more.
    #[inline(always)]
    fn enter(&mut self, index: u32, due: u64) {
        let stream = &mut self.streams[index as usize];
        if due > self.now_ns && stream.backlog.is_open() {
            stream.backlog.close(stream.issued);
        }
        if due != NEVER {
            self.due_queue.calendar.push(Reverse((due, index)));
        }
    }

    /// Draws a stream's next intended start, ns.
    #[inline(always)]
    pub(super) fn draw_due(&mut self, index: u32) -> u64 {
        let stream = &mut self.streams[index as usize];
        stream.due_ns = match &mut stream.pace {
            Some(pace) => self.orders.timeline.start_ns.saturating_add(pace.next_ns()),
            None => NEVER,
        };
        if stream.due_ns >= stream.until_ns {
            // Another's end may have ended it before its schedule does.
            stream.due_ns = NEVER;
        }
        match stream.due_ns {
            NEVER => self.end_schedule(index),
            due => due,
        }
    }

    /// No more of a stream is due. Where nothing ever will be, it has ended.
    #[cold]
    fn end_schedule(&mut self, index: u32) -> u64 {
        let stream = &mut self.streams[index as usize];
        if stream.pace.as_ref().is_some_and(Pace::is_over) && !stream.exhausted {
            stream.exhaust(self.now_ns);
            self.end_when_exhausted();
        }
        NEVER
    }

    /// A freed slot starts the next I/O of its target at once.
    #[inline(always)]
    pub(super) fn issue_closed(&mut self) -> io::Result<()> {
        while let Some(slot) = self.freed.pop() {
            let pool = self.slots[slot as usize].pool;
            if self.owes_sync(pool, slot)? {
                continue;
            }
            let its = &self.pools[pool as usize];
            if its.idle.len() < its.rests {
                self.rest(pool, slot);
                continue;
            }
            let Some(stream) = self.pools[pool as usize].next_stream() else {
                self.rest(pool, slot);
                continue;
            };
            let intended = self.slots[slot as usize].intended_ns;
            if self.issue(slot, stream, intended, intended)? {
                continue;
            }
            // The stream has ended: the target's others go on without it.
            self.pools[pool as usize].retire(stream);
            self.freed.push(slot);
            self.end_when_exhausted();
            if self.ending.draining {
                return Ok(());
            }
        }
        Ok(())
    }

    /// A slot has nothing to do until a stream begins, or may use more.
    #[cold]
    fn rest(&mut self, pool: u32, slot: u32) {
        self.pools[pool as usize].idle.push(slot);
    }

    /// The stream furthest behind its share goes next; where its target has no slot, all wait.
    pub(super) fn issue_shared(&mut self) -> io::Result<()> {
        loop {
            if B::SERIAL && !self.unstamped.is_empty() {
                return Ok(());
            }
            let Some(stream) = self.deficit.as_ref().and_then(|d| d.peek()) else {
                // A stream without a share has nothing to do either.
                let idle = |s: &&mut StreamState| s.pace.is_none() && !s.is_away && !s.exhausted;
                for stream in self.streams.iter_mut().filter(idle) {
                    stream.exhaust(self.now_ns);
                }
                self.end_when_exhausted();
                return Ok(());
            };
            let stream = stream as u32;
            let pool = self.streams[stream as usize].pool;
            let Some(slot) = self.pools[pool as usize].free.pop() else {
                return Ok(());
            };
            if self.owes_sync(pool, slot)? {
                continue;
            }
            let intended = self.slots[slot as usize].intended_ns;
            let intended = intended.max(self.streams[stream as usize].from_ns);
            let issued = self.issue(slot, stream, intended, intended)?;
            if let Some(deficit) = &mut self.deficit {
                if issued {
                    deficit.take();
                } else {
                    deficit.retire(stream as usize);
                    self.pools[pool as usize].free.push(slot);
                }
            }
            if self.ending.draining {
                return Ok(());
            }
        }
    }

    /// Streams with a schedule first, then the others in what slots are left.
    pub(super) fn issue_mixed(&mut self) -> io::Result<()> {
        self.issue_open()?;
        if self.ending.draining {
            return Ok(());
        }
        if self.deficit.is_some() {
            return self.issue_shared();
        }
        if self.throttles.is_some() {
            return self.issue_throttled();
        }
        for pool in 0..self.pools.len() {
            while let Some(slot) = self.pools[pool].take_unpaced(self.now_ns) {
                let mut intended = self.slots[slot as usize].intended_ns;
                if self.pools[pool].share.is_some() {
                    // The room may have been there for long; the leave to use it came now.
                    intended = self.now_ns;
                    self.crowd.unpaced[slot as usize] = true;
                }
                if self.owes_sync(pool as u32, slot)? {
                    continue;
                }
                let Some(stream) = self.pools[pool].next_stream() else {
                    self.put_back(pool as u32, slot);
                    break;
                };
                let intended = intended.max(self.streams[stream as usize].from_ns);
                if self.issue(slot, stream, intended, intended)? {
                    continue;
                }
                self.pools[pool].retire(stream);
                self.put_back(pool as u32, slot);
                self.end_when_exhausted();
                if self.ending.draining {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// What is due goes out, or waits for a slot of its target.
    #[inline(always)]
    pub(super) fn issue_open(&mut self) -> io::Result<()> {
        if self.due_queue.blocked > 0 {
            self.issue_blocked()?;
        }
        if self.crowd.sharing {
            self.issue_waiting()?;
        }
        let behind = match self.due_queue.calendar.peek() {
            Some(Reverse((due, _))) => self.now_ns.saturating_sub(*due),
            None => 0,
        };
        while let Some(Reverse((due, index))) = self.due_queue.calendar.peek().copied() {
            if due > self.now_ns || due >= self.ending.due_until_ns {
                break;
            }
            self.due_queue.calendar.pop();
            let pool = self.streams[index as usize].pool;
            if self.crowd.sharing && self.pools[pool as usize].keeps_back(due, self.now_ns) {
                self.block(index);
                continue;
            }
            let Some(slot) = self.pools[pool as usize].take(self.now_ns, behind) else {
                match &self.pools[pool as usize].share {
                    None => self.block(index),
                    Some(_) => self.line_up(index)?,
                }
                continue;
            };
            if self.owes_sync(pool, slot)? {
                // Another slot may do.
                self.due_queue.calendar.push(Reverse((due, index)));
            } else if self.issue_due(index, slot)? {
                self.schedule(index);
            }
        }
        Ok(())
    }

    /// Slots that came free go to the streams that wait for them: of highest priority first, then of earliest due time.
    #[cold]
    fn issue_blocked(&mut self) -> io::Result<()> {
        for pool in 0..self.pools.len() {
            while let Some(at) = self.first_blocked(pool) {
                let Some(slot) = self.pools[pool].take_own() else {
                    if self.pools[pool].is_idle() || self.pools[pool].anyone_waits() {
                        // No slot of its own will come free, or those that do go to what waits: it joins the queue.
                        let index = self.unblock(pool, at);
                        self.line_up(index)?;
                        continue;
                    }
                    break;
                };
                if self.owes_sync(pool as u32, slot)? {
                    continue;
                }
                let index = self.unblock(pool, at);
                if self.issue_due(index, slot)? {
                    let due = self.draw_due(index);
                    if due <= self.now_ns && due < self.ending.due_until_ns {
                        self.block(index);
                    } else {
                        // All that was due until now, or until the end, has gone out.
                        let stream = &mut self.streams[index as usize];
                        stream.backlog.close(stream.issued);
                        self.enter(index, due);
                    }
                }
                if self.is_over() {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    fn unblock(&mut self, pool: usize, at: usize) -> u32 {
        self.due_queue.blocked -= 1;
        self.pools[pool].blocked.swap_remove(at)
    }

    /// Which of a pool's blocked streams goes first.
    fn first_blocked(&self, pool: usize) -> Option<usize> {
        let blocked = &self.pools[pool].blocked;
        (0..blocked.len()).min_by_key(|i| {
            let s = &self.streams[blocked[*i] as usize];
            (s.priority, s.due_ns)
        })
    }

    /// Issues a stream's due I/O in a free slot. False where the stream or the budget has ended.
    #[inline(always)]
    pub(super) fn issue_due(&mut self, index: u32, slot: u32) -> io::Result<bool> {
        let stream = &self.streams[index as usize];
        let (pool, due) = (stream.pool, stream.due_ns);
        let freed = self.pools[pool as usize].freed_after(due, self.now_ns);
        if !self.issue(slot, index, due, freed.unwrap_or(due))? {
            self.put_back(pool, slot);
            self.streams[index as usize].stop_counting();
            self.end_when_exhausted();
            return Ok(false);
        }
        let stream = &mut self.streams[index as usize];
        if stream.pace.as_ref().is_some_and(Pace::is_sync) {
            // It is no I/O that counts.
            return Ok(true);
        }
        if freed.is_some() && due >= stream.counts_from_ns {
            self.tally.stats.streams[index as usize].late_for_slot += 1;
        }
        stream.issued += 1;
        stream.backlog.issued(stream.issued);
        Ok(true)
    }

    /// No slot for a due I/O: the stream waits at its target.
    #[cold]
    fn block(&mut self, index: u32) {
        self.count_behind(index);
        let pool = self.streams[index as usize].pool;
        self.pools[pool as usize].blocked.push(index);
        self.due_queue.blocked += 1;
    }

    /// What is due of a stream is counted without it from now on.
    pub(super) fn count_behind(&mut self, index: u32) {
        let start = self.orders.timeline.start_ns;
        let stream = &mut self.streams[index as usize];
        if let Some(pace) = &stream.pace {
            stream.backlog.open(pace, stream.due_ns - start);
        }
        let behind_ns = self.now_ns - start;
        stream
            .backlog
            .advance(behind_ns, &mut self.due_queue.countable);
    }

    /// Ends the step where no stream has anything left to do.
    #[cold]
    pub(super) fn end_when_exhausted(&mut self) {
        // In an open loop a stream without a schedule never did anything.
        let over = |s: &StreamState| {
            let has_ended = s.is_away && self.now_ns >= s.until_ns;
            s.exhausted || has_ended || (self.orders.mode == Mode::Open && s.pace.is_none())
        };
        // A window's end is no stream's: the step has its own time, if it has one.
        let was_ended = self.dependencies.as_ref().is_some_and(|t| t.was_ended);
        let ends = self.orders.timeline.is_endless()
            || was_ended
            || self.streams.iter().any(|s| s.exhausted);
        if ends && self.streams.iter().all(over) {
            self.ending.limited = true;
            self.drain_from_now();
        }
    }

    /// Takes the slot for a sync that the target owes, if it owes one.
    #[inline(always)]
    pub(super) fn owes_sync(&mut self, pool: u32, slot: u32) -> io::Result<bool> {
        if self.pools[pool as usize].syncs_owed == 0 {
            return Ok(false);
        }
        let (file, action, stream) = self.pools[pool as usize].next_sync();
        let s = &mut self.slots[slot as usize];
        s.action = action;
        s.stream = stream;
        s.offset = 0;
        s.length = 0;
        self.send(slot, file, 0)?;
        Ok(true)
    }

    /// Draws a stream's next I/O into a slot and queues it. False where the stream or the budget has ended.
    #[inline(always)]
    pub(super) fn issue(
        &mut self,
        slot: u32,
        stream: u32,
        intended_ns: u64,
        ready_ns: u64,
    ) -> io::Result<bool> {
        let next = |state: &mut StreamState| state.source.next();
        self.issue_from(slot, stream, intended_ns, ready_ns, next)
    }

    /// Queues an I/O of a stream in a slot, as [`Self::issue`] does, drawn by `next`.
    #[inline(always)]
    pub(super) fn issue_from(
        &mut self,
        slot: u32,
        stream: u32,
        intended_ns: u64,
        ready_ns: u64,
        next: impl FnOnce(&mut StreamState) -> Option<Io>,
    ) -> io::Result<bool> {
        let state = &mut self.streams[stream as usize];
        let Some(io) = next(state) else {
            state.exhaust(self.now_ns);
            return Ok(false);
        };
        let counts = io.op.is_io() && self.budget != Budget::UNLIMITED;
        if counts && !self.budget.spend(io.op, io.length) {
            self.ending.limited = true;
            self.drain_from_now();
            return Ok(false);
        }
        let s = &mut self.slots[slot as usize];
        let pool = &self.pools[s.pool as usize];
        let place = pool.target.locate(io.offset, io.length);
        let file = pool.first_file + place.member;
        s.intended_ns = intended_ns;
        s.ready_ns = ready_ns;
        s.offset = place.address;
        s.length = io.length;
        s.stream = stream;
        s.action = Action::from(io.op);
        if B::CHOOSES {
            self.tools.backend.asked_by(slot, stream);
        }
        if s.action == Action::Write
            && let Some(filler) = &mut state.filler
        {
            state.generation += 1;
            filler.count_write(place.address, u64::from(io.length));
            if B::TAKES_BYTES {
                let buffer = self.tools.arena.bytes(
                    slot as usize * self.orders.buffer_stride,
                    io.length as usize,
                );
                filler.fill(buffer, place.address, state.generation);
            } else {
                self.tools.backend.describe(
                    slot,
                    filler,
                    place.address,
                    io.length,
                    state.generation,
                );
            }
        }
        self.send(slot, file, place.offset)?;
        Ok(true)
    }

    #[inline(always)]
    fn send(&mut self, slot: u32, file: u32, offset: u64) -> io::Result<()> {
        if self.unstamped.len() >= self.orders.submit_batch {
            self.stamp();
            self.tools.backend.flush()?;
        }
        let s = &mut self.slots[slot as usize];
        s.in_flight = true;
        let request = Request {
            slot,
            file,
            action: s.action,
            offset,
            length: s.length,
            buffer: self
                .tools
                .arena
                .at(slot as usize * self.orders.buffer_stride),
        };
        self.tools.backend.queue(request)?;
        self.unstamped.push(slot);
        if self.traces {
            self.trace(request);
        }
        Ok(())
    }

    /// Stamps what is about to be handed to the kernel.
    #[inline(always)]
    pub(super) fn stamp(&mut self) {
        let now = self.tools.clock.now_ns();
        self.now_ns = now;
        for slot in self.unstamped.drain(..) {
            let s = &mut self.slots[slot as usize];
            s.submitted_ns = now;
            self.tally.submitted(now);
            if !B::STAMPS
                && is_paced(self.orders.mode, &self.streams, s)
                && s.ready_ns >= self.streams[s.stream as usize].counts_from_ns
            {
                let late_ns = now.saturating_sub(s.ready_ns);
                let stats = &mut self.tally.stats;
                stats.lateness.record(late_ns);
                if late_ns > HOST_LATE_NS {
                    stats.streams[s.stream as usize].late_by_host += 1;
                }
            }
        }
    }
}

/// Whether an I/O has a time that it can be late for: on a schedule, at the end of a think time, or on a meter.
#[inline(always)]
pub(super) fn is_paced(mode: Mode, streams: &[StreamState], s: &Slot) -> bool {
    // First and apart: it's the one that can afford least.
    if mode == Mode::Closed {
        return false;
    }
    let paced = match mode {
        Mode::Open | Mode::Throttled => true,
        Mode::Mixed => streams[s.stream as usize].pace.is_some(),
        Mode::Closed | Mode::Shared => false,
    };
    paced && !s.action.is_sync()
}
