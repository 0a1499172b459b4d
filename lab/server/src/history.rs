//! History of an array from its start: counters at evenly spaced moments, never more of them than a page can show.

use plimsoll_array::Array;
use serde::Serialize;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The shortest time between two moments.
pub(crate) const PERIOD: Duration = Duration::from_secs(1);
/// Moments that are kept: where they are too many, every second one goes.
const MOST: usize = 240;

/// Counters at a moment, from the start on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Moment {
    /// Time, nanoseconds from the start.
    pub at_ns: u64,
    /// Reads at the front end.
    pub reads: u64,
    /// Time that these reads spent in the array, summed, nanoseconds.
    pub reads_ns: u64,
    /// Writes at the front end.
    pub writes: u64,
    /// Time that these writes spent in the array, summed, nanoseconds.
    pub writes_ns: u64,
    /// Reads and writes of flash and disks.
    pub back: u64,
}

/// Moments from the start.
#[derive(Debug, Default)]
pub(crate) struct History(Mutex<Kept>);

#[derive(Debug)]
struct Kept {
    moments: Vec<Moment>,
    /// Number of moments that come of which one is kept.
    each: u64,
    came: u64,
}

impl Default for Kept {
    fn default() -> Self {
        Kept {
            moments: vec![Moment::default()],
            each: 1,
            came: 0,
        }
    }
}

impl Kept {
    fn add(&mut self, moment: Moment) {
        self.came += 1;
        if !self.came.is_multiple_of(self.each) {
            return;
        }
        self.moments.push(moment);
        if self.moments.len() > MOST {
            let mut at = 0;
            self.moments.retain(|_| {
                at += 1;
                at % 2 == 1
            });
            self.each *= 2;
        }
    }
}

impl History {
    /// Keeps what the array has counted by now.
    pub(crate) fn keep(&self, array: &Array, now: u64) {
        let counters = array.counters();
        self.kept().add(Moment {
            at_ns: now,
            reads: counters.reads.count,
            reads_ns: counters.reads.array_ns,
            writes: counters.writes.count,
            writes_ns: counters.writes.array_ns,
            back: counters.media_reads + counters.media_writes,
        });
    }

    /// All that is kept, the start first.
    pub(crate) fn moments(&self) -> Vec<Moment> {
        self.kept().moments.clone()
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn however_long_it_takes_the_start_is_kept_and_the_moments_lie_evenly() {
        let mut kept = Kept::default();
        for second in 1..=10_000 {
            kept.add(Moment {
                at_ns: second,
                ..Moment::default()
            });
            let at: Vec<u64> = kept.moments.iter().map(|m| m.at_ns).collect();
            assert!(at.len() <= MOST && at[0] == 0, "{second}: {at:?}");
            let gaps = at.windows(2).map(|pair| pair[1] - pair[0]);
            assert!(gaps.into_iter().all(|gap| gap == kept.each), "{at:?}");
            assert!(second - at.last().unwrap() < 2 * kept.each);
        }
        assert!(kept.moments.len() > MOST / 2);
    }
}
