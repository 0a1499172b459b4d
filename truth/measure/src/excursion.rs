//! For how long a series stays beyond one of its percentiles, from how long its values resemble each other.

use statrs::distribution::{ContinuousCDF, Normal};
use std::f64::consts::PI;

/// The sum ends where the correlation is less than this.
const GONE: f64 = 1e-4;
/// So many lags are looked at, at most; of longer series each stands for several.
const LAGS: f64 = 400.0;
/// Intervals of Simpson's rule.
const PARTS: usize = 16;

/// The integrated correlation time of "is beyond quantile `q`" (0..1), in samples, of a normal autoregressive series of the
/// first order, or of any that is a rising function of one, whose own time is `time`.
///
/// Two normal values of correlation `r` lie both beyond `z` more often than by chance by the integral of their joint density at
/// (z, z) over all correlations from 0 to `r` (Sheppard 1898; Slepian 1962); with `r = sin a` that is smooth.
pub(crate) fn excursion_time(time: f64, q: f64) -> f64 {
    let phi = (time - 1.0) / (time + 1.0);
    if phi <= 0.0 || !(q > 0.0 && q < 1.0) {
        return 1.0;
    }
    let z = Normal::standard().inverse_cdf(q);
    let last = GONE.ln() / phi.ln();
    let step = (last / LAGS).ceil().max(1.0);
    let lags = (last / step).ceil() as usize;
    // The middle of the lags that one stands for.
    let correlation = |n: usize| phi.powf(n as f64 * step + (step + 1.0) / 2.0);
    let sum: f64 = (0..lags).map(|n| joint(z, correlation(n).asin())).sum();
    1.0 + 2.0 * step * sum / (q * (1.0 - q))
}

/// The integral of `exp(-z^2 / (1 + sin a)) / 2 pi` from 0 to `to`.
fn joint(z: f64, to: f64) -> f64 {
    let density = |n: usize| (-z * z / (1.0 + (to * n as f64 / PARTS as f64).sin())).exp();
    let weighted = |n: usize| match n {
        0 | PARTS => density(n),
        n if n % 2 == 1 => 4.0 * density(n),
        n => 2.0 * density(n),
    };
    let sum: f64 = (0..=PARTS).map(weighted).sum();
    sum * to / (PARTS as f64 * 3.0) / (2.0 * PI)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn at_the_median_it_is_the_sum_of_arcsines() {
        // Both are below the median with the chance 1/4 + asin(r) / 2 pi (Sheppard 1898).
        for phi in [0.3f64, 0.8, 0.95] {
            let sum: f64 = (1..2000).map(|lag| phi.powi(lag).asin() * 2.0 / PI).sum();
            let time = excursion_time((1.0 + phi) / (1.0 - phi), 0.5);
            assert!(
                (time / (1.0 + 2.0 * sum) - 1.0).abs() < 0.002,
                "{phi} {time}"
            );
        }
    }

    #[test]
    fn independent_values_have_independent_excursions_and_rare_ones_are_short() {
        assert_eq!(excursion_time(1.0, 0.9), 1.0);
        let times = [0.5, 0.9, 0.99, 0.999].map(|q| excursion_time(19.0, q));
        assert!(times.is_sorted_by(|a, b| a > b), "{times:?}");
        assert!(times[0] < 19.0 && times[3] > 1.0, "{times:?}");
        let mirrored = excursion_time(19.0, 0.01);
        assert!((mirrored / times[2] - 1.0).abs() < 1e-9);
    }
}
