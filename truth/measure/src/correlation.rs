//! For how long the values of a series resemble each other: the integrated autocorrelation time.
//!
//! `n` values with the correlation time `t` know their mean as well as `n / t` independent ones. The time is taken in two
//! ways, and the longer counts. The window of Sokal (1997, "Monte Carlo methods in statistical mechanics", 3.3) adds
//! up autocorrelations as far as they can be told from noise, with the bias taken out as in Wolff (2004, "Monte Carlo
//! errors with less errors", equation 49). It supposes nothing of the series, and is rough where the series is short.
//! There the lag-1 autocorrelation is more precise, with Kendall's correction of its bias (1954, "Note on bias in the
//! estimation of autocorrelation"). It is exact for an autoregressive series of the first order.

use crate::moments;

/// Autocorrelations are added up to this many correlation times: what is left after them is less than 1 %.
pub(crate) const WINDOW_TIMES: f64 = 2.5;
/// The window may be this share of the series at most. A longer one would be made of noise.
const MAX_WINDOW: f64 = 1.0 / 3.0;
/// Above this many values neighbours are averaged first. The time then is known to a few samples, which is enough for a
/// series so long.
const MAX_VALUES: usize = 4096;

/// So many standard errors are a doubt.
const DOUBT_ERRORS: f64 = 2.0;
/// A series of fewer times than this, by the upper bound, is too short to be judged.
pub(crate) const MIN_TIMES: f64 = 24.0;
/// From here on the time is known well enough.
const NO_DOUBT_TIMES: f64 = 44.0;

/// A series that is only just long enough may have so many times its likely correlation time.
pub(crate) const CAUTION: f64 = 3.0;

/// The correlation time of a series, in samples.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CorrelationTime {
    /// The best estimate; at least 1.
    pub samples: f64,
    /// Upper estimate: the same with the lag-1 autocorrelation two standard errors above what was seen. Never less than `samples`.
    pub upper: f64,
}

impl CorrelationTime {
    /// Correlation time of a series in the order of time. `None` where it is too short for its correlation: no estimate would mean
    /// anything. A constant series has the time 1.
    pub fn of(series: &[f64]) -> Option<Self> {
        let centred = centred(series);
        let squares = moments::sum_of_squares(&centred);
        if !squares.is_finite() {
            return None;
        }
        if moments::is_constant(series, squares) {
            return Some(CorrelationTime {
                samples: 1.0,
                upper: 1.0,
            });
        }
        let windowed = windowed(&centred)?;
        let n = series.len() as f64;
        let lag_1 = products(&centred, 1) / squares;
        let phi = lag_1 + (1.0 + 3.0 * lag_1) / n;
        let error = ((1.0 - lag_1 * lag_1) / n).sqrt();
        let samples = autoregressive(phi)?.max(windowed).max(1.0);
        let upper = autoregressive(phi + DOUBT_ERRORS * error)?.max(samples);
        Some(CorrelationTime { samples, upper })
    }

    /// How much of the doubt about the time itself counts in a series of so many samples, 0 to 1: all of it where the
    /// series is only just long enough to be judged, nothing where it is long.
    pub(crate) fn doubt(&self, samples: usize) -> f64 {
        let times = samples as f64 / self.upper;
        ((NO_DOUBT_TIMES - times) / (NO_DOUBT_TIMES - MIN_TIMES))
            .clamp(0.0, 1.0)
            .powi(2)
    }

    /// The time that is to be believed of a series of so many samples.
    pub(crate) fn believed(&self, samples: usize) -> f64 {
        self.believed_with(self.doubt(samples))
    }

    /// Correlation time believed with so much doubt, 0 to 1.
    pub(crate) fn believed_with(&self, doubt: f64) -> f64 {
        self.samples + doubt * (CAUTION * self.upper - self.samples)
    }

    /// `None` where a series of so many samples is too short for it.
    pub(crate) fn long_enough(self, samples: usize) -> Option<Self> {
        (samples as f64 >= MIN_TIMES * self.upper).then_some(self)
    }
}

/// The correlation time of an autoregressive series of the first order; `None` where it has none.
fn autoregressive(phi: f64) -> Option<f64> {
    (phi < 1.0).then(|| (1.0 + phi) / (1.0 - phi))
}

/// By the sum of autocorrelations in Sokal's window.
fn windowed(centred: &[f64]) -> Option<f64> {
    let halvings = (centred.len().div_ceil(MAX_VALUES) as f64).log2().ceil() as u32;
    let factor = 1usize << halvings;
    let values: Vec<f64> = centred
        .chunks_exact(factor)
        .map(|part| part.iter().sum::<f64>() / factor as f64)
        .collect();
    let n = values.len() as f64;
    let squares = products(&values, 0);
    let mut time = 1.0;
    let longest = (n * MAX_WINDOW) as usize;
    let window = (1..=longest).find(|lag| {
        time += 2.0 * products(&values, *lag) / squares;
        *lag as f64 >= WINDOW_TIMES * time
    })?;
    let unbiased = time * (1.0 + (2 * window + 1) as f64 / n);
    // Averages vary less than values do.
    let left = (squares / n) / (products(centred, 0) / centred.len() as f64);
    Some(unbiased.max(0.0) * factor as f64 * left)
}

fn centred(series: &[f64]) -> Vec<f64> {
    let mean = series.iter().sum::<f64>() / series.len() as f64;
    series.iter().map(|v| v - mean).collect()
}

fn products(centred: &[f64], lag: usize) -> f64 {
    centred
        .iter()
        .zip(&centred[lag..])
        .map(|(a, b)| a * b)
        .sum()
}
