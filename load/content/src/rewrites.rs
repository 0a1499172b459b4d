//! How often each block of a target was written: once more by turns.

use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// Blocks of one segment, the piece of the map that is made when the first of its blocks is written: 32 KiB of memory
/// for 1 GiB of 4 KiB blocks.
const SEGMENT_BLOCKS: u64 = 1 << 18;
const WORD_BITS: u64 = 64;

/// Parity of the writes of each block of a target: one bit for each, set where it was written an odd number of times.
///
/// It is what duplicates that alternate need, and the only thing about content that is remembered. All streams and steps
/// that write a target share one, so it does not matter who wrote a block before. Two writes of one block that are under
/// way at once may get the same value; which of them ends on the disk is as open.
#[derive(Debug)]
pub struct Rewrites {
    segments: Box<[OnceLock<Segment>]>,
}

type Segment = Box<[AtomicU64]>;

impl Rewrites {
    /// More blocks than this are not kept: their bits would be 128 GiB.
    pub const BLOCKS_MAX: u64 = 1 << 40;

    /// Counts for a target of so many blocks, none of which was written; `None` where they are more than
    /// [`Rewrites::BLOCKS_MAX`].
    pub fn new(blocks: u64) -> Option<Self> {
        // One more: the last block of a target may be a part of one.
        let segments = (blocks / SEGMENT_BLOCKS + 1) as usize;
        let fits = blocks <= Rewrites::BLOCKS_MAX;
        fits.then(|| Rewrites {
            segments: (0..segments).map(|_| OnceLock::new()).collect(),
        })
    }

    /// Counts a write of these blocks. Those that the target does not have are left out.
    pub fn count(&self, blocks: Range<u64>) {
        let mut at = blocks.start;
        while at < blocks.end {
            let (segment, within) = (at / SEGMENT_BLOCKS, at % SEGMENT_BLOCKS);
            let Some(segment) = self.segments.get(segment as usize) else {
                return;
            };
            let first = within % WORD_BITS;
            let bits = (blocks.end - at).min(WORD_BITS - first);
            let mask = (u64::MAX >> (WORD_BITS - bits)) << first;
            let words = segment.get_or_init(new_segment);
            words[(within / WORD_BITS) as usize].fetch_xor(mask, Ordering::Relaxed);
            at += bits;
        }
    }

    /// True where a block was written an odd number of times.
    #[inline]
    pub fn is_odd(&self, block: u64) -> bool {
        let (segment, within) = (block / SEGMENT_BLOCKS, block % SEGMENT_BLOCKS);
        let words = self.segments.get(segment as usize).and_then(OnceLock::get);
        words.is_some_and(|words| {
            let word = words[(within / WORD_BITS) as usize].load(Ordering::Relaxed);
            word >> (within % WORD_BITS) & 1 == 1
        })
    }
}

fn new_segment() -> Segment {
    let words = SEGMENT_BLOCKS / WORD_BITS;
    (0..words).map(|_| AtomicU64::new(0)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn more_blocks_than_can_be_kept_are_refused() {
        assert!(Rewrites::new(Rewrites::BLOCKS_MAX + 1).is_none());
        assert!(Rewrites::new(u64::MAX).is_none());
    }

    #[test]
    fn blocks_that_are_not_there_are_never_odd() {
        let rewrites = Rewrites::new(10).expect("fits");
        rewrites.count(0..u64::MAX);
        rewrites.count(u64::MAX - 1..u64::MAX);
        assert!(rewrites.is_odd(9));
        assert!(!rewrites.is_odd(u64::MAX - 1));
    }

    #[test]
    fn writes_of_several_threads_are_all_counted() {
        let rewrites = Rewrites::new(1000).expect("fits");
        std::thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    for _ in 0..1001 {
                        rewrites.count(5..900);
                    }
                });
            }
        });
        // 3003 times: odd.
        assert!((5..900).all(|b| rewrites.is_odd(b)));
        assert!(!rewrites.is_odd(4) && !rewrites.is_odd(900));
    }

    proptest! {
        #[test]
        fn the_bits_are_those_of_plain_counting(
            writes in proptest::collection::vec((0u64..2 * SEGMENT_BLOCKS, 0u64..300), 0..40)
        ) {
            let rewrites = Rewrites::new(2 * SEGMENT_BLOCKS + 300).expect("fits");
            let mut counts = std::collections::HashMap::new();
            for (start, len) in &writes {
                rewrites.count(*start..start + len);
                for block in *start..start + len {
                    *counts.entry(block).or_insert(0u32) += 1;
                }
            }
            for (start, len) in writes {
                for block in start.saturating_sub(2)..start + len + 2 {
                    let times = counts.get(&block).copied().unwrap_or(0);
                    prop_assert_eq!(rewrites.is_odd(block), times % 2 == 1, "block {}", block);
                }
            }
        }
    }
}
