//! Series whose truth is known.

use statrs::function::erf::erfc;

/// SplitMix64 (Steele, Lea, Flood 2014): enough for simulations, and the same everywhere.
pub struct Random(pub u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// One of many that have nothing to do with each other.
    pub fn seeded(seed: u64) -> Self {
        Random(Random(seed).next())
    }

    /// In (0, 1).
    pub fn uniform(&mut self) -> f64 {
        ((self.next() >> 11) as f64 + 0.5) / (1u64 << 53) as f64
    }

    /// Standard normal (Box and Muller).
    pub fn normal(&mut self) -> f64 {
        (-2.0 * self.uniform().ln()).sqrt() * (std::f64::consts::TAU * self.uniform()).cos()
    }
}

/// How the values of a series are distributed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Marginal {
    /// Around 10, with a standard deviation of 1.
    Normal,
    /// With the mean 1: skewness 2.
    Exponential,
    /// Of a standard normal value: skewness 6.2.
    Lognormal,
}

impl Marginal {
    pub const ALL: [Marginal; 3] = [Marginal::Normal, Marginal::Exponential, Marginal::Lognormal];

    /// What a standard normal value becomes.
    pub fn of(self, z: f64) -> f64 {
        match self {
            Marginal::Normal => 10.0 + z,
            // The probability above z, which is not lost in the tail as one minus that below would be.
            Marginal::Exponential => -(erfc(z / std::f64::consts::SQRT_2) / 2.0).ln(),
            Marginal::Lognormal => z.exp(),
        }
    }

    // Not every test needs it.
    #[allow(dead_code)]
    pub fn mean(self) -> f64 {
        match self {
            Marginal::Normal => 10.0,
            Marginal::Exponential => 1.0,
            Marginal::Lognormal => 0.5f64.exp(),
        }
    }
}

/// A standard normal autoregressive series of the first order that was always so: `z_t = phi z_{t-1} + sqrt(1 - phi^2) e_t`.
pub fn autoregressive(random: &mut Random, phi: f64, length: usize) -> Vec<f64> {
    let step = (1.0 - phi * phi).sqrt();
    let mut z = random.normal();
    (0..length)
        .map(|_| {
            z = phi * z + step * random.normal();
            z
        })
        .collect()
}

/// The same with values of this distribution.
pub fn distributed(seed: u64, phi: f64, length: usize, marginal: Marginal) -> Vec<f64> {
    let mut z = autoregressive(&mut Random::seeded(seed), phi, length);
    z.iter_mut().for_each(|z| *z = marginal.of(*z));
    z
}

/// For how many samples such a series resembles itself: the sum of all its autocorrelations.
pub fn correlation_time(phi: f64) -> f64 {
    (1.0 + phi) / (1.0 - phi)
}
