//! Which data the array holds, and how often it is referred to.

use plimsoll_content::{mix64, prefetch};
use std::collections::HashMap;

/// Bits of a name in a slot; the references are above them.
const NAME_BITS: u32 = 56;
const NAME: u64 = (1 << NAME_BITS) - 1;
/// A slot that counts this many has the true number in `many`.
const MANY: u64 = 255;
/// Slots at first.
const FIRST: usize = 1024;

/// The fingerprint index with reference counts: names of data as [`crate::map::data`] gives them.
///
/// An open table of one word a slot, so that a look-up costs one miss of the simulating machine's cache. Names are
/// found by linear search from the place that a hash of the name gives; no slot between is empty.
#[derive(Debug, Clone)]
pub struct Fingerprints {
    slots: Vec<u64>,
    held: u64,
    /// Names that are referred to more often than a slot can count.
    many: HashMap<u64, u64>,
}

impl Default for Fingerprints {
    fn default() -> Self {
        Fingerprints {
            slots: vec![0; FIRST],
            held: 0,
            many: HashMap::new(),
        }
    }
}

impl Fingerprints {
    /// Adds a reference; true when the data was there already.
    #[inline]
    pub fn refer(&mut self, name: u64) -> bool {
        let at = self.find(name);
        let count = self.slots[at] >> NAME_BITS;
        match count {
            0 => {
                self.slots[at] = name | 1 << NAME_BITS;
                self.held += 1;
                // Three quarters: searches stay short.
                if self.held * 4 > self.slots.len() as u64 * 3 {
                    self.grow();
                }
                return false;
            }
            MANY => *self.many.entry(name).or_insert(MANY) += 1,
            _ => self.slots[at] += 1 << NAME_BITS,
        }
        true
    }

    /// Drops a reference; true when it was the last and the data is gone.
    #[inline]
    pub fn release(&mut self, name: u64) -> bool {
        let at = self.find(name);
        match self.slots[at] >> NAME_BITS {
            0 => false,
            1 => {
                self.remove(at);
                true
            }
            MANY => {
                self.release_of_many(name, at);
                false
            }
            _ => {
                self.slots[at] -= 1 << NAME_BITS;
                false
            }
        }
    }

    /// Has the slot where the search for a name begins fetched from memory while other work is done.
    #[inline]
    pub fn prefetch(&self, name: u64) {
        prefetch(&self.slots[self.home(name)]);
    }

    /// How many different chunks are held.
    pub fn distinct(&self) -> u64 {
        self.held
    }

    #[cold]
    fn release_of_many(&mut self, name: u64, at: usize) {
        match self.many.get_mut(&name) {
            Some(count) => {
                *count -= 1;
                if *count == MANY {
                    self.many.remove(&name);
                }
            }
            None => self.slots[at] -= 1 << NAME_BITS,
        }
    }

    /// Where a name's search begins.
    #[inline]
    fn home(&self, name: u64) -> usize {
        ((u128::from(mix64(name)) * self.slots.len() as u128) >> 64) as usize
    }

    /// The slot with a name, or the empty one where it belongs.
    #[inline]
    fn find(&self, name: u64) -> usize {
        let mut at = self.home(name);
        loop {
            let slot = self.slots[at];
            if slot == 0 || slot & NAME == name {
                return at;
            }
            at = self.after(at);
        }
    }

    #[inline]
    fn after(&self, at: usize) -> usize {
        if at + 1 == self.slots.len() {
            0
        } else {
            at + 1
        }
    }

    /// Empties a slot, and moves up what was found past it.
    fn remove(&mut self, mut hole: usize) {
        self.held -= 1;
        let mut at = self.after(hole);
        while self.slots[at] != 0 {
            let home = self.home(self.slots[at] & NAME);
            // Round the end of the table: true when the home is not between the hole and here.
            let stays = if hole <= at {
                hole < home && home <= at
            } else {
                hole < home || home <= at
            };
            if !stays {
                self.slots[hole] = self.slots[at];
                hole = at;
            }
            at = self.after(at);
        }
        self.slots[hole] = 0;
    }

    #[cold]
    fn grow(&mut self) {
        let larger = vec![0; self.slots.len() * 2];
        let old = std::mem::replace(&mut self.slots, larger);
        for slot in old.into_iter().filter(|s| *s != 0) {
            let at = self.find(slot & NAME);
            self.slots[at] = slot;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn holds_exactly_the_data_that_is_referred_to(
            steps in proptest::collection::vec((0..900_u64, any::<bool>()), 0..6000),
        ) {
            let mut index = Fingerprints::default();
            let mut counts = vec![0_u32; 900];
            for (name, more) in steps {
                let count = &mut counts[name as usize];
                if more {
                    prop_assert_eq!(index.refer(name + 2), *count > 0);
                    *count += 1;
                } else {
                    prop_assert_eq!(index.release(name + 2), *count == 1);
                    *count = count.saturating_sub(1);
                }
                prop_assert_eq!(index.distinct(), counts.iter().filter(|c| **c > 0).count() as u64);
            }
        }
    }

    #[test]
    fn counts_any_number_of_references() {
        let mut index = Fingerprints::default();
        assert_eq!((0..1000).filter(|_| index.refer(7)).count(), 999);
        assert_eq!((0..999).filter(|_| index.release(7)).count(), 0);
        assert!(index.release(7));
        assert!(!index.release(7));
    }

    #[test]
    fn grows_and_shrinks_without_losing_anything() {
        let mut index = Fingerprints::default();
        assert!((2..100_000).all(|n| !index.refer(n)));
        assert!((2..100_000).all(|n| index.refer(n)));
        assert!(
            (2..100_000)
                .step_by(3)
                .all(|n| !index.release(n) && index.release(n))
        );
        let kept = (2..100_000).filter(|n| (n - 2) % 3 != 0);
        assert!(kept.clone().all(|n| !index.release(n)));
        assert_eq!(index.distinct(), kept.count() as u64);
    }
}
