//! Where a sampled look at a range falls.

use plimsoll_draw::Draw;

/// `count` multiples of `block` inside `from..to`, drawn with the seed, sorted (so that a disk's arm sweeps once) and
/// without repetition; fewer where the range holds fewer blocks. The last block may be cut short by `to`.
pub fn sampled_offsets(seed: u64, from: u64, to: u64, block: u64, count: usize) -> Vec<u64> {
    if block == 0 || from >= to {
        return Vec::new();
    }
    let first = from.div_ceil(block);
    let blocks = to.div_ceil(block).saturating_sub(first);
    if blocks <= count as u64 {
        return (0..blocks).map(|index| (first + index) * block).collect();
    }
    let mut draw = Draw(seed);
    let mut offsets: Vec<u64> = (0..count)
        .map(|_| {
            // The high half of a 128-bit product maps a 64-bit number to 0..blocks evenly enough for a sample.
            let index = (u128::from(draw.bits()) * u128::from(blocks)) >> 64;
            (first + index as u64) * block
        })
        .collect();
    offsets.sort_unstable();
    offsets.dedup();
    offsets
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_range_is_looked_at_whole() {
        assert_eq!(
            sampled_offsets(1, 0, 10_000, 4096, 100),
            vec![0, 4096, 8192]
        );
        assert_eq!(sampled_offsets(1, 100, 10_000, 4096, 100), vec![4096, 8192]);
    }

    #[test]
    fn a_large_range_is_sampled_in_order_and_in_bounds() {
        let offsets = sampled_offsets(7, 1 << 20, 1 << 48, 4096, 500);
        assert!(offsets.len() > 490 && offsets.len() <= 500);
        assert!(offsets.windows(2).all(|pair| pair[0] < pair[1]));
        assert!(
            offsets
                .iter()
                .all(|o| o % 4096 == 0 && *o >= 1 << 20 && *o < 1 << 48)
        );
        assert_eq!(offsets, sampled_offsets(7, 1 << 20, 1 << 48, 4096, 500));
        assert_ne!(offsets, sampled_offsets(8, 1 << 20, 1 << 48, 4096, 500));
    }

    #[test]
    fn nothing_is_drawn_from_nothing() {
        assert!(sampled_offsets(1, 5, 5, 4096, 9).is_empty());
        assert!(sampled_offsets(1, 0, 5, 0, 9).is_empty());
    }
}
