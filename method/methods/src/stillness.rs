//! Whether a series of samples held still while it was counted.

use plimsoll_measure::steady::{SteadyWindow, WINDOW_ROUNDS, snia_window};
use plimsoll_measure::{CorrelationTime, mser5};

/// Fewest samples (of 100 ms) on which anything is said.
const MIN_SAMPLES: usize = 100;
/// 95 % point of the studentised range of five normal values, and of the rise of a line through them: what noise
/// alone reaches one time in twenty, in standard deviations of a value.
const NOISE_RANGE: f64 = 3.86;
const NOISE_RISE: f64 = 2.48;

/// Behaviour of a series that is not steady.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Unsteady {
    /// Warm-up of so many samples, after which the series holds still.
    UntilSample(usize),
    /// No stillness at any time.
    Throughout(SteadyWindow),
}

/// Judges the ratios `numerators / denominators` by SNIA's window over five equal parts; where it fails, MSER-5 says
/// whether cutting the start would help. A window that fails by no more than the scatter of its samples explains is
/// let pass: few I/Os are noisy, not unsteady. `None`: steady, or too short to say.
pub fn unsteady(numerators: &[f64], denominators: &[f64]) -> Option<Unsteady> {
    if numerators.len() < MIN_SAMPLES {
        return None;
    }
    let whole = failing_window(numerators, denominators)?;
    let values: Vec<f64> = numerators
        .iter()
        .zip(denominators)
        .filter(|(_, d)| **d > 0.0)
        .map(|(n, d)| n / d)
        .collect();
    let cut = mser5(&values)
        // Only where no sample was empty do the cut's samples lie where the series' do.
        .filter(|cut| *cut > 0 && values.len() == numerators.len())
        .filter(|cut| failing_window(&numerators[*cut..], &denominators[*cut..]).is_none());
    Some(cut.map_or(Unsteady::Throughout(whole), Unsteady::UntilSample))
}

/// The window over five equal parts, where it is not steady and noise does not explain it.
fn failing_window(numerators: &[f64], denominators: &[f64]) -> Option<SteadyWindow> {
    let size = numerators.len() / WINDOW_ROUNDS;
    let parts: Vec<(&[f64], &[f64])> = numerators
        .chunks_exact(size)
        .zip(denominators.chunks_exact(size))
        .take(WINDOW_ROUNDS)
        .collect();
    let ratios: Vec<f64> = parts.iter().map(|(n, d)| sum(n) / sum(d)).collect();
    let window = snia_window(&ratios).filter(|w| !w.steady)?;
    let noise = noise_of_a_part(&parts, &ratios) / (sum(&ratios) / WINDOW_ROUNDS as f64);
    let real = window.range > NOISE_RANGE * noise || window.rise.abs() > NOISE_RISE * noise;
    real.then_some(window)
}

/// Standard error of one part's ratio, from the scatter of the samples within the parts. A queue that has grown takes time to go away: where
/// samples go with their neighbours, a part has fewer that are independent.
fn noise_of_a_part(parts: &[(&[f64], &[f64])], ratios: &[f64]) -> f64 {
    let size = parts[0].0.len() as f64;
    let off: Vec<f64> = parts
        .iter()
        .zip(ratios)
        .flat_map(|((n, d), ratio)| n.iter().zip(*d).map(move |(x, y)| x - ratio * y))
        .collect();
    let squares: f64 = off.iter().map(|x| x * x).sum();
    let alike = CorrelationTime::of(&off).map_or(1.0, |time| time.samples);
    let variance = alike * squares / (WINDOW_ROUNDS as f64 * (size - 1.0));
    let mean_denominator =
        parts.iter().map(|(_, d)| sum(d)).sum::<f64>() / (WINDOW_ROUNDS as f64 * size);
    (variance / size).sqrt() / mean_denominator
}

fn sum(values: &[f64]) -> f64 {
    values.iter().sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use plimsoll_draw::{STEP, mix64, unit};

    /// Noise in -1..1.
    fn noise(i: usize) -> f64 {
        2.0 * unit(mix64((i as u64).wrapping_mul(STEP))) - 1.0
    }

    fn judge(value: impl Fn(usize) -> f64) -> Option<Unsteady> {
        let x: Vec<f64> = (0..300).map(value).collect();
        unsteady(&x, &[1.0; 300])
    }

    #[test]
    fn a_level_series_is_steady_and_a_noisy_one_is_not_called_unsteady() {
        assert_eq!(judge(|i| 100.0 + 5.0 * noise(i)), None);
        // Mostly nothing, now and then a lot: the parts differ by more than 20 %, as chance has it.
        assert_eq!(judge(|i| if noise(i) > 0.9 { 100.0 } else { 1.0 }), None);
    }

    #[test]
    fn a_cliff_in_the_middle_is_unsteady_throughout_and_one_at_the_start_is_warm_up() {
        let halved = judge(|i| if i < 200 { 100.0 } else { 50.0 } + noise(i));
        assert!(
            matches!(halved, Some(Unsteady::Throughout(w)) if w.range > 0.2),
            "{halved:?}"
        );
        let burst = judge(|i| if i < 60 { 100.0 } else { 50.0 } + noise(i));
        assert!(
            matches!(burst, Some(Unsteady::UntilSample(60..=80))),
            "{burst:?}"
        );
    }

    #[test]
    fn a_queue_that_comes_and_goes_is_steady_and_one_that_grows_is_not() {
        // Nine tenths of each sample's offset are its neighbour's.
        let called = |grows: f64| {
            let is_called = |seed: &usize| {
                let mut off = 0.0;
                let sample = |i: usize| {
                    off = 0.9 * off + 20.0 * noise(seed * 1000 + i);
                    100.0 + grows * i as f64 / 600.0 + off
                };
                let x: Vec<f64> = (0..600).map(sample).collect();
                unsteady(&x, &[1.0; 600]).is_some()
            };
            (0..40).filter(is_called).count()
        };
        assert!(called(0.0) <= 6, "{}", called(0.0));
        assert_eq!(called(150.0), 40);
    }

    #[test]
    fn a_short_series_says_nothing() {
        assert_eq!(unsteady(&[1.0, 100.0].repeat(30), &[1.0; 60]), None);
    }
}
