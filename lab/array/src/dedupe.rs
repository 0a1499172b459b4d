//! Which data the array holds, and how often it is referred to.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::{BuildHasherDefault, Hasher};

/// Fingerprints are hashes already.
#[derive(Debug, Clone, Default)]
struct AsItIs(u64);

impl Hasher for AsItIs {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(*byte);
        }
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = plimsoll_content::mix64(value);
    }
}

/// The fingerprint index with reference counts.
#[derive(Debug, Clone, Default)]
pub struct Fingerprints {
    references: HashMap<u64, u32, BuildHasherDefault<AsItIs>>,
}

impl Fingerprints {
    /// Adds a reference; true when the data was there already.
    #[inline]
    pub fn refer(&mut self, fingerprint: u64) -> bool {
        match self.references.entry(fingerprint) {
            Entry::Occupied(mut e) => {
                *e.get_mut() = e.get().saturating_add(1);
                true
            }
            Entry::Vacant(e) => {
                e.insert(1);
                false
            }
        }
    }

    /// Drops a reference; true when it was the last and the data is gone.
    #[inline]
    pub fn release(&mut self, fingerprint: u64) -> bool {
        let Entry::Occupied(mut e) = self.references.entry(fingerprint) else {
            return false;
        };
        if *e.get() > 1 {
            *e.get_mut() -= 1;
            return false;
        }
        e.remove();
        true
    }

    /// How many different chunks are held.
    pub fn distinct(&self) -> u64 {
        self.references.len() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn holds_exactly_the_data_that_is_referred_to(refs in proptest::collection::vec(0..20_u64, 0..200)) {
            let mut index = Fingerprints::default();
            let mut counts = [0_u32; 20];
            for r in &refs {
                prop_assert_eq!(index.refer(*r), counts[*r as usize] > 0);
                counts[*r as usize] += 1;
            }
            prop_assert_eq!(index.distinct(), counts.iter().filter(|c| **c > 0).count() as u64);
            for r in &refs {
                counts[*r as usize] -= 1;
                prop_assert_eq!(index.release(*r), counts[*r as usize] == 0);
            }
            prop_assert_eq!(index.distinct(), 0);
        }
    }
}
