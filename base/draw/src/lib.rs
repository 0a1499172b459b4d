//! Random numbers that a seed repeats: SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014).

mod java;

pub use java::JavaRandom;

/// Increment of SplitMix64's state.
pub const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// Finaliser of SplitMix64, with its increment added first: a permutation of the 64-bit words in which each input bit moves about half
/// of the output bits.
#[inline]
pub const fn mix64(x: u64) -> u64 {
    let mut z = x.wrapping_add(STEP);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Uniform number from 0 on, below 1, of a word's upper 53 bits.
pub fn unit(word: u64) -> f64 {
    (word >> 11) as f64 / (1u64 << 53) as f64
}

/// Sequence of numbers out of a seed.
#[derive(Debug, Clone)]
pub struct Draw(pub u64);

impl Draw {
    /// Next 64 bits.
    pub fn bits(&mut self) -> u64 {
        let word = mix64(self.0);
        self.0 = self.0.wrapping_add(STEP);
        word
    }

    /// Whole number below `n`, which is not 0.
    pub fn below(&mut self, n: usize) -> usize {
        (self.bits() % n as u64) as usize
    }

    /// Element of a list, each as likely.
    pub fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }

    /// Uniform number, 0 or above and below 1.
    pub fn unit(&mut self) -> f64 {
        unit(self.bits())
    }

    /// Uniform number above 0 and below 1.
    pub fn inside(&mut self) -> f64 {
        ((self.bits() >> 11) as f64 + 0.5) / (1u64 << 53) as f64
    }

    /// Normal number, mean 0 and standard deviation 1 (Box and Muller).
    pub fn normal(&mut self) -> f64 {
        let (u, v) = (self.inside(), self.inside());
        (-2.0 * u.ln()).sqrt() * (std::f64::consts::TAU * v).cos()
    }

    /// Exponential number, mean 1.
    pub fn exponential(&mut self) -> f64 {
        -(1.0 - self.unit()).ln()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_published_sequence_for_seed_zero() {
        let mut draw = Draw(0);
        let seen = [draw.bits(), draw.bits()];
        assert_eq!(seen, [0xe220_a839_7b1d_cdaf, 0x6e78_9e6a_a1b9_65f4]);
        assert_eq!(mix64(STEP), seen[1]);
    }

    #[test]
    fn numbers_lie_where_they_are_said_to() {
        let mut draw = Draw(1);
        for _ in 0..1000 {
            assert!((0.0..1.0).contains(&draw.unit()));
            let inside = draw.inside();
            assert!(inside > 0.0 && inside < 1.0);
            assert!(draw.below(3) < 3 && [5, 7].contains(&draw.of(&[5, 7])));
        }
    }
}
