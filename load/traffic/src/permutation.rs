//! A random order of the numbers below n, without storing it.

use crate::seed::seed_for;

const ROUNDS: usize = 4;

/// A keyed permutation of the numbers below n.
///
/// A number is taken as row and column of a nearly square table that holds n; a row has a power of two of columns, and
/// there are as many rows as are needed. A Feistel network (Black and Rogaway, "Ciphers with arbitrary finite domains",
/// 2002) moves rows by columns, in modular addition, and columns by rows, in exclusive or; each round is one
/// multiplication. What falls outside n is moved again until it is inside, which is rare: the table has less than a
/// row more places than n. So the cost does not depend on how near n is to a power of two.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Permutation {
    n: u64,
    column_bits: u32,
    column_mask: u64,
    /// Rows; at most 2^32.
    rows: u64,
    keys: [u64; ROUNDS],
    factors: [u64; ROUNDS],
}

impl Permutation {
    /// The permutation of the numbers below `n` that belongs to a key; `n` is from 1 to 2^62.
    pub(crate) fn new(n: u64, key: u64) -> Self {
        let n = n.clamp(1, 1 << 62);
        let bits = (64 - (n - 1).leading_zeros()).max(2);
        let column_bits = bits / 2;
        Permutation {
            n,
            column_bits,
            column_mask: (1 << column_bits) - 1,
            rows: n.div_ceil(1 << column_bits),
            keys: [0, 1, 2, 3].map(|i| seed_for(key, &[i, 1])),
            factors: [0, 1, 2, 3].map(|i| seed_for(key, &[i, 2]) | 1),
        }
    }

    /// How many numbers there are.
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
        let mut row = x >> self.column_bits;
        let mut column = x & self.column_mask;
        row = self.moved(row, self.mixed(column, 0));
        column ^= self.mixed(row, 1) & self.column_mask;
        row = self.moved(row, self.mixed(column, 2));
        column ^= self.mixed(row, 3) & self.column_mask;
        row << self.column_bits | column
    }

    /// 32 bits of a half and a round's keys. Either half of the product is linear in its input, so neither alone would
    /// do.
    #[inline(always)]
    fn mixed(&self, half: u64, round: usize) -> u64 {
        let product = (half ^ self.keys[round]).wrapping_mul(self.factors[round]);
        (product >> 32) ^ (product & 0xffff_ffff)
    }

    /// A row, moved on by a part of all rows in 2^-32ths.
    #[inline(always)]
    fn moved(&self, row: u64, part: u64) -> u64 {
        let row = row + ((part * self.rows) >> 32);
        if row >= self.rows {
            row - self.rows
        } else {
            row
        }
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
        fn numbers_stay_below_n_on_huge_domains(n in 1u64..1 << 62, index: u64, key: u64) {
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
