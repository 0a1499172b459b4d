//! A target's slots on one worker.

use crate::target::OpenTarget;
use plimsoll_plan::Durability;
use plimsoll_traffic::Chooser;
use std::sync::Arc;

/// One target's slots on this worker.
pub struct Pool {
    /// The target. Its files stay open as long as the worker may use them.
    pub(super) target: Arc<OpenTarget>,
    /// Where the target's files begin in the worker's file table.
    pub(super) first_file: u32,
    /// Its slots that are free; not used in a plain closed loop.
    pub(super) free: Vec<u32>,
    /// This worker's streams on it that have no schedule, by index.
    pub(super) streams: Vec<u32>,
    /// Which of `streams` goes next in a closed loop.
    pub(super) chooser: Chooser,
    weights: Vec<f64>,
    seed: u64,
    /// Streams whose due I/O waits for a slot.
    pub(super) blocked: Vec<u32>,
    /// When the last of the free slots, having been the only one, came free, ns.
    pub(super) free_since_ns: u64,
    /// From when on a want of slots is the target's doing, ns.
    short_since_ns: u64,
    /// Syncs to issue before anything else.
    pub(super) syncs_owed: u32,
    writes: u32,
    synced: u32,
}

impl Pool {
    /// A pool with no slots yet. `first_file` is where the target's files begin in the worker's file table; `streams`
    /// are the worker's streams on the target that have no schedule, and `weights` their shares of a closed loop.
    pub fn new(
        target: Arc<OpenTarget>,
        first_file: u32,
        streams: Vec<u32>,
        weights: Vec<f64>,
        seed: u64,
    ) -> Self {
        let chooser = Chooser::new(&weights, seed);
        Pool {
            target,
            first_file,
            free: Vec::new(),
            streams,
            chooser,
            weights,
            seed,
            blocked: Vec::new(),
            free_since_ns: 0,
            short_since_ns: 0,
            syncs_owed: 0,
            writes: 0,
            synced: 0,
        }
    }

    /// A due I/O took a slot of those that were free, `behind_ns` after the first that was due. A worker that wakes late
    /// finds many due at once, and may take all slots for them: that burst is its own, and so is what comes while the
    /// burst is worked off, for which it gets as long again as it was late.
    #[inline(always)]
    pub(super) fn took_one(&mut self, now_ns: u64, behind_ns: u64) {
        if self.free.is_empty() {
            self.short_since_ns = now_ns + behind_ns;
        }
    }

    /// Whether the target kept all slots busy at that time, of which it has been the turn only now.
    #[inline(always)]
    pub(super) fn had_none_at(&self, due_ns: u64) -> bool {
        (self.short_since_ns..self.free_since_ns).contains(&due_ns)
    }

    /// A stream has ended: the others go on without it.
    pub(super) fn retire(&mut self, stream: u32) {
        if let Some(at) = self.streams.iter().position(|s| *s == stream) {
            self.streams.remove(at);
            self.weights.remove(at);
            self.chooser = Chooser::new(&self.weights, self.seed);
        }
    }

    /// Which stream without a schedule goes next.
    #[inline(always)]
    pub(super) fn next_stream(&mut self) -> Option<u32> {
        match self.streams.as_slice() {
            [] => None,
            [one] => Some(*one),
            several => Some(several[self.chooser.next()]),
        }
    }

    /// One write came back well; each n-th owes a sync of every file of the target.
    #[inline(always)]
    pub(super) fn wrote(&mut self) {
        if let Durability::FsyncEvery(n) = self.target.durability {
            self.writes += 1;
            if self.writes >= n {
                self.writes = 0;
                self.syncs_owed += self.target.members.len().max(1) as u32;
            }
        }
    }

    /// The file of the next owed sync, in the worker's table; they take turns.
    pub(super) fn next_sync(&mut self) -> u32 {
        let file = self.first_file + self.synced;
        self.syncs_owed -= 1;
        self.synced = (self.synced + 1) % self.target.members.len().max(1) as u32;
        file
    }
}
