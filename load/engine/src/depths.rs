//! How many of its own slots a stream may have busy, said while its step runs.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// The most of each stream that has one. Workers look at it once a sample.
#[derive(Debug, Default)]
pub struct Depths {
    /// Counted up with each change, so that a look at it costs no lock.
    changes: AtomicU64,
    most: Mutex<BTreeMap<usize, u32>>,
}

impl Depths {
    /// Stream `stream` of the step has at most `most` I/Os in flight from now on.
    pub fn set(&self, stream: usize, most: u32) {
        self.change(|all| {
            all.insert(stream, most);
        });
    }

    /// Every stream may use all of its slots.
    pub fn clear(&self) {
        self.change(BTreeMap::clear);
    }

    fn change(&self, how: impl FnOnce(&mut BTreeMap<usize, u32>)) {
        how(&mut self.most.lock().unwrap_or_else(PoisonError::into_inner));
        self.changes.fetch_add(1, Ordering::Release);
    }

    /// Number of changes so far.
    pub fn changes(&self) -> u64 {
        self.changes.load(Ordering::Acquire)
    }

    /// The most of a stream; `None` where it may use all of its slots.
    pub fn of(&self, stream: usize) -> Option<u32> {
        let all = self.most.lock().unwrap_or_else(PoisonError::into_inner);
        all.get(&stream).copied()
    }
}

/// A worker's part of a stream's own slots.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OwnSlots {
    /// The stream, by its place in the step.
    pub stream: usize,
    /// Slots that other workers before this one have of it.
    pub before: u32,
    /// Slots of this worker.
    pub slots: u32,
    /// All workers'.
    pub all: u32,
}

impl OwnSlots {
    /// Number of this worker's slots that may be busy, where `most` of all may: the parts of all workers come to just that.
    pub fn part_of(&self, most: u32) -> u32 {
        let until = |slots: u32| {
            u64::from(most.min(self.all)) * u64::from(slots) / u64::from(self.all.max(1))
        };
        (until(self.before + self.slots) - until(self.before)) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_of_all_workers_come_to_the_whole_and_no_part_is_more_than_it_has() {
        for slots in [[5, 5, 4], [1, 0, 9], [64, 1, 1]] {
            let all: u32 = slots.iter().sum();
            for most in 0..all + 3 {
                let mut before = 0;
                let mut sum = 0;
                for own in slots {
                    let own = OwnSlots {
                        stream: 0,
                        before,
                        slots: own,
                        all,
                    };
                    before += own.slots;
                    let part = own.part_of(most);
                    assert!(part <= own.slots, "{own:?} of {most}");
                    sum += part;
                }
                assert_eq!(sum, most.min(all));
            }
        }
    }
}
