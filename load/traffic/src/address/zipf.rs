//! Zipf's law.

use crate::generator::Generator;

/// Draws ranks 0, 1, … below n, rank k with a probability in proportion to (k + 1)^-exponent.
///
/// Rejection-inversion (Hörmann and Derflinger, "Rejection-inversion to generate variates from monotone discrete
/// distributions", 1996): exact, without tables or sums, for any n; fewer than 1.3 tries on average.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Zipf {
    n: f64,
    exponent: f64,
    /// The integral of the hat up to 1.5, less the first rank's probability.
    low: f64,
    /// The integral of the hat up to n + 0.5.
    high: f64,
    /// Candidates this close above their rank need no test.
    squeeze: f64,
}

impl Zipf {
    /// Ranks below `n` (at least 1), by an exponent above 0.
    pub(crate) fn new(n: u64, exponent: f64) -> Self {
        let mut zipf = Zipf {
            n: n as f64,
            exponent,
            low: 0.0,
            high: 0.0,
            squeeze: 0.0,
        };
        zipf.low = zipf.integral(1.5) - 1.0;
        zipf.high = zipf.integral(zipf.n + 0.5);
        zipf.squeeze = 2.0 - zipf.inverse(zipf.integral(2.5) - zipf.density(2.0));
        zipf
    }

    /// The next rank.
    #[inline]
    pub(crate) fn draw(&self, generator: &mut Generator) -> u64 {
        loop {
            let u = self.high + generator.unit() * (self.low - self.high);
            let x = self.inverse(u);
            let rank = x.round().clamp(1.0, self.n);
            if rank - x <= self.squeeze || u >= self.integral(rank + 0.5) - self.density(rank) {
                return rank as u64 - 1;
            }
        }
    }

    /// x^-exponent.
    #[inline]
    fn density(&self, x: f64) -> f64 {
        (-self.exponent * x.ln()).exp()
    }

    /// The integral of x^-exponent from 1: (x^(1-e) - 1) / (1 - e), or ln x for e = 1; stable near 1.
    #[inline]
    fn integral(&self, x: f64) -> f64 {
        let log = x.ln();
        expm1_over((1.0 - self.exponent) * log) * log
    }

    /// The inverse of [`Zipf::integral`].
    #[inline]
    fn inverse(&self, y: f64) -> f64 {
        // Rounding may fall just below the pole.
        let t = (y * (1.0 - self.exponent)).max(-1.0);
        (log1p_over(t) * y).exp()
    }
}

/// (e^x - 1) / x.
#[inline]
fn expm1_over(x: f64) -> f64 {
    if x.abs() > 1e-8 {
        x.exp_m1() / x
    } else {
        1.0 + x * 0.5 * (1.0 + x / 3.0)
    }
}

/// ln(1 + x) / x.
#[inline]
fn log1p_over(x: f64) -> f64 {
    if x.abs() > 1e-8 {
        x.ln_1p() / x
    } else {
        1.0 - x * (0.5 - x / 3.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use statrs::distribution::{ChiSquared, ContinuousCDF};

    const DRAWS: usize = 200_000;

    /// The sum of k^-s for k from 1 to n: directly to 2000, then by Euler and Maclaurin.
    fn harmonic(n: u64, s: f64) -> f64 {
        let direct = n.min(2_000);
        let sum: f64 = (1..=direct).rev().map(|k| (k as f64).powf(-s)).sum();
        if n == direct {
            return sum;
        }
        let (a, b) = (direct as f64, n as f64);
        let integral = if (s - 1.0).abs() < 1e-12 {
            (b / a).ln()
        } else {
            (b.powf(1.0 - s) - a.powf(1.0 - s)) / (1.0 - s)
        };
        let slope = |x: f64| -s * x.powf(-s - 1.0);
        sum + integral + (b.powf(-s) - a.powf(-s)) / 2.0 + (slope(b) - slope(a)) / 12.0
    }

    /// The chance that counts over groups of ranks (each up to its bound, exclusive) deviate as much or more.
    fn p_value(n: u64, s: f64, bounds: &[u64]) -> f64 {
        let zipf = Zipf::new(n, s);
        let mut g = Generator::new(n ^ s.to_bits());
        let mut counts = vec![0u64; bounds.len()];
        for _ in 0..DRAWS {
            let rank = zipf.draw(&mut g);
            assert!(rank < n);
            counts[bounds.partition_point(|b| *b <= rank)] += 1;
        }
        let total = harmonic(n, s);
        let mut below = 0.0;
        let mut x = 0.0;
        for (bound, count) in bounds.iter().zip(counts) {
            let cumulative = harmonic(*bound, s) / total;
            let expected = (cumulative - below) * DRAWS as f64;
            below = cumulative;
            x += (count as f64 - expected).powi(2) / expected;
        }
        1.0 - ChiSquared::new((bounds.len() - 1) as f64)
            .expect("degrees")
            .cdf(x)
    }

    #[test]
    fn small_numbers_of_ranks_have_the_exact_probabilities() {
        for s in [0.3, 0.8, 0.99, 1.0, 1.000_000_01, 1.2, 2.0] {
            let bounds: Vec<u64> = (1..=20).collect();
            let p = p_value(20, s, &bounds);
            assert!(p > 1e-4, "exponent {s}: p {p}");
        }
    }

    #[test]
    fn a_device_of_2_to_the_48_bytes_has_the_exact_probabilities() {
        // 2^36 blocks of 4 KiB. Groups that hold enough draws for a chi-square each.
        let n = 1u64 << 36;
        for s in [0.5, 0.9, 1.0, 1.1, 1.5] {
            let mut bounds = vec![1, 2, 3, 4, 6, 10];
            bounds.extend((4..36).map(|i| 1u64 << i));
            bounds.push(n);
            let total = harmonic(n, s);
            // Merge groups that expect fewer than 20 draws.
            let mut merged = Vec::new();
            let mut below = 0.0;
            for b in bounds {
                let c = harmonic(b, s) / total;
                let last = b == n;
                if (c - below) * DRAWS as f64 >= 20.0 || last {
                    merged.push(b);
                    below = c;
                }
            }
            let p = p_value(n, s, &merged);
            assert!(p > 1e-4, "exponent {s}: p {p} over {} groups", merged.len());
        }
    }

    #[test]
    fn one_rank_is_always_drawn() {
        let zipf = Zipf::new(1, 1.1);
        let mut g = Generator::new(1);
        assert!((0..100).all(|_| zipf.draw(&mut g) == 0));
    }
}
