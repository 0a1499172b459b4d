//! Noise for tests, that a number repeats.

/// Normal noise of standard deviation 1, nearly: the sum of 12 uniform numbers, less 6.
pub(super) fn noise(seed: u64) -> f64 {
    let mut state = seed.wrapping_mul(0x2545_f491_4f6c_dd1d);
    let mut uniform = || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    };
    (0..12).map(|_| uniform()).sum::<f64>() - 6.0
}
