//! Due I/Os of targets whose slots the workers share.

use super::{HOST_LATE_NS, Pool, Worker};
use crate::backend::{Backend, Wait};
use crate::clock::Clock;
use std::cmp::Reverse;
use std::io;

/// How many I/Os of one worker's share of a stream are in a queue, at most. The rest stays a number, so that what can
/// never be issued takes no memory.
const QUEUED_MAX: u32 = 4096;

/// What a worker remembers of the slots that it shares with others.
pub(super) struct Crowd {
    /// True where the worker shares any target's slots with other workers.
    pub sharing: bool,
    /// Flags of the slots, true where one is taken for a stream without a schedule; empty where nothing is shared.
    pub unpaced: Vec<bool>,
    /// Pools with slots of which others may have some; may name one twice.
    pub touched: Vec<u32>,
    /// The sample in which all queues were looked at last, by its end, ns.
    pub swept_ns: u64,
}

impl Crowd {
    /// Sharing of a worker with these pools, and so many slots in them.
    pub fn of(pools: &[Pool], slots: usize) -> Self {
        let sharing = pools.iter().any(|p| p.share.is_some());
        Crowd {
            sharing,
            unpaced: vec![false; if sharing { slots } else { 0 }],
            touched: Vec::new(),
            swept_ns: 0,
        }
    }
}

impl<B: Backend, C: Clock> Worker<B, C> {
    /// Slots that came free go to what waits for them, before anything else.
    #[inline(always)]
    pub(super) fn issue_waiting(&mut self) -> io::Result<()> {
        let queues_more = !self.due_queue.overdue.is_empty();
        if queues_more {
            self.queue_more();
        }
        for at in 0..self.crowd.touched.len() {
            self.serve(self.crowd.touched[at])?;
        }
        if queues_more
            || self.ending.draining
            || self.crowd.swept_ns != self.sampling.next_sample_ns
        {
            // Who queues looks for a slot once more; and a worker that has ended gave its own back to nobody in particular.
            self.crowd.swept_ns = self.sampling.next_sample_ns;
            for pool in 0..self.pools.len() {
                self.serve(pool as u32)?;
            }
        }
        Ok(())
    }

    /// Gives slots back that nothing of this worker needs; what was queued until then has them.
    pub(super) fn settle(&mut self) -> io::Result<()> {
        while let Some(pool) = self.crowd.touched.pop() {
            if let Some(share) = &mut self.pools[pool as usize].share {
                share.give_back();
            }
            self.serve(pool)?;
        }
        Ok(())
    }

    /// A due I/O found no slot, or others wait: it goes into the queue, and whoever has a slot takes it.
    #[cold]
    pub(super) fn line_up(&mut self, index: u32) -> io::Result<()> {
        self.queue(index);
        self.schedule_after_queue(index);
        self.serve(self.streams[index as usize].pool)
    }

    /// Puts a stream's due I/O into its target's queue.
    fn queue(&mut self, index: u32) {
        let stream = &mut self.streams[index as usize];
        if let Some(share) = &self.pools[stream.pool as usize].share {
            share.queue(index, stream.priority, stream.due_ns);
        }
        stream.issued += 1;
        stream.backlog.issued(stream.issued);
    }

    /// The next intended start of a stream that has some in the queue. Where it has too many there, it is only counted.
    fn schedule_after_queue(&mut self, index: u32) {
        if self.queued(index) < u64::from(QUEUED_MAX) {
            return self.schedule(index);
        }
        let due = self.draw_due(index);
        if due > self.now_ns {
            self.due_queue.calendar.push(Reverse((due, index)));
            return;
        }
        self.count_behind(index);
        self.due_queue.overdue.push(index);
    }

    /// Streams that have too many in the queue put more into it when there is room again.
    #[cold]
    fn queue_more(&mut self) {
        // After the end, what was due before it.
        let until_ns = self.now_ns.min(self.ending.due_until_ns.saturating_sub(1));
        for index in std::mem::take(&mut self.due_queue.overdue) {
            let mut room = u64::from(QUEUED_MAX).saturating_sub(self.queued(index));
            while room > 0 && self.streams[index as usize].due_ns <= until_ns {
                self.queue(index);
                if self.draw_due(index) <= until_ns {
                    self.count_behind(index);
                }
                room -= 1;
            }
            let stream = &mut self.streams[index as usize];
            if stream.due_ns <= until_ns {
                self.due_queue.overdue.push(index);
            } else {
                stream.backlog.close(stream.issued);
                self.due_queue
                    .calendar
                    .push(Reverse((stream.due_ns, index)));
            }
        }
    }

    /// Issues what waits for the pool's target, as long as there are slots.
    #[inline(always)]
    fn serve(&mut self, pool: u32) -> io::Result<()> {
        match &self.pools[pool as usize].share {
            Some(share) if share.anyone_waits() => self.serve_queue(pool),
            _ => Ok(()),
        }
    }

    #[cold]
    fn serve_queue(&mut self, pool: u32) -> io::Result<()> {
        while !self.is_over() && self.pools[pool as usize].anyone_waits() {
            let Some(slot) = self.pools[pool as usize].take_again() else {
                break;
            };
            if self.owes_sync(pool, slot)? {
                continue;
            }
            let p = &self.pools[pool as usize];
            let Some((io, index)) = p.share.as_ref().and_then(|share| share.next()) else {
                self.put_back(pool, slot);
                continue;
            };
            if self.now_ns >= self.streams[index as usize].until_ns {
                self.give_up_late(index, io.due_ns);
                self.put_back(pool, slot);
                continue;
            }
            let freed = p.share.as_ref().and_then(|s| s.freed_for(&io, self.now_ns));
            let ready = freed.unwrap_or(io.due_ns);
            if self.issue(slot, index, io.due_ns, ready)? {
                let counts = io.due_ns >= self.streams[index as usize].counts_from_ns;
                self.tally.stats.streams[index as usize].late_for_slot +=
                    u64::from(freed.is_some() && counts);
                continue;
            }
            // This worker may issue no more; another may.
            if let Some(share) = &self.pools[pool as usize].share {
                share.requeue(io);
            }
            self.put_back(pool, slot);
            self.end_when_exhausted();
            break;
        }
        Ok(())
    }

    /// Before the backlog is measured: how much of it is in queues. Where some is, what the worker has not looked at yet
    /// waits for a slot, too.
    pub(super) fn look_behind(&mut self, at_ns: u64) {
        for index in 0..self.streams.len() {
            let queued = self.queued(index as u32);
            let stream = &mut self.streams[index];
            stream.queued = queued;
            let over = self.ending.draining || stream.exhausted || stream.due_ns >= at_ns;
            if let Some(pace) = stream.pace.as_ref().filter(|_| !over && queued > 0) {
                let due_ns = stream.due_ns - self.orders.timeline.start_ns;
                stream.backlog.open(pace, due_ns);
            }
        }
    }

    /// The worker has waited from `from_ns` on. Where that took longer than it should have, it was kept from its CPU, and
    /// so were the slots of its I/Os from the other workers.
    #[inline(always)]
    pub(super) fn notice_kept(&mut self, wait: Wait, from_ns: u64) {
        let until_ns = match wait {
            Wait::None => from_ns,
            Wait::For { ns, .. } => from_ns.saturating_add(ns),
        };
        if self.now_ns > until_ns.saturating_add(HOST_LATE_NS) && self.tally.in_flight() > 0 {
            self.tell_kept(until_ns);
        }
    }

    #[cold]
    fn tell_kept(&self, from_ns: u64) {
        for share in self.pools.iter().filter_map(|p| p.share.as_ref()) {
            share.was_not_seen(from_ns, self.now_ns);
        }
    }

    /// A slot has nothing to do.
    #[inline(always)]
    pub(super) fn put_back(&mut self, pool: u32, slot: u32) {
        let unpaced = match self.crowd.unpaced.get_mut(slot as usize) {
            Some(unpaced) => std::mem::take(unpaced),
            None => false,
        };
        if self.pools[pool as usize].put_back(slot, unpaced) {
            self.crowd.touched.push(pool);
        }
    }

    /// Whether any I/O is in a queue that this worker may take from.
    pub(super) fn anyone_waits(&self) -> bool {
        self.pools.iter().any(Pool::anyone_waits)
    }

    /// What nobody issued of the worker's own, which leaves the queues: each I/O's stream, and its intended start, ns.
    pub(super) fn left_in_queues(&self) -> Vec<(u32, u64)> {
        let shares = self.pools.iter().filter_map(|p| p.share.as_ref());
        let own = shares.flat_map(|share| share.take_back());
        own.map(|(io, stream)| (stream, io.due_ns)).collect()
    }

    /// How many of the worker's own I/Os of a stream are in a queue.
    pub(super) fn queued(&self, index: u32) -> u64 {
        let stream = &self.streams[index as usize];
        let share = self.pools[stream.pool as usize].share.as_ref();
        share.map_or(0, |share| u64::from(share.queued(index)))
    }
}
