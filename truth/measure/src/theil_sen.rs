//! Whether a series rises or falls: the median of all slopes, with the variance that correlated samples have.

use crate::confidence::NoConfidence;
use crate::correlation::{CorrelationTime, MIN_TIMES, WINDOW_TIMES};
use crate::ranks::ranks;
use statrs::distribution::{ContinuousCDF, StudentsT};

/// More values than this are averaged first: slopes are taken of all pairs.
const MAX_VALUES: usize = 200;

/// The trend of a series.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Trend {
    /// Rise of the value from one sample to the next.
    pub slope: f64,
    /// Lower end of the slope's interval.
    pub low: f64,
    /// Upper end of the slope's interval.
    pub high: f64,
    /// Chance of a Kendall statistic this far from 0 where there is no trend, two-sided.
    pub p: f64,
    /// Number of independent samples that the series is worth once the trend is taken out.
    pub effective: f64,
}

/// The slope of a series (Theil 1950, Sen 1968) with its interval of this level, and the test of Mann and Kendall.
///
/// Kendall's variance holds for independent values. It is multiplied by the correlation time of the ranks (as in Hamed and
/// Rao 1998) of what is left when the slope is taken out (Yue and Wang 2004, "The Mann-Kendall test modified by effective sample size to detect trend in serially
/// correlated hydrological series"; the slope has to go first, for a trend looks like correlation). That time is itself an
/// estimate, with the relative variance `2 (2 w + 1) / n` where autocorrelations were added up to the lag `w` (Madras and Sokal
/// 1988, "The pivot algorithm"), so that the quotient is Student's, of `n / (2 w + 1)` degrees of freedom (Satterthwaite 1946).
pub fn theil_sen(series: &[f64], level: f64) -> Result<Trend, NoConfidence> {
    if series.iter().any(|v| !v.is_finite()) {
        return Err(NoConfidence::NotNumbers);
    }
    if series.len() < MIN_TIMES as usize {
        let needed = Some(MIN_TIMES as usize);
        return Err(NoConfidence::TooShort { needed });
    }
    let step = series.len().div_ceil(MAX_VALUES);
    let values: Vec<f64> = series
        .chunks_exact(step)
        .map(|part| part.iter().sum::<f64>() / step as f64)
        .collect();
    let (slopes, sign) = slopes_of(&values);
    let slope = median(&slopes);
    let level_out: Vec<f64> = values
        .iter()
        .enumerate()
        .map(|(i, v)| v - slope * i as f64)
        .collect();
    let n = values.len();
    let time = CorrelationTime::of(&ranks(&level_out))
        .and_then(|time| time.long_enough(n))
        .ok_or(NoConfidence::TooShort { needed: None })?;
    // What is believed of a short series is more than what was seen, and so is not in doubt once more.
    let degrees = n as f64 / (2.0 * WINDOW_TIMES * time.samples + 1.0);
    let time = time.believed(n);
    let error = (kendall_variance(&values) * time).sqrt();
    let student = StudentsT::new(0.0, 1.0, degrees).map_err(|_| NoConfidence::NotNumbers)?;
    let reach = student.inverse_cdf(0.5 + level / 2.0) * error;
    let at = |rank: f64| slopes[(rank.max(0.0) as usize).min(slopes.len() - 1)];
    let pairs = slopes.len() as f64;
    Ok(Trend {
        slope: slope / step as f64,
        low: at(((pairs - reach) / 2.0).floor() - 1.0) / step as f64,
        high: at(((pairs + reach) / 2.0).ceil()) / step as f64,
        p: match error > 0.0 {
            // Less one for continuity, as the statistic moves in steps of two.
            true => (2.0 * student.sf((sign.abs() - 1.0).max(0.0) / error)).min(1.0),
            false => 1.0,
        },
        effective: n as f64 / time,
    })
}

/// The slopes of all pairs in rising order, and Kendall's S: rising pairs less falling ones.
fn slopes_of(values: &[f64]) -> (Vec<f64>, f64) {
    let n = values.len();
    let mut slopes = Vec::with_capacity(n * (n - 1) / 2);
    let mut sign = 0.0;
    for (i, a) in values.iter().enumerate() {
        for (j, b) in values.iter().enumerate().skip(i + 1) {
            slopes.push((b - a) / (j - i) as f64);
            sign += f64::from(b > a) - f64::from(b < a);
        }
    }
    slopes.sort_unstable_by(f64::total_cmp);
    (slopes, sign)
}

fn median(sorted: &[f64]) -> f64 {
    let half = sorted.len() / 2;
    match sorted.len() % 2 {
        0 => (sorted[half - 1] + sorted[half]) / 2.0,
        _ => sorted[half],
    }
}

/// The variance of S for independent values, with that of ties taken off (Kendall, "Rank correlation methods", 1975).
fn kendall_variance(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let of = |n: f64| n * (n - 1.0) * (2.0 * n + 5.0) / 18.0;
    let ties: f64 = sorted
        .chunk_by(|a, b| a == b)
        .map(|group| of(group.len() as f64))
        .sum();
    of(values.len() as f64) - ties
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kendalls_statistic_and_its_variance_are_counted_by_hand() {
        // Ten pairs, of which one falls and one is a tie.
        let values = [1.0, 2.0, 2.0, 5.0, 4.0];
        assert_eq!(slopes_of(&values).1, 7.0);
        // 5 * 4 * 15 / 18, less 2 * 1 * 9 / 18 for the tie.
        assert!((kendall_variance(&values) - (300.0 - 18.0) / 18.0).abs() < 1e-12);
    }
}
