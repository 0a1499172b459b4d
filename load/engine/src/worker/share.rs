//! A worker's part in a target's slots that it shares with other workers.

use crate::shared_slots::{SharedSlots, Waiting};
use std::sync::Arc;

/// One worker's hold on a target's common slots.
pub struct Share {
    shared_slots: Arc<SharedSlots>,
    /// The worker's number among those that share the target.
    number: u32,
    /// The worker's streams on the target, in the order that all workers have them in.
    streams: Vec<u32>,
    /// Its equal part of the slots: what is its own where it would be in the others' way.
    part: u32,
    /// Slots that its I/Os have.
    used: u32,
    /// How many of its part its streams without a schedule may hold: else the first worker would take them all.
    quota: u32,
    /// How many they hold.
    held: u32,
    /// Slots that it holds for no I/O: of what came back in this turn. None while it waits.
    spare: u32,
    /// When the last of its I/Os came back, ns.
    spare_since_ns: u64,
}

impl Share {
    /// Worker `number`'s, of those that share the target; its equal part are `part` slots. `streams` are its own on the
    /// target, in the order that all have them in; `unpaced` where some of them have no schedule.
    pub fn new(
        shared_slots: Arc<SharedSlots>,
        number: u32,
        streams: Vec<u32>,
        part: u32,
        unpaced: bool,
    ) -> Self {
        Share {
            shared_slots,
            number,
            streams,
            part,
            used: 0,
            quota: if unpaced { part } else { 0 },
            held: 0,
            spare: 0,
            spare_since_ns: 0,
        }
    }

    /// A slot for an I/O that has just come due, `behind_ns` after the first that was. None where others wait: it goes
    /// behind them.
    #[inline(always)]
    pub(super) fn take(&mut self, now_ns: u64, behind_ns: u64) -> bool {
        let taken = !self.shared_slots.anyone_waits()
            && (self.take_spare() || self.shared_slots.take(now_ns, behind_ns));
        self.used += u32::from(taken);
        taken
    }

    /// A slot for the first I/O that waits.
    pub(super) fn take_again(&mut self) -> bool {
        let taken = self.take_spare() || self.shared_slots.take_again();
        self.used += u32::from(taken);
        taken
    }

    /// Whether no I/O of the worker has a slot.
    pub(super) fn is_idle(&self) -> bool {
        self.used == 0
    }

    /// Whether the worker has its part of the slots.
    #[inline(always)]
    pub(super) fn has_part(&self) -> bool {
        self.used >= self.part
    }

    /// Whether it has its part of the slots, and would take one of those that are left. Where none is, what is due waits for
    /// the target, however late the worker looked at it.
    #[inline(always)]
    pub(super) fn would_be_in_the_way(&self) -> bool {
        self.has_part() && self.spare == 0 && !self.shared_slots.is_short()
    }

    /// A slot for a stream without a schedule, where nothing that is due waits for one.
    #[inline(always)]
    pub(super) fn take_unpaced(&mut self, now_ns: u64) -> bool {
        let taken = self.held < self.quota && self.take(now_ns, 0);
        self.held += u32::from(taken);
        taken
    }

    #[inline(always)]
    fn take_spare(&mut self) -> bool {
        let there = self.spare > 0;
        self.spare -= u32::from(there);
        there
    }

    /// A slot has nothing to do; `unpaced` where it was for a stream without a schedule. True where it's the only one.
    #[inline(always)]
    pub(super) fn put_back(&mut self, unpaced: bool) -> bool {
        self.held -= u32::from(unpaced);
        self.used -= 1;
        self.spare += 1;
        self.spare == 1
    }

    /// An I/O has come back.
    #[inline(always)]
    pub(super) fn came_free(&mut self, now_ns: u64) {
        self.spare_since_ns = now_ns;
    }

    /// The worker did not look for so long, while it had I/Os out.
    pub(super) fn was_not_seen(&self, from_ns: u64, to_ns: u64) {
        self.shared_slots.was_not_seen(from_ns, to_ns);
    }

    /// Lets the others have what it holds for nothing.
    #[inline(always)]
    pub(super) fn give_back(&mut self) {
        let spare = std::mem::take(&mut self.spare);
        if spare > 0 {
            self.shared_slots.give_back(spare, self.spare_since_ns);
        }
    }

    /// When a slot came free, ns, for which the I/O of that intended start waited while the target had all of them.
    #[inline(always)]
    pub(super) fn freed_after(&self, due_ns: u64) -> Option<u64> {
        let short_since = self.shared_slots.short_since_ns();
        // Its own I/O came back, and all others are still out.
        let own = || {
            (due_ns < self.spare_since_ns && self.shared_slots.is_short())
                .then_some(self.spare_since_ns)
        };
        let free_since = self.shared_slots.free_since_ns();
        let freed = if due_ns < free_since {
            Some(free_since)
        } else {
            own()
        };
        freed.filter(|_| due_ns >= short_since && !self.shared_slots.is_unseen(due_ns))
    }

    /// The same of an I/O that was in the queue, and has got its slot now.
    pub(super) fn freed_for(&self, io: &Waiting, now_ns: u64) -> Option<u64> {
        let waited = io.short && io.due_ns < now_ns;
        (waited && !self.shared_slots.is_unseen(io.due_ns)).then_some(now_ns)
    }

    #[inline(always)]
    pub(super) fn anyone_waits(&self) -> bool {
        self.shared_slots.anyone_waits()
    }

    /// Puts an I/O of one of the worker's streams into the queue.
    pub(super) fn queue(&self, stream: u32, priority: u32, due_ns: u64) {
        self.shared_slots.queue(Waiting {
            priority,
            due_ns,
            stream: self.number_of(stream),
            worker: self.number,
            short: self.spare == 0
                && self.shared_slots.is_short()
                && due_ns >= self.shared_slots.short_since_ns(),
        });
    }

    /// Puts an I/O back that was taken out.
    pub(super) fn requeue(&self, io: Waiting) {
        self.shared_slots.queue(io);
    }

    /// The worker's own I/Os that nobody has issued, and their streams: they leave the queue.
    pub(super) fn take_back(&self) -> Vec<(Waiting, u32)> {
        let own = self.shared_slots.take_back(self.number).into_iter();
        own.map(|io| (io, self.streams[io.stream as usize]))
            .collect()
    }

    /// The I/O that goes first, and this worker's stream that issues it.
    pub(super) fn next(&self) -> Option<(Waiting, u32)> {
        let io = self.shared_slots.next()?;
        Some((io, self.streams[io.stream as usize]))
    }

    /// How many of the worker's own I/Os of a stream are in the queue.
    pub(super) fn queued(&self, stream: u32) -> u32 {
        let number = self.number_of(stream);
        self.shared_slots.waiting_of(self.number, number)
    }

    /// What all workers call one of this worker's streams on the target.
    fn number_of(&self, stream: u32) -> u32 {
        let number = self.streams.iter().position(|s| *s == stream);
        number.expect("the stream is on the target") as u32
    }
}
