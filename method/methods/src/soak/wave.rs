//! An oscillation: the level comes and goes with a period, as garbage collection in turns makes it.

/// The autocorrelation is looked at over so many values at most.
const VALUES_MAX: usize = 1024;
/// Periods in the series at least.
const PERIODS: usize = 4;
/// The shortest period, in values.
const PERIOD_MIN: usize = 4;
/// The autocorrelation at the period, at least.
const STRENGTH: f64 = 0.3;
/// By so much it is above that of half the period.
const CONTRAST: f64 = 0.4;
/// At twice the period it is at least this share of it: what comes once is no oscillation.
const AGAIN: f64 = 0.5;
/// An autocorrelation this near to 0 is on neither side of it.
const NEAR_ZERO: f64 = 0.1;
/// So many standard errors of an autocorrelation are not chance.
const ERRORS: f64 = 4.0;
/// A smaller amplitude is not worth a word.
const AMPLITUDE: f64 = 0.02;
/// The mean period is cut into so many parts.
const PHASES: usize = 12;

/// An oscillation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Wave {
    /// Period of the wave, in values.
    pub period: f64,
    /// Swing of the wave from its middle, as a share of the mean.
    pub amplitude: f64,
}

/// The oscillation of a series, if it has one.
pub fn wave(values: &[f64]) -> Option<Wave> {
    let factor = values.len().div_ceil(VALUES_MAX).max(1);
    let means: Vec<f64> = values
        .chunks_exact(factor)
        .map(|part| part.iter().sum::<f64>() / factor as f64)
        .collect();
    let level = means.iter().sum::<f64>() / means.len().max(1) as f64;
    let centred: Vec<f64> = means.iter().map(|v| v - level).collect();
    let longest = centred.len() / PERIODS;
    if level <= 0.0 || longest <= PERIOD_MIN {
        return None;
    }
    let alike = autocorrelations(&centred, 2 * longest)?;
    let period = period(&alike, longest)?;
    let strength = alike[period];
    let error = 1.0 / (centred.len() as f64).sqrt();
    if strength < STRENGTH.max(ERRORS * error) || alike[2 * period] < AGAIN * strength {
        return None;
    }
    let amplitude = amplitude(&centred, period) / level;
    (amplitude >= AMPLITUDE).then_some(Wave {
        period: (period * factor) as f64,
        amplitude,
    })
}

/// The lag of the first hill behind the first valley.
fn period(alike: &[f64], longest: usize) -> Option<usize> {
    // Noise crosses zero several times where the autocorrelation does once.
    let valley = alike.iter().position(|r| *r < -NEAR_ZERO)?;
    let hill = (valley..=longest).find(|lag| alike[*lag] > NEAR_ZERO)?;
    let until = (hill..=longest).find(|lag| alike[*lag] < -NEAR_ZERO);
    let top =
        (hill..until.unwrap_or(longest + 1)).max_by(|a, b| alike[*a].total_cmp(&alike[*b]))?;
    let lowest = alike[..top].iter().copied().fold(f64::INFINITY, f64::min);
    (top >= PERIOD_MIN && alike[top] - lowest >= CONTRAST).then_some(top)
}

/// By lag, from 0; `None` of a constant series.
fn autocorrelations(centred: &[f64], longest: usize) -> Option<Vec<f64>> {
    let squares: f64 = centred.iter().map(|v| v * v).sum();
    let of = |lag: usize| {
        let pairs = centred.iter().zip(&centred[lag..]);
        let together: f64 = pairs.map(|(a, b)| a * b).sum();
        // As many pairs as there are, so that a long lag is not made small.
        together / squares * centred.len() as f64 / (centred.len() - lag) as f64
    };
    (squares > 0.0).then(|| (0..=longest).map(of).collect())
}

/// Half of the way from the lowest to the highest part of the mean period.
fn amplitude(centred: &[f64], period: usize) -> f64 {
    let phases = PHASES.min(period);
    let mut sums = vec![(0.0, 0.0); phases];
    for (i, v) in centred.iter().enumerate() {
        let sum = &mut sums[(i % period) * phases / period];
        *sum = (sum.0 + v, sum.1 + 1.0);
    }
    let means = || sums.iter().filter(|s| s.1 > 0.0).map(|s| s.0 / s.1);
    let (high, low) = (
        means().fold(f64::NEG_INFINITY, f64::max),
        means().fold(f64::INFINITY, f64::min),
    );
    (high - low) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn course(of: impl Fn(f64) -> f64) -> Vec<f64> {
        (0..750)
            .map(|i| 1000.0 * (1.0 + of(f64::from(i))))
            .collect()
    }

    #[test]
    fn period_and_amplitude_come_back_of_a_sine_and_of_a_saw() {
        let sine = wave(&course(|i| 0.2 * (i / 50.0 * std::f64::consts::TAU).sin())).unwrap();
        assert!((sine.period - 50.0).abs() <= 1.0, "{sine:?}");
        assert!((sine.amplitude - 0.2).abs() < 0.02, "{sine:?}");
        let saw = wave(&course(|i| 0.1 * (i % 40.0) / 20.0)).unwrap();
        assert!((saw.period - 40.0).abs() <= 1.0, "{saw:?}");
        assert!((saw.amplitude - 0.1).abs() < 0.02, "{saw:?}");
    }

    #[test]
    fn what_does_not_come_back_is_none() {
        assert_eq!(wave(&course(|_| 0.0)), None);
        assert_eq!(wave(&course(|i| i / 7500.0)), None);
        assert_eq!(wave(&course(|i| if i < 300.0 { 0.3 } else { 0.0 })), None);
        assert_eq!(wave(&[]), None);
    }
}
