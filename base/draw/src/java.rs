//! Java's generator of random numbers (`java.util.Random`), for what Vdbench draws from a fixed seed.

const MULTIPLIER: u64 = 0x5_DEEC_E66D;
const MASK: u64 = (1 << 48) - 1;

/// Java's generator, as its documentation specifies it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JavaRandom(u64);

impl JavaRandom {
    /// `new Random(seed)`
    pub fn new(seed: u64) -> Self {
        JavaRandom((seed ^ MULTIPLIER) & MASK)
    }

    /// `nextInt(bound)`; 0 for a bound of 0 and below.
    pub fn below(&mut self, bound: i32) -> i32 {
        if bound <= 0 {
            return 0;
        }
        loop {
            let bits = self.bits31();
            if bound & -bound == bound {
                return ((i64::from(bound) * i64::from(bits)) >> 31) as i32;
            }
            let drawn = bits % bound;
            if bits.wrapping_sub(drawn).wrapping_add(bound - 1) >= 0 {
                return drawn;
            }
        }
    }

    /// `nextDouble()`
    pub fn unit(&mut self) -> f64 {
        let high = i64::from(self.bits31() >> 5) << 27;
        let low = i64::from(self.bits31() >> 4);
        (high + low) as f64 / (1u64 << 53) as f64
    }

    fn bits31(&mut self) -> i32 {
        self.0 = self.0.wrapping_mul(MULTIPLIER).wrapping_add(0xB) & MASK;
        (self.0 >> 17) as i32
    }
}

#[cfg(test)]
mod tests {
    use super::JavaRandom;

    #[test]
    fn gives_what_java_gives() {
        // jshell: new Random(0) and nextInt(100), nextInt(16), nextInt(1_500_000_000), three times each.
        let drawn = |bound| {
            let mut java = JavaRandom::new(0);
            [java.below(bound), java.below(bound), java.below(bound)]
        };
        assert_eq!(drawn(100), [60, 48, 29]);
        assert_eq!(drawn(16), [11, 13, 3]);
        assert_eq!(
            drawn(1_500_000_000),
            [516_548_029, 1_302_116_447, 1_368_843_515]
        );
        assert_eq!(JavaRandom::new(0).below(0), 0);
        // jshell: new Random(0) and nextDouble().
        assert_eq!(JavaRandom::new(0).unit(), 0.730967787376657);
    }
}
