//! A random order of the numbers below n, without storing it.

use crate::seed::seed_for;

const ROUNDS: usize = 4;

/// A keyed permutation of the numbers below n.
///
/// A Feistel network over the smallest power of two that holds n, with halves that may differ by one bit, walked along
/// its cycle until it falls below n (Black and Rogaway, "Ciphers with arbitrary finite domains", 2002). The walk takes
/// less than two steps on average, because the domain is less than twice n. Each round is one multiplication.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Permutation {
    n: u64,
    low_bits: u32,
    low_mask: u64,
    high_mask: u64,
    keys: [u64; ROUNDS],
    factors: [u64; ROUNDS],
}

impl Permutation {
    /// The permutation of the numbers below `n` that belongs to a key; `n` is at least 1.
    pub(crate) fn new(n: u64, key: u64) -> Self {
        let n = n.max(1);
        // Each half holds at least a bit.
        let bits = (64 - (n - 1).leading_zeros()).max(2);
        let low_bits = bits / 2;
        let high_bits = bits - low_bits;
        Permutation {
            n,
            low_bits,
            low_mask: (1 << low_bits) - 1,
            high_mask: (1 << high_bits) - 1,
            keys: [0, 1, 2, 3].map(|i| seed_for(key, &[i, 1])),
            factors: [0, 1, 2, 3].map(|i| seed_for(key, &[i, 2]) | 1),
        }
    }

    /// How many numbers there are.
    #[allow(clippy::len_without_is_empty, reason = "never empty")]
    pub(crate) fn len(&self) -> u64 {
        self.n
    }

    /// Where `index` goes; `index` is below n.
    #[inline(always)]
    pub(crate) fn of(&self, index: u64) -> u64 {
        debug_assert!(index < self.n, "outside its domain a walk may never end");
        let mut x = self.step(index);
        while x >= self.n {
            x = self.step(x);
        }
        x
    }

    #[inline(always)]
    fn step(&self, x: u64) -> u64 {
        let mut low = x & self.low_mask;
        let mut high = x >> self.low_bits;
        high ^= self.mixed(low, 0) & self.high_mask;
        low ^= self.mixed(high, 1) & self.low_mask;
        high ^= self.mixed(low, 2) & self.high_mask;
        low ^= self.mixed(high, 3) & self.low_mask;
        high << self.low_bits | low
    }

    /// The upper middle of a product, where all bits of the half have been felt.
    #[inline(always)]
    fn mixed(&self, half: u64, round: usize) -> u64 {
        (half ^ self.keys[round]).wrapping_mul(self.factors[round]) >> 32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_number_is_hit_once(n in 1u64..3000, key: u64) {
            let p = Permutation::new(n, key);
            let mut seen = vec![false; n as usize];
            for i in 0..n {
                let x = p.of(i);
                prop_assert!(x < n);
                prop_assert!(!std::mem::replace(&mut seen[x as usize], true));
            }
        }

        #[test]
        fn numbers_stay_below_n_on_huge_domains(n in 1u64..1 << 60, index: u64, key: u64) {
            prop_assert!(Permutation::new(n, key).of(index % n) < n);
        }
    }

    /// Chi-square of counts against equal expectations, as standard deviations from its mean.
    fn unevenness(counts: &[u64]) -> f64 {
        let n = counts.iter().sum::<u64>() as f64;
        let expected = n / counts.len() as f64;
        let x: f64 = counts
            .iter()
            .map(|c| (*c as f64 - expected).powi(2) / expected)
            .sum();
        let freedom = (counts.len() - 1) as f64;
        (x - freedom) / (2.0 * freedom).sqrt()
    }

    #[test]
    fn any_stretch_of_a_pass_is_spread_like_random_draws() {
        for n in [1 << 24, (1 << 24) - 1, 16_000_001, 3 << 22, 1u64 << 36] {
            for key in 0..4 {
                let p = Permutation::new(n, key);
                for start in [0, n / 3, n - 70_000] {
                    let mut counts = [0u64; 256];
                    for i in start..start + 65_536 {
                        counts[((u128::from(p.of(i)) << 8) / u128::from(n)) as usize] += 1;
                    }
                    let z = unevenness(&counts);
                    assert!(z.abs() < 5.5, "n {n}, key {key}, from {start}: {z}");
                }
            }
        }
    }

    #[test]
    fn low_bits_of_positions_are_spread_too() {
        // Arrays deal slices by low bits of the block number.
        for key in 0..8 {
            let p = Permutation::new((1 << 24) - 1, key);
            let mut counts = [0u64; 64];
            for i in 0..65_536 {
                counts[p.of(i) as usize % 64] += 1;
            }
            let z = unevenness(&counts);
            assert!(z.abs() < 5.5, "key {key}: {z}");
        }
    }

    #[test]
    fn neighbours_in_order_are_not_neighbours_on_the_target() {
        for stride in [1, 2, 3, 4, 8, 16, 256] {
            let n = (1u64 << 24) - 5;
            let p = Permutation::new(n, 99);
            let mut counts = [0u64; 128];
            for k in 0..65_536 {
                let (a, b) = (p.of(k * stride % n), p.of((k + 1) * stride % n));
                let gap = (b + n - a) % n;
                counts[((u128::from(gap) << 7) / u128::from(n)) as usize] += 1;
            }
            let z = unevenness(&counts);
            assert!(z.abs() < 5.5, "stride {stride}: {z}");
        }
    }
}
