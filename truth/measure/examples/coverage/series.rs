//! Series whose truth is known.

use plimsoll_draw::Draw;
use statrs::function::erf::erfc;

/// A sequence of many that have nothing to do with each other.
pub fn seeded(seed: u64) -> Draw {
    Draw(Draw(seed).bits())
}

/// Distribution of the values of a series.
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

    /// Value of this distribution that a standard normal value becomes.
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
pub fn autoregressive(random: &mut Draw, phi: f64, length: usize) -> Vec<f64> {
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
    let mut z = autoregressive(&mut seeded(seed), phi, length);
    z.iter_mut().for_each(|z| *z = marginal.of(*z));
    z
}

/// For how many samples such a series resembles itself: the sum of all its autocorrelations.
pub fn correlation_time(phi: f64) -> f64 {
    (1.0 + phi) / (1.0 - phi)
}
