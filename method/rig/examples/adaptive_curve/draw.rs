//! Random numbers that a seed repeats.

/// SplitMix64 (Steele, Lea and Flood 2014).
#[derive(Clone)]
pub struct Draw(pub u64);

impl Draw {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Above 0 and below 1.
    pub fn uniform(&mut self) -> f64 {
        ((self.next() >> 11) as f64 + 0.5) / (1u64 << 53) as f64
    }

    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.uniform()
    }

    /// A factor between these, any two equal factors alike.
    pub fn factor(&mut self, low: f64, high: f64) -> f64 {
        self.between(low.ln(), high.ln()).exp()
    }

    /// Mean 1.
    pub fn exponential(&mut self) -> f64 {
        -self.uniform().ln()
    }

    /// Gamma of this whole shape, with mean 1; 0 is always 1.
    pub fn gamma(&mut self, shape: u32) -> f64 {
        if shape == 0 {
            return 1.0;
        }
        let product: f64 = (0..shape).map(|_| self.uniform()).product();
        -product.ln() / f64::from(shape)
    }
}
