//! Numbers that a seed decides.

use plimsoll_draw::Draw;

/// A stream of them.
pub struct Random(Draw);

impl Random {
    pub fn new(seed: u64) -> Self {
        Random(Draw(seed.wrapping_mul(0xD1B5_4A32_D192_ED03) ^ 0x5DEE_CE66))
    }

    /// 0..1.
    pub fn share(&mut self) -> f64 {
        self.0.unit()
    }

    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + self.share() * (high - low)
    }

    pub fn one_of<T: Copy>(&mut self, all: &[T]) -> T {
        self.0.of(all)
    }
}
