//! Places by chance: the same for the same target, so that a resumed fingerprint goes on with the same probes.

/// SplitMix64 (Steele, Lea and Flood, 2014).
#[derive(Debug)]
pub(crate) struct Chance(u64);

impl Chance {
    pub fn new(seed: u64) -> Self {
        Chance(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Less than `n`, which is at least 1.
    pub fn below(&mut self, n: u64) -> u64 {
        self.next() % n
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
