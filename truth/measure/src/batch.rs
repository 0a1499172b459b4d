//! Confidence of a mean when neighbouring samples resemble each other: non-overlapping batch means.
//!
//! Neighbouring samples of a storage run are correlated, so that the textbook standard error is far too small. Means
//! of long enough batches are nearly independent; their spread gives an honest one (Schmeiser 1982, "Batch size
//! effects in the analysis of simulation output"; Law and Kelton, "Simulation modeling and analysis", chapter 9).

use statrs::distribution::{ContinuousCDF, StudentsT};
use std::cell::RefCell;
use std::collections::HashMap;

/// Fewest batches that an interval may rest on.
pub const MIN_BATCHES: usize = 20;
/// Most batches; more would only be more correlated (Schmeiser 1982: beyond 30 hardly anything is won).
pub const MAX_BATCHES: usize = 40;
/// Batches are long enough when the correlation of neighbouring batch means is below this.
const MAX_CORRELATION: f64 = 0.2;

/// A mean with the half-width of its 95 % confidence interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MeanInterval {
    /// The mean of all samples.
    pub mean: f64,
    /// Half of the 95 % interval; `None`: not available, the series is too short for its autocorrelation.
    pub half_width: Option<f64>,
    /// Number of batches that the interval rests on; 0 where there is no interval.
    pub batches: u32,
}

/// The mean of a series, and its interval. `None` for an empty series or one with a value that is not finite.
pub fn mean_interval(series: &[f64]) -> Option<MeanInterval> {
    ratio_interval(series, &vec![1.0; series.len()])
}

/// The ratio of two sums, `sum(numerators) / sum(denominators)`, and its interval: a mean response time is the sum of
/// the response times over the number of I/Os, a rate the number of I/Os over the time. `None` where the lengths
/// differ, a value is not finite, or the denominators do not sum to more than 0.
///
/// The variance is the classical one of a ratio estimator (Cochran, "Sampling techniques", 1977, 6.3): that of the
/// residuals `x - R y`, over the square of the mean denominator; here the residuals' batch means, for they are
/// correlated.
pub fn ratio_interval(numerators: &[f64], denominators: &[f64]) -> Option<MeanInterval> {
    let n = numerators.len();
    let below: f64 = denominators.iter().sum();
    let above: f64 = numerators.iter().sum();
    if n != denominators.len() || !above.is_finite() || !below.is_finite() || below <= 0.0 {
        return None;
    }
    let ratio = above / below;
    let residuals: Vec<f64> = numerators
        .iter()
        .zip(denominators)
        .map(|(x, y)| x - ratio * y)
        .collect();
    let error = standard_error(&residuals);
    let mean_denominator = below / n as f64;
    Some(MeanInterval {
        mean: ratio,
        half_width: error.map(|e| student_t_95(e.batches - 1) * e.error / mean_denominator),
        batches: error.map_or(0, |e| e.batches as u32),
    })
}

/// The factor of a two-sided 95 % interval with this many degrees of freedom (at least 1).
pub fn student_t_95(degrees: usize) -> f64 {
    student_t(0.975, degrees)
}

/// Quantile of Student's t distribution: the value that t with this many degrees of freedom (at least 1) stays below with this probability.
pub fn student_t(probability: f64, degrees: usize) -> f64 {
    let degrees = degrees.max(1);
    let key = (probability.to_bits(), degrees);
    if let Some(known) = QUANTILES.with_borrow(|known| known.get(&key).copied()) {
        return known;
    }
    let quantile = StudentsT::new(0.0, 1.0, degrees as f64)
        .map_or(f64::INFINITY, |t| t.inverse_cdf(probability));
    QUANTILES.with_borrow_mut(|known| {
        if known.len() >= MOST_QUANTILES {
            known.clear();
        }
        known.insert(key, quantile);
    });
    quantile
}

/// So many quantiles are remembered in a thread.
const MOST_QUANTILES: usize = 1024;

thread_local! {
    /// Quantiles by the bits of their probability and their degrees of freedom. They are found by a search that takes longer than all
    /// else that is done with a series of some hundred samples, and methods ask for the same few a hundred thousand times.
    static QUANTILES: RefCell<HashMap<(u64, usize), f64>> = RefCell::default();
}

/// Standard error of a mean, and the batches it was taken from.
#[derive(Debug, Clone, Copy)]
struct BatchError {
    error: f64,
    batches: usize,
}

/// Raises the batch size from the smallest that gives at most [`MAX_BATCHES`] until neighbouring batch means are
/// nearly uncorrelated, and gives up (`None`) below [`MIN_BATCHES`].
///
/// What correlation is left widens the error by `(1 + r) / (1 - r)` of the variance, as Skart does (Tafazzoli,
/// Wilson, Lada, Steiger 2011).
fn standard_error(series: &[f64]) -> Option<BatchError> {
    let mut size = series.len().div_ceil(MAX_BATCHES).max(1);
    while series.len() / size >= MIN_BATCHES {
        let means = batch_means(series, size);
        let (variance, correlation) = variance_and_correlation(&means);
        if correlation < MAX_CORRELATION {
            let left = correlation.max(0.0);
            let widened = variance * (1.0 + left) / (1.0 - left);
            return Some(BatchError {
                error: (widened / means.len() as f64).sqrt(),
                batches: means.len(),
            });
        }
        size += 1;
    }
    None
}

/// Means of consecutive batches; what does not fill one is left out at the start, where a series is least settled.
fn batch_means(series: &[f64], size: usize) -> Vec<f64> {
    series[series.len() % size..]
        .chunks_exact(size)
        .map(|batch| batch.iter().sum::<f64>() / size as f64)
        .collect()
}

/// Sample variance (divisor n-1) and lag-1 autocorrelation; a constant series has the correlation 0.
fn variance_and_correlation(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|v| (v - mean).powi(2)).sum();
    let products: f64 = values
        .windows(2)
        .map(|w| (w[0] - mean) * (w[1] - mean))
        .sum();
    // Rounding leaves a residue of this order in a series that is constant.
    let scale = values.iter().fold(0.0f64, |m, v| m.max(v.abs()));
    if squares <= n * (scale * 1e-12).powi(2) {
        return (0.0, 0.0);
    }
    (squares / (n - 1.0), products / squares)
}
