//! A target's slots where several workers issue its I/O on schedule: one count for all, and one queue of what is due.
//!
//! Dealt out to workers, slots would make the result depend on how many workers there are: one would have none left
//! while others have some, and would call its I/O late. So only buffers belong to a worker. To issue an I/O it needs one
//! of the target's slots too, which is no more than a number in a count. Where none is left the I/O joins the queue, and
//! whoever completes an I/O of the target takes the first of the queue in its place.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Slots that the workers on a target share, and the queue for them.
///
/// Nobody sleeps on them. Who queues an I/O tries for a slot once more afterwards, and who gives a slot back looks at the
/// queue once more afterwards; the order of both is sequentially consistent, so that one of the two sees the other.
#[derive(Debug)]
pub struct SharedSlots {
    free: Line,
    /// I/Os in `queue`; changed under its lock, read without.
    waiting: AtomicU32,
    /// From when on a want of slots is the target's doing, ns.
    short_since_ns: AtomicU64,
    /// The last time in which a worker with I/Os out did not look, and as long again, ns: whether slots were free then is not
    /// known.
    unseen_from_ns: AtomicU64,
    unseen_until_ns: AtomicU64,
    /// When one of the slots came free that were all taken, ns.
    free_since_ns: AtomicU64,
    queue: Mutex<BinaryHeap<Reverse<Waiting>>>,
    /// I/Os in `queue` by the worker that they came due at and by stream.
    of_share: Vec<AtomicU32>,
    streams: u32,
}

/// Slots that nobody holds. Every I/O changes this, so nothing else is beside it.
#[derive(Debug)]
#[repr(align(128))]
struct Line(AtomicU32);

/// An I/O that is due and waits for a slot. The smallest goes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Waiting {
    /// Priority of the I/O's stream; smaller goes first.
    pub priority: u32,
    /// Intended start, ns.
    pub due_ns: u64,
    /// Number of the I/O's stream among the target's.
    pub stream: u32,
    /// Number of the worker whose schedule the I/O is of, among those that share the target.
    pub worker: u32,
    /// All slots were taken when it was queued, through no burst of a worker's.
    pub short: bool,
}

impl SharedSlots {
    /// So many slots, all free, for so many workers that each have so many streams on the target.
    pub fn new(slots: u32, workers: u32, streams: u32) -> Self {
        let shares = workers as usize * streams as usize;
        SharedSlots {
            free: Line(AtomicU32::new(slots)),
            waiting: AtomicU32::new(0),
            short_since_ns: AtomicU64::new(0),
            unseen_from_ns: AtomicU64::new(0),
            unseen_until_ns: AtomicU64::new(0),
            free_since_ns: AtomicU64::new(0),
            queue: Mutex::new(BinaryHeap::new()),
            of_share: (0..shares).map(|_| AtomicU32::new(0)).collect(),
            streams,
        }
    }

    /// Takes a slot for an I/O that has just come due; `behind_ns` after it was, where the worker is late. A burst that
    /// takes the last slots is the worker's own doing, and so is what comes while that is worked off.
    #[inline(always)]
    pub fn take(&self, now_ns: u64, behind_ns: u64) -> bool {
        let left = self.take_one();
        if left == Some(0) {
            self.short_since_ns
                .fetch_max(now_ns + behind_ns, Ordering::Relaxed);
        }
        left.is_some()
    }

    /// A worker that has I/Os out did not look for so long: their slots may have been free. What waits since then waits for
    /// the worker, and so does what comes while that is worked off.
    pub fn was_not_seen(&self, from_ns: u64, to_ns: u64) {
        let worked_off_ns = to_ns.saturating_add(to_ns.saturating_sub(from_ns));
        if from_ns > self.unseen_until_ns.load(Ordering::Relaxed) {
            self.unseen_from_ns.store(from_ns, Ordering::Relaxed);
        } else {
            // Workers tell of the same time in any order.
            self.unseen_from_ns.fetch_min(from_ns, Ordering::Relaxed);
        }
        self.unseen_until_ns
            .fetch_max(worked_off_ns, Ordering::Relaxed);
    }

    /// True where what came due at that time may have waited for a worker that did not look.
    pub fn is_unseen(&self, due_ns: u64) -> bool {
        let from = self.unseen_from_ns.load(Ordering::Relaxed);
        (from..self.unseen_until_ns.load(Ordering::Relaxed)).contains(&due_ns)
    }

    /// Takes a slot for what waits already: the want of slots goes on as it began.
    pub fn take_again(&self) -> bool {
        self.take_one().is_some()
    }

    /// How many are left then; `None` where there was none.
    #[inline(always)]
    fn take_one(&self) -> Option<u32> {
        let less = |free: u32| free.checked_sub(1);
        let before = self
            .free
            .0
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, less);
        before.ok().map(|before| before - 1)
    }

    /// Gives slots back that came free at `since_ns`.
    #[inline(always)]
    pub fn give_back(&self, slots: u32, since_ns: u64) {
        if self.free.0.fetch_add(slots, Ordering::SeqCst) == 0 {
            self.free_since_ns.fetch_max(since_ns, Ordering::Relaxed);
        }
    }

    /// True where all slots are taken.
    pub fn is_short(&self) -> bool {
        self.free.0.load(Ordering::SeqCst) == 0
    }

    /// From when on a want of slots is the target's doing, ns.
    pub fn short_since_ns(&self) -> u64 {
        self.short_since_ns.load(Ordering::Relaxed)
    }

    /// Time at which a slot last came free while all were taken, ns.
    pub fn free_since_ns(&self) -> u64 {
        self.free_since_ns.load(Ordering::Relaxed)
    }

    /// True where any I/O waits.
    #[inline(always)]
    pub fn anyone_waits(&self) -> bool {
        self.waiting.load(Ordering::SeqCst) > 0
    }

    /// Number of I/Os of one worker's share of a stream that wait.
    pub fn waiting_of(&self, worker: u32, stream: u32) -> u32 {
        self.of_share[self.share(worker, stream)].load(Ordering::Relaxed)
    }

    /// Queues an I/O. The caller tries [`SharedSlots::take_again`] afterwards.
    pub fn queue(&self, io: Waiting) {
        let mut queue = self.lock();
        queue.push(Reverse(io));
        self.of_share[self.share(io.worker, io.stream)].fetch_add(1, Ordering::Relaxed);
        self.waiting.fetch_add(1, Ordering::SeqCst);
    }

    /// Takes the I/O out of the queue that goes first. The caller has a slot for it.
    pub fn next(&self) -> Option<Waiting> {
        let mut queue = self.lock();
        let Reverse(io) = queue.pop()?;
        self.of_share[self.share(io.worker, io.stream)].fetch_sub(1, Ordering::Relaxed);
        self.waiting.fetch_sub(1, Ordering::SeqCst);
        Some(io)
    }

    /// Takes all of one worker's I/Os out of the queue.
    pub fn take_back(&self, worker: u32) -> Vec<Waiting> {
        let mut queue = self.lock();
        let (own, others) = queue.drain().partition(|Reverse(io)| io.worker == worker);
        *queue = others;
        let own: BinaryHeap<Reverse<Waiting>> = own;
        for Reverse(io) in &own {
            self.of_share[self.share(io.worker, io.stream)].fetch_sub(1, Ordering::Relaxed);
            self.waiting.fetch_sub(1, Ordering::SeqCst);
        }
        own.into_iter().map(|Reverse(io)| io).collect()
    }

    fn share(&self, worker: u32, stream: u32) -> usize {
        (worker * self.streams + stream) as usize
    }

    fn lock(&self) -> MutexGuard<'_, BinaryHeap<Reverse<Waiting>>> {
        // Whoever held it may have died; the queue is whole all the same.
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::AtomicU64;

    fn due(due_ns: u64, priority: u32) -> Waiting {
        Waiting {
            priority,
            due_ns,
            stream: 0,
            worker: 0,
            short: true,
        }
    }

    #[test]
    fn the_queue_goes_by_priority_and_then_by_time() {
        let shared_slots = SharedSlots::new(1, 1, 1);
        for io in [due(5, 2), due(9, 1), due(3, 2), due(7, 1)] {
            shared_slots.queue(io);
        }
        assert_eq!(shared_slots.waiting_of(0, 0), 4);
        let order: Vec<u64> = std::iter::from_fn(|| shared_slots.next())
            .map(|io| io.due_ns)
            .collect();
        assert_eq!(order, [7, 9, 3, 5]);
        assert!(!shared_slots.anyone_waits() && shared_slots.waiting_of(0, 0) == 0);
    }

    #[test]
    fn it_is_known_when_slots_were_short() {
        let shared_slots = SharedSlots::new(2, 1, 1);
        assert!(
            shared_slots.take(100, 0) && shared_slots.take(110, 7) && !shared_slots.take(120, 0)
        );
        assert_eq!(shared_slots.short_since_ns(), 117);
        shared_slots.give_back(1, 130);
        shared_slots.give_back(1, 140);
        assert_eq!(shared_slots.free_since_ns(), 130);
        assert!(shared_slots.take_again() && shared_slots.take_again() && shared_slots.is_short());
        assert_eq!(shared_slots.short_since_ns(), 117);
    }

    #[test]
    fn a_worker_takes_back_its_own_and_leaves_what_others_wait_for() {
        let shared_slots = SharedSlots::new(1, 2, 1);
        for (due_ns, worker) in [(5, 0), (7, 1), (9, 0)] {
            shared_slots.queue(Waiting {
                worker,
                ..due(due_ns, 1)
            });
        }
        let mut own: Vec<u64> = shared_slots
            .take_back(0)
            .iter()
            .map(|io| io.due_ns)
            .collect();
        own.sort_unstable();
        assert_eq!(own, [5, 9]);
        assert_eq!(
            (shared_slots.waiting_of(0, 0), shared_slots.waiting_of(1, 0)),
            (0, 1)
        );
        assert_eq!(shared_slots.next().map(|io| io.due_ns), Some(7));
        assert!(!shared_slots.anyone_waits());
    }

    #[test]
    fn workers_tell_of_a_time_that_was_not_seen_in_any_order() {
        let shared_slots = SharedSlots::new(1, 2, 1);
        shared_slots.was_not_seen(100, 110);
        shared_slots.was_not_seen(50, 115);
        let unseen = |at: &u64| shared_slots.is_unseen(*at);
        assert!([50, 99, 100, 119, 179].iter().all(unseen));
        assert!(![49, 180].iter().any(unseen));
        // A later one is another.
        shared_slots.was_not_seen(500, 510);
        assert!(
            !shared_slots.is_unseen(100)
                && shared_slots.is_unseen(519)
                && !shared_slots.is_unseen(520)
        );
    }

    /// Threads that issue and complete as workers do: no slot is lost or doubled, nothing waits while a slot is free.
    #[test]
    fn no_slot_and_no_io_is_lost_between_threads() {
        const EACH: u64 = 30_000;
        const SLOTS: u32 = 3;
        let shared_slots = Arc::new(SharedSlots::new(SLOTS, 4, 1));
        let (out, most, done) = (AtomicU64::new(0), AtomicU64::new(0), AtomicU64::new(0));
        let issue = |_: Waiting| {
            let now = out.fetch_add(1, Ordering::SeqCst) + 1;
            most.fetch_max(now, Ordering::SeqCst);
            std::hint::spin_loop();
            out.fetch_sub(1, Ordering::SeqCst);
            done.fetch_add(1, Ordering::SeqCst);
        };
        // What completes at once takes the next in its place, and gives its slot back when none waits.
        let serve = |shared_slots: &SharedSlots| {
            while shared_slots.anyone_waits() && shared_slots.take_again() {
                while let Some(io) = shared_slots.next() {
                    issue(io);
                }
                shared_slots.give_back(1, 0);
            }
        };
        std::thread::scope(|scope| {
            for worker in 0..4 {
                let shared_slots = Arc::clone(&shared_slots);
                scope.spawn(move || {
                    for due_ns in 0..EACH {
                        shared_slots.queue(Waiting {
                            worker,
                            ..due(due_ns, 0)
                        });
                        serve(&shared_slots);
                    }
                });
            }
        });
        // Nobody serves any more: what were left would have been forgotten.
        assert!(!shared_slots.anyone_waits());
        assert_eq!(done.into_inner(), 4 * EACH);
        assert!(most.into_inner() <= u64::from(SLOTS));
        let free = std::iter::from_fn(|| shared_slots.take_again().then_some(()));
        assert_eq!(free.count() as u32, SLOTS);
    }
}
