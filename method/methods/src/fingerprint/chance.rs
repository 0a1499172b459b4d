//! Places by chance: the same for the same target, so that a resumed fingerprint goes on with the same probes.

use plimsoll_draw::Draw;

/// Draws of places.
#[derive(Debug)]
pub(crate) struct Chance(Draw);

impl Chance {
    pub fn new(seed: u64) -> Self {
        Chance(Draw(seed))
    }

    /// Less than `n`, which is at least 1.
    pub fn below(&mut self, n: u64) -> u64 {
        self.0.bits() % n
    }

    /// Any order (Fisher and Yates).
    pub fn shuffle(&mut self, order: &mut [u64]) {
        for last in (1..order.len()).rev() {
            let other = self.below(last as u64 + 1) as usize;
            order.swap(last, other);
        }
    }

    /// So many of the numbers below `n`, each once, in any order; all of them where there are no more.
    pub fn some(&mut self, count: u64, n: u64) -> Vec<u64> {
        if count >= n {
            let mut all: Vec<u64> = (0..n).collect();
            self.shuffle(&mut all);
            return all;
        }
        let mut picked = Vec::new();
        while (picked.len() as u64) < count {
            let one = self.below(n);
            if !picked.contains(&one) {
                picked.push(one);
            }
        }
        picked
    }
}
