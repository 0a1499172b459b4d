//! Noise for tests, that a number repeats.

use plimsoll_draw::Draw;

/// Normal noise of standard deviation 1, nearly: the sum of 12 uniform numbers, less 6.
pub(super) fn noise(seed: u64) -> f64 {
    let mut draw = Draw(seed.wrapping_mul(0x2545_f491_4f6c_dd1d));
    (0..12).map(|_| draw.unit()).sum::<f64>() - 6.0
}
