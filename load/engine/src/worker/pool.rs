//! A target's slots on one worker.

use super::share::Share;
use crate::backend::Action;
use crate::depths::OwnSlots;
use crate::target::OpenTarget;
use plimsoll_plan::Durability;
use plimsoll_traffic::Chooser;
use std::sync::Arc;

/// A worker that comes so much later to a due I/O was kept from its CPU: no timer takes so long, ns.
const LATE_NS: u64 = 200_000;

/// One target's slots on this worker.
pub struct Pool {
    /// The target. Its files stay open as long as the worker may use them.
    pub(super) target: Arc<OpenTarget>,
    /// Where the target's files begin in the worker's file table.
    pub(super) first_file: u32,
    /// Its slots that are free; not used in a plain closed loop.
    pub(super) free: Vec<u32>,
    /// Where other workers issue on schedule there too: what they have in common. A free slot is then room for an I/O,
    /// and not yet leave to issue one.
    pub(super) share: Option<Box<Share>>,
    /// This worker's streams on it that have no schedule, by index.
    pub(super) streams: Vec<u32>,
    /// Which of `streams` goes next in a closed loop.
    pub(super) chooser: Chooser,
    weights: Vec<f64>,
    /// Streams without a schedule that don't work now, and their weights.
    away: Vec<(u32, f64)>,
    /// Free slots that no stream has a use for, of a plain closed loop.
    pub(super) idle: Vec<u32>,
    /// The stream's that has them for itself.
    pub(super) own: Option<OwnSlots>,
    /// How many of them are to be idle, of a plain closed loop: the stream may not use all.
    pub(super) rests: usize,
    seed: u64,
    /// Streams whose due I/O waits for a slot.
    pub(super) blocked: Vec<u32>,
    /// When the last of the free slots, having been the only one, came free, ns.
    free_since_ns: u64,
    /// From when on a want of slots is the target's doing, ns.
    short_since_ns: u64,
    /// The last time in which the worker did not look, and as long again, ns: whether slots were free then is not known.
    unseen_ns: std::ops::Range<u64>,
    /// Syncs to issue before anything else.
    pub(super) syncs_owed: u32,
    /// The stream whose write made them due.
    owed_by: u32,
    writes: u32,
    synced: u32,
}

impl Pool {
    /// A pool with no slots yet. `first_file` is where the target's files begin in the worker's file table; `streams`
    /// are the worker's streams on the target that have no schedule, and `weights` their shares of a closed loop; `share`
    /// is what it shares with other workers.
    pub fn new(
        target: Arc<OpenTarget>,
        first_file: u32,
        streams: Vec<u32>,
        weights: Vec<f64>,
        seed: u64,
        share: Option<Share>,
    ) -> Self {
        let chooser = Chooser::new(&weights, seed);
        Pool {
            target,
            first_file,
            free: Vec::new(),
            share: share.map(Box::new),
            streams,
            chooser,
            weights,
            away: Vec::new(),
            idle: Vec::new(),
            own: None,
            rests: 0,
            seed,
            blocked: Vec::new(),
            free_since_ns: 0,
            short_since_ns: 0,
            unseen_ns: 0..0,
            syncs_owed: 0,
            owed_by: 0,
            writes: 0,
            synced: 0,
        }
    }

    /// Pool with slots that one stream has for itself.
    pub fn of_one(self, own: Option<OwnSlots>) -> Self {
        Pool { own, ..self }
    }

    /// A slot for a due I/O, `behind_ns` after the first that was due. A worker that wakes late finds many due at once,
    /// and may take all slots for them: that burst is its own, and so is what comes while the burst is worked off, for
    /// which it gets as long again as it was late.
    #[inline(always)]
    pub(super) fn take(&mut self, now_ns: u64, behind_ns: u64) -> Option<u32> {
        if let Some(share) = &mut self.share {
            return (!self.free.is_empty() && share.take(now_ns, behind_ns))
                .then(|| self.free.pop())
                .flatten();
        }
        let slot = self.free.pop()?;
        if self.free.is_empty() {
            self.short_since_ns = now_ns + behind_ns;
        }
        Some(slot)
    }

    /// A slot for an I/O that waits for one of the worker's own: of its part, where it shares them.
    pub(super) fn take_own(&mut self) -> Option<u32> {
        let taken = match &mut self.share {
            None => true,
            Some(share) => !self.free.is_empty() && !share.has_part() && share.take_again(),
        };
        taken.then(|| self.free.pop()).flatten()
    }

    /// Whether it shares slots and has none.
    pub(super) fn is_idle(&self) -> bool {
        self.share.as_ref().is_some_and(|s| s.is_idle())
    }

    /// A slot for the first I/O that waits in the common queue.
    pub(super) fn take_again(&mut self) -> Option<u32> {
        let share = self.share.as_mut()?;
        let taken = !self.free.is_empty() && share.take_again();
        taken.then(|| self.free.pop()).flatten()
    }

    /// A slot for a stream without a schedule.
    #[inline(always)]
    pub(super) fn take_unpaced(&mut self, now_ns: u64) -> Option<u32> {
        let taken = match &mut self.share {
            None => true,
            Some(share) => !self.free.is_empty() && share.take_unpaced(now_ns),
        };
        taken.then(|| self.free.pop()).flatten()
    }

    /// A slot has nothing to do; `unpaced` where it was for a stream without a schedule, of those that share. True where
    /// it's the first in this turn that others may have.
    #[inline(always)]
    pub(super) fn put_back(&mut self, slot: u32, unpaced: bool) -> bool {
        self.free.push(slot);
        match &mut self.share {
            None => false,
            Some(share) => share.put_back(unpaced),
        }
    }

    /// The I/O of a slot has come back, before the slot is put back.
    #[inline(always)]
    pub(super) fn came_free(&mut self, now_ns: u64) {
        match &mut self.share {
            Some(share) => share.came_free(now_ns),
            None if self.free.is_empty() => self.free_since_ns = now_ns,
            None => {}
        }
    }

    /// Where the target kept all slots busy at that time, of which it has been the turn only now: when one came free, ns.
    #[inline(always)]
    pub(super) fn freed_after(&self, due_ns: u64, now_ns: u64) -> Option<u64> {
        match &self.share {
            // What finds no slot is queued, so what comes here so late was not looked at in time.
            Some(_) if now_ns.saturating_sub(due_ns) > LATE_NS => None,
            Some(share) => share.freed_after(due_ns),
            None => (self.short_since_ns..self.free_since_ns)
                .contains(&due_ns)
                .then_some(self.free_since_ns)
                .filter(|_| !self.unseen_ns.contains(&due_ns)),
        }
    }

    /// Whether a due I/O has to wait for the worker's own slots: the worker comes late to it, and what it has missed would
    /// take the slots of those that are in time.
    #[inline(always)]
    pub(super) fn keeps_back(&self, due_ns: u64, now_ns: u64) -> bool {
        let late = now_ns.saturating_sub(due_ns) > LATE_NS;
        late && self.share.as_ref().is_some_and(|s| s.would_be_in_the_way())
    }

    /// Whether due I/Os are in the common queue.
    #[inline(always)]
    pub(super) fn anyone_waits(&self) -> bool {
        self.share.as_ref().is_some_and(|s| s.anyone_waits())
    }

    /// The worker did not look for so long. What waits since then it has only itself to thank for, and so has what comes
    /// while that is worked off.
    pub(super) fn was_not_seen(&mut self, from_ns: u64, to_ns: u64) {
        self.unseen_ns = from_ns..to_ns + (to_ns - from_ns);
    }

    /// A stream has ended: the others go on without it.
    pub(super) fn retire(&mut self, stream: u32) {
        self.take_out(stream);
    }

    /// The others go on without a stream for a while.
    pub(super) fn set_aside(&mut self, stream: u32) {
        let taken = self.take_out(stream);
        self.away.extend(taken.map(|weight| (stream, weight)));
    }

    /// A stream that was set aside is one of them again.
    pub(super) fn bring_back(&mut self, stream: u32) {
        if let Some(at) = self.away.iter().position(|(s, _)| *s == stream) {
            let (_, weight) = self.away.remove(at);
            let place = self.streams.partition_point(|s| *s < stream);
            self.streams.insert(place, stream);
            self.weights.insert(place, weight);
            self.chooser = Chooser::new(&self.weights, self.seed);
        }
    }

    fn take_out(&mut self, stream: u32) -> Option<f64> {
        let at = self.streams.iter().position(|s| *s == stream)?;
        self.streams.remove(at);
        let weight = self.weights.remove(at);
        self.chooser = Chooser::new(&self.weights, self.seed);
        Some(weight)
    }

    /// Stream without a schedule that goes next.
    #[inline(always)]
    pub(super) fn next_stream(&mut self) -> Option<u32> {
        match self.streams.as_slice() {
            [] => None,
            [one] => Some(*one),
            several => Some(several[self.chooser.next()]),
        }
    }

    /// A write of `stream` came back well; each n-th owes a sync of every file of the target.
    #[inline(always)]
    pub(super) fn wrote(&mut self, stream: u32) {
        if let Durability::FsyncEvery(n) | Durability::FdatasyncEvery(n) = self.target.durability {
            self.writes += 1;
            if self.writes >= n {
                self.writes = 0;
                self.owed_by = stream;
                self.syncs_owed += self.target.opened.capabilities().syncs;
            }
        }
    }

    /// The next owed sync: its file in the worker's table (they take turns), which call it is, and the stream that made it due.
    pub(super) fn next_sync(&mut self) -> (u32, Action, u32) {
        let file = self.first_file + self.synced;
        self.syncs_owed -= 1;
        self.synced = (self.synced + 1) % self.target.opened.capabilities().syncs;
        let action = match self.target.durability {
            Durability::FdatasyncEvery(_) => Action::DataSync,
            _ => Action::Sync,
        };
        (file, action, self.owed_by)
    }
}
