//! What a worker tells while it runs, and what workers share.

use crate::backend::Action;
use crate::depths::Depths;
pub use plimsoll_content::verify::{Broken, Mismatch};
use plimsoll_measure::IntervalStats;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

/// A failed or lost I/O, and where it was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// The target's name.
    pub target: String,
    /// The file or directory, where it was on a tree; of a move both paths.
    pub path: Option<String>,
    /// Action that failed.
    pub action: Action,
    /// Address on the target.
    pub offset: u64,
    /// Bytes asked for.
    pub length: u32,
    /// From the step's start, ns.
    pub at_ns: u64,
    /// Kind of the failure.
    pub kind: FailureKind,
}

/// Kind of a failure: an error, too few or wrong bytes, or no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailureKind {
    /// The system's error number.
    Errno(i32),
    /// Fewer bytes than asked for.
    Short(u32),
    /// No answer by the drain deadline.
    InFlight,
    /// Other bytes than were written there.
    Mismatch(Mismatch),
}

/// Report of a worker while it runs.
#[derive(Debug)]
pub enum Report {
    /// An interval has ended.
    Interval {
        /// The worker.
        worker: usize,
        /// The interval, from 1.
        number: u32,
        /// Its length, ns.
        length_ns: u64,
        /// True for the time after the end: see [`crate::MergedInterval::drain`].
        drain: bool,
        /// How long the worker's thread was ready to run in it and had no CPU, ns; `None` where the kernel does not tell.
        waited_ns: Option<u64>,
        /// The counters, by the worker's own streams.
        stats: Box<IntervalStats>,
        /// Errors in it, the first of them only.
        failures: Vec<Failure>,
    },
    /// The worker has ended.
    Done {
        /// The worker.
        worker: usize,
        /// True where a limit or a stream's end stopped it before its time.
        limit: bool,
        /// I/Os that never came back.
        lost: Vec<Failure>,
        /// I/Os that were due in the counted time and not back at the end: those that never came back, and those that
        /// never went out.
        unfinished: u64,
        /// The kernel's refusal that ended it.
        error: Option<io::Error>,
    },
}

/// State that all workers of a step share, but for the slots of targets on schedule. It is looked at once a sample, written once an
/// interval and with each failure, and looked at in each turn only after the end.
#[derive(Debug, Default)]
pub struct Shared {
    /// Set to end the step at the next interval.
    pub stop: AtomicBool,
    /// Set where whoever looks at the intervals has seen enough of this step; as with [`Shared::stop`], it ends at the next
    /// interval.
    pub seen_enough: AtomicBool,
    /// Time at which the step began, CLOCK_MONOTONIC ns; 0 until it has.
    pub began_ns: AtomicU64,
    /// Failed I/Os and fsyncs of all workers, past the one that ends the step too.
    pub errors: AtomicU64,
    /// The fsyncs among those that count.
    pub fsync_errors: AtomicU64,
    /// Set when too many failed.
    pub too_many_errors: AtomicBool,
    /// Set when a worker cannot go on, so that the others need not.
    pub abandon: AtomicBool,
    /// Most I/Os that each stream may have in flight; a limit set before a step begins counts from the step's start.
    pub depths: Depths,
    /// The furthest interval that a worker has begun; with [`LAST`], the one with which all stop.
    furthest: AtomicU32,
}

/// Marks the furthest interval as the step's last.
const LAST: u32 = 1 << 31;

impl Shared {
    /// A step begins.
    pub(crate) fn begin(&self) {
        self.furthest.store(0, Ordering::SeqCst);
        self.seen_enough.store(false, Ordering::Relaxed);
        self.began_ns.store(0, Ordering::Relaxed);
    }

    /// A worker has ended interval `ended`: whether it begins another. Once [`Shared::stop`] or [`Shared::seen_enough`] is set, all stop with the
    /// interval that the first of them had begun by then: what one of them counts beyond the others would belong to none.
    pub(super) fn goes_on(&self, ended: u32) -> bool {
        let stop = self.stop.load(Ordering::Relaxed) || self.seen_enough.load(Ordering::Relaxed);
        let after = |furthest: u32| match (furthest & LAST != 0, stop) {
            (true, _) => furthest,
            (false, true) => furthest.max(ended) | LAST,
            (false, false) => furthest.max(ended + 1),
        };
        let update = |furthest| Some(after(furthest));
        let (set, read) = (Ordering::SeqCst, Ordering::SeqCst);
        // The closure always has a value to give.
        let before = self
            .furthest
            .fetch_update(set, read, update)
            .unwrap_or(LAST);
        let now = after(before);
        now & LAST == 0 || ended < now & !LAST
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_workers_stop_with_the_interval_that_the_first_had_begun() {
        let shared = Shared::default();
        assert!(shared.goes_on(1) && shared.goes_on(2));
        shared.stop.store(true, Ordering::Relaxed);
        // This one is late: the other is in the third already.
        assert!(shared.goes_on(1) && shared.goes_on(2));
        assert!(!shared.goes_on(3));
        assert!(!shared.goes_on(3));
        shared.begin();
        assert!(!shared.goes_on(1));
        // What ends one step does not end the next.
        let shared = Shared::default();
        shared.seen_enough.store(true, Ordering::Relaxed);
        assert!(!shared.goes_on(1));
        shared.begin();
        assert!(shared.goes_on(1));
    }
}
