//! Random numbers.

use plimsoll_draw::Draw;

/// xoshiro256++ (Blackman and Vigna, 2019): 256 bits of state, passes all known tests, under a nanosecond.
#[derive(Debug, Clone)]
pub(crate) struct Generator([u64; 4]);

impl Generator {
    /// A generator of a seed.
    pub(crate) fn new(seed: u64) -> Self {
        // SplitMix64's sequence, as the authors advise; never all zeros, since its finaliser is a permutation.
        let mut draw = Draw(seed);
        Generator(std::array::from_fn(|_| draw.bits()))
    }

    /// 64 random bits.
    #[inline(always)]
    pub(crate) fn bits(&mut self) -> u64 {
        let s = &mut self.0;
        let out = s[0].wrapping_add(s[3]).rotate_left(23).wrapping_add(s[0]);
        let t = s[1] << 17;
        s[2] ^= s[0];
        s[3] ^= s[1];
        s[1] ^= s[2];
        s[0] ^= s[3];
        s[2] ^= t;
        s[3] = s[3].rotate_left(45);
        out
    }

    /// A number below `n`, all alike to within n / 2^64 of their probability; 0 for 0.
    #[inline(always)]
    pub(crate) fn below(&mut self, n: u64) -> u64 {
        ((u128::from(self.bits()) * u128::from(n)) >> 64) as u64
    }

    /// A number in (0, 1], in steps of 2^-53.
    #[inline(always)]
    pub(crate) fn unit(&mut self) -> f64 {
        ((self.bits() >> 11) + 1) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// An exponential number of mean 1.
    #[inline(always)]
    pub(crate) fn exponential(&mut self) -> f64 {
        -self.unit().ln()
    }

    /// A standard normal number (Box and Muller, 1958).
    #[inline]
    pub(crate) fn normal(&mut self) -> f64 {
        (-2.0 * self.unit().ln()).sqrt() * (std::f64::consts::TAU * self.unit()).cos()
    }

    /// True with a chance in 2^-64ths; see [`chance`].
    #[inline(always)]
    pub(crate) fn happens(&mut self, chance: u64) -> bool {
        chance != 0 && (chance == u64::MAX || self.bits() < chance)
    }
}

/// Percent as a chance in 2^-64ths for [`Generator::happens`]; 0 and 100 are exact, and what is outside counts as them.
pub(crate) fn chance(percent: f64) -> u64 {
    (percent / 100.0 * 2f64.powi(64)) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gives_the_published_sequence() {
        // From the authors' reference code with the state 1, 2, 3, 4.
        let mut g = Generator([1, 2, 3, 4]);
        assert_eq!(
            [g.bits(), g.bits(), g.bits()],
            [41_943_041, 58_720_359, 3_588_806_011_781_223]
        );
    }

    #[test]
    fn certain_and_impossible_are_exact() {
        let mut g = Generator::new(1);
        assert!((0..10_000).all(|_| g.happens(chance(100.0)) && !g.happens(chance(0.0))));
        let hits = (0..100_000).filter(|_| g.happens(chance(25.0))).count();
        assert!((24_300..25_700).contains(&hits), "{hits}");
    }

    #[test]
    fn units_are_never_zero_and_average_a_half() {
        let mut g = Generator::new(2);
        let sum: f64 = (0..100_000)
            .map(|_| g.unit())
            .inspect(|u| assert!(*u > 0.0 && *u <= 1.0))
            .sum();
        assert!((sum / 100_000.0 - 0.5).abs() < 0.005);
    }
}
