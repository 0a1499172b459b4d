//! Confidence of a mean or a rate when neighbouring samples resemble each other: batch means whose length follows the
//! correlation time, with the skewness of the values taken into account.
//!
//! Means of batches that are several correlation times long are nearly independent, and their spread gives the error of
//! the whole mean (Schmeiser 1982, "Batch size effects in the analysis of simulation output"). Three things make it
//! honest where the series is short:
//!
//! - The length of a batch comes from the series' own correlation time, at its upper bound. Choosing the length until the
//!   batch means look independent, as is often done, takes too short ones whenever chance makes them look so.
//! - What a batch mean of that length still lacks of its variance is known for a correlation that dies away
//!   exponentially, and is added.
//! - Where a series is only just long enough, its variance is not believed to be less than that which follows from all
//!   of its values and three times the longest likely correlation time.
//!
//! Means of skewed values are skewed. Johnson's modification of t (1978), in the form that Willink gives it (2005, "A
//! confidence interval and test for the mean of an asymmetric distribution") and that Skart uses for batch means
//! (Tafazzoli, Wilson, Lada and Steiger 2011), moves the bounds accordingly, so they are not symmetric.

use crate::batch::student_t;
use crate::correlation::{CAUTION, CorrelationTime, MIN_TIMES};
use crate::moments;

/// Fewest batches, and most: more hardly narrow an interval.
const MIN_BATCHES: usize = 6;
const MAX_BATCHES: usize = 40;
/// A batch is at least so many correlation times long, by the time's upper bound.
const BATCH_TIMES: f64 = MIN_TIMES / MIN_BATCHES as f64;
/// Batch means are correlated where their lag-1 autocorrelation is above so many of its standard errors, which chance does
/// one time in a hundred.
const CORRELATED: f64 = 2.326;
/// Skewness below this moves nothing.
const NO_SKEW: f64 = 1e-6;

/// A mean, and the interval in which the true one lies with the level that was asked for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Confidence {
    /// The mean of all samples.
    pub mean: f64,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
    /// Number of batches that the interval rests on.
    pub batches: usize,
    /// Number of independent samples that the series is worth.
    pub effective: f64,
}

impl Confidence {
    /// The longer arm of the interval.
    pub fn half_width(&self) -> f64 {
        (self.high - self.mean).max(self.mean - self.low)
    }

    /// The longer arm, of the mean; without bound where the mean is 0 and the arm is not.
    pub fn relative_half_width(&self) -> f64 {
        match self.half_width() {
            0.0 => 0.0,
            arm => arm / self.mean.abs(),
        }
    }
}

/// Reason why there is no interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum NoConfidence {
    /// Values that are not finite, lengths that differ, or denominators that do not sum to more than 0.
    NotNumbers,
    /// The series is too short for its autocorrelation.
    TooShort {
        /// About how many samples it takes; `None` where not even that can be told.
        needed: Option<usize>,
    },
}

/// The mean of a series in the order of time, and its interval of this level (0.95 for 95 %).
pub fn mean_confidence(series: &[f64], level: f64) -> Result<Confidence, NoConfidence> {
    ratio_confidence(series, &vec![1.0; series.len()], level)
}

/// The ratio of two sums, `sum(numerators) / sum(denominators)`, and its interval: a mean response time is the sum of
/// the response times over the number of I/Os, a rate the number of I/Os over the time.
///
/// It is the mean of the residuals `x - R y` that is judged, over the mean denominator (Cochran, "Sampling
/// techniques", 1977, 6.3).
pub fn ratio_confidence(
    numerators: &[f64],
    denominators: &[f64],
    level: f64,
) -> Result<Confidence, NoConfidence> {
    let n = numerators.len();
    let below: f64 = denominators.iter().sum();
    let ratio = numerators.iter().sum::<f64>() / below;
    if n != denominators.len() || !ratio.is_finite() || !below.is_finite() || below <= 0.0 {
        return Err(NoConfidence::NotNumbers);
    }
    let residuals: Vec<f64> = numerators
        .iter()
        .zip(denominators)
        .map(|(x, y)| x - ratio * y)
        .collect();
    let squares = moments::sum_of_squares(&residuals);
    if moments::is_constant(numerators, squares) {
        return constant(ratio, n);
    }
    let time = CorrelationTime::of(&residuals).ok_or(NoConfidence::TooShort { needed: None })?;
    let needed = Some((MIN_TIMES * time.upper).ceil() as usize);
    let batched = batched(&residuals, &time).ok_or(NoConfidence::TooShort { needed })?;
    let least = CAUTION * time.upper * squares / (n as f64).powi(2);
    let doubt = time.doubt(n);
    let variance = batched.variance + doubt * (least - batched.variance).max(0.0);
    let error = variance.sqrt() * n as f64 / below;
    let effective = n as f64 / time.samples;
    let skew = moments::skewness_around_zero(&residuals) / (6.0 * effective.sqrt());
    let t = student_t(0.5 + level / 2.0, batched.batches - 1);
    Ok(Confidence {
        mean: ratio,
        low: ratio - bent(t, skew) * error,
        high: ratio - bent(-t, skew) * error,
        batches: batched.batches,
        effective,
    })
}

/// What does not vary at all is known exactly, once there are as many samples as an interval takes.
fn constant(ratio: f64, samples: usize) -> Result<Confidence, NoConfidence> {
    if samples < MIN_TIMES as usize {
        let needed = Some(MIN_TIMES as usize);
        return Err(NoConfidence::TooShort { needed });
    }
    Ok(Confidence {
        mean: ratio,
        low: ratio,
        high: ratio,
        batches: MAX_BATCHES.min(samples),
        effective: samples as f64,
    })
}

/// The variance of a mean by batches.
struct Batched {
    variance: f64,
    batches: usize,
}

/// Batches, as many as their length allows, fewer where neighbours are still correlated; `None` where too few are left.
fn batched(residuals: &[f64], time: &CorrelationTime) -> Option<Batched> {
    let n = residuals.len() as f64;
    let mut batches = ((n / (BATCH_TIMES * time.upper)) as usize).min(MAX_BATCHES);
    while batches >= MIN_BATCHES {
        if let Some(variance) = variance_of_mean(residuals, batches, time.samples) {
            return Some(Batched { variance, batches });
        }
        batches = batches * 3 / 4;
    }
    None
}

/// From the spread of the batches' sums; `None` where neighbours are correlated. A batch of `m` values whose correlation
/// dies away exponentially with the time `t` lacks `(t - 1/t) / 2m` of the variance that it would have by itself.
fn variance_of_mean(residuals: &[f64], batches: usize, time: f64) -> Option<f64> {
    let n = residuals.len();
    let edge = |i: usize| i * n / batches;
    // Each over the root of its length, for batches differ by a sample.
    let sums: Vec<f64> = (0..batches)
        .map(|i| {
            let part = &residuals[edge(i)..edge(i + 1)];
            part.iter().sum::<f64>() / (part.len() as f64).sqrt()
        })
        .collect();
    let squares = moments::sum_of_squares(&sums);
    let neighbours: f64 = sums.windows(2).map(|w| w[0] * w[1]).sum();
    if neighbours > squares * CORRELATED / (batches as f64).sqrt() {
        return None;
    }
    let (n, batches) = (n as f64, batches as f64);
    let lacking = (time - 1.0 / time) / (2.0 * n / batches);
    Some(squares / (batches - 1.0) / n / (1.0 - lacking))
}

/// Student's `t` where the mean has a skewness of six times `a`.
fn bent(t: f64, a: f64) -> f64 {
    if a.abs() < NO_SKEW {
        return t;
    }
    ((1.0 + 6.0 * a * (t - a)).cbrt() - 1.0) / (2.0 * a)
}
