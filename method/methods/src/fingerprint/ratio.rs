//! Probes side by side, in turns: how many times as fast one is as another.

use super::levels::Rounds;
use super::script::{Probe, Reading, Script, Stop};
use crate::average::mean;
use plimsoll_measure::student_t;

/// A ratio is none where it is nearer to 1 than this, however sure: 5 %.
const LEAST: f64 = 0.05;
/// A ratio is one where chance alone has it so less often than once in ten thousand.
const SURE: f64 = 0.999_95;

/// Ratio of two speeds, with its 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Ratio {
    pub ratio: f64,
    pub low: f64,
    pub high: f64,
    /// True where the ratio is not 1, by more than chance and enough to matter.
    pub clear: bool,
}

/// Measures the probes in turns; of each what `of` says, as a logarithm.
pub(crate) fn rounds(
    script: &mut Script<'_>,
    probes: &[Probe],
    count: usize,
    of: impl Fn(&Reading) -> f64,
) -> Result<Rounds, Stop> {
    let mut rounds = Rounds::default();
    for _ in 0..count {
        let mut row = Vec::new();
        for probe in probes {
            row.push(of(&script.measure(probe)?).max(1e-9).ln());
        }
        rounds.0.push(row);
    }
    Ok(rounds)
}

impl Rounds {
    /// Ratio of one column to another: a paired t-test of the rounds.
    pub fn ratio(&self, one: usize, other: usize) -> Ratio {
        self.ratio_among(one, other, 1)
    }

    /// The same of two columns that were picked among so many pairs (Bonferroni's correction: each pair is as sure as all
    /// of them together have to be).
    pub fn ratio_among(&self, one: usize, other: usize, pairs: usize) -> Ratio {
        let each_error = |all: f64| 1.0 - (1.0 - all) / pairs.max(1) as f64;
        let each: Vec<f64> = self.0.iter().map(|row| row[one] - row[other]).collect();
        let middle = mean(&each);
        let degrees = each.len().saturating_sub(1).max(1);
        let scatter = each.iter().map(|d| (d - middle).powi(2)).sum::<f64>() / degrees as f64;
        let error = (scatter / each.len() as f64).sqrt();
        let half = student_t(each_error(0.975), degrees) * error;
        let beyond = student_t(each_error(SURE), degrees) * error;
        Ratio {
            ratio: middle.exp(),
            low: (middle - half).exp(),
            high: (middle + half).exp(),
            clear: middle.abs() > beyond.max(LEAST),
        }
    }
}
