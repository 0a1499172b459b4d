//! The DRAM cache: hits are earned by what was read and written before, never drawn.

use plimsoll_content::{mix64, prefetch};

/// Lines in a set: one cache line of the machine that simulates.
const WAYS: usize = 16;

/// A set-associative cache of chunks; in each set the least recently used one makes room.
///
/// A line is remembered by 31 bits of a hash of its key, so 16 lookups in 2^31 are taken for another.
#[derive(Debug, Clone)]
pub struct Cache {
    sets: Vec<[u32; WAYS]>,
}

impl Cache {
    /// An empty cache of `lines` chunks, rounded up to whole sets.
    pub fn new(lines: u64) -> Self {
        Cache {
            sets: vec![[0; WAYS]; (lines as usize).div_ceil(WAYS).max(1)],
        }
    }

    /// Has the set of a chunk fetched from memory while other work is done.
    #[inline]
    pub fn prefetch(&self, key: u64) {
        prefetch(&self.sets[self.place(key).0]);
    }

    /// Looks up a chunk and makes it the most recently used one, whether it was there or not. True for a hit.
    #[inline]
    pub fn touch(&mut self, key: u64) -> bool {
        let (set, tag) = self.place(key);
        let ways = &mut self.sets[set];
        let found = find(ways, tag);
        if found == WAYS {
            ways.copy_within(..WAYS - 1, 1);
        } else {
            ways.copy_within(..found, 1);
        }
        ways[0] = tag;
        found < WAYS
    }

    /// Forgets a chunk.
    pub fn forget(&mut self, key: u64) {
        let (set, tag) = self.place(key);
        let ways = &mut self.sets[set];
        let at = find(ways, tag);
        if at < WAYS {
            ways.copy_within(at + 1.., at);
            ways[WAYS - 1] = 0;
        }
    }

    /// Forgets everything: a cache that was lost.
    pub fn clear(&mut self) {
        self.sets.fill([0; WAYS]);
    }

    /// The set and the tag; 0 is no tag.
    #[inline]
    fn place(&self, key: u64) -> (usize, u32) {
        let hash = mix64(key);
        let set = ((hash & 0xffff_ffff) * self.sets.len() as u64) >> 32;
        (set as usize, (hash >> 32) as u32 | 1)
    }
}

/// The way that has a tag, or [`WAYS`]. All are compared, without a branch for each.
#[inline]
fn find(ways: &[u32; WAYS], tag: u32) -> usize {
    let mut equal = 1_u32 << WAYS;
    for (at, way) in ways.iter().enumerate() {
        equal |= u32::from(*way == tag) << at;
    }
    equal.trailing_zeros() as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_set_of_chunks_stays_while_others_pass() {
        let mut cache = Cache::new(4096);
        let mut hits = 0;
        for i in 0..100_000_u64 {
            hits += u64::from(cache.touch(i % 64));
            cache.touch(1_000_000 + i);
        }
        assert_eq!(hits, 100_000 - 64);
    }

    #[test]
    fn uniform_reads_hit_in_proportion_to_the_cache() {
        let mut cache = Cache::new(10_000);
        let (mut hits, chunks, reads) = (0, 100_000, 1_000_000_u64);
        for i in 0..reads {
            hits += u64::from(cache.touch(mix64(i) % chunks));
        }
        let share = hits as f64 / reads as f64;
        assert!((share - 0.1).abs() < 0.004, "{share}");
    }

    #[test]
    fn what_is_forgotten_is_a_miss() {
        let mut cache = Cache::new(64);
        cache.touch(7);
        cache.forget(7);
        assert!(!cache.touch(7));
        cache.clear();
        assert!(!cache.touch(7));
    }
}
