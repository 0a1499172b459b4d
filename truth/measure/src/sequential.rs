//! Stopping a measurement when its mean is known well enough, without being fooled by having looked often.
//!
//! Who looks at a 95 % interval again and again, and stops at the first that is narrow enough, has fewer than 95 % of them
//! right: the first narrow one is narrow by luck. Here looks are planned: each takes the series so far, half as long again
//! as the one before, and all of their intervals together hold the true mean with the level that was asked for. So does
//! the one at which it stops, whatever made it stop there. The price is more samples, about two to three times those of
//! an interval that is looked at once.
//!
//! The error that is allowed is spent equally on all looks, as Pocock does (1977, "Group sequential methods in the design
//! and analysis of clinical trials"): each has the same level, so high that the mean of a growing sample strays past the
//! bound at any of the looks only as often as allowed. That chance is found by the recursive integration of Armitage,
//! McPherson and Rowe (1969, "Repeated significance tests on accumulating data"), for normal means, and the level then
//! applied to Student's t.

use crate::confidence::{Confidence, NoConfidence, mean_confidence};
use statrs::distribution::{Continuous, ContinuousCDF, Normal};

/// Each look has so many times the samples of the one before.
const GROWTH: f64 = 1.5;
/// Most looks by growth: 1.5^20 times the first, which is more than any measurement has.
const MAX_LOOKS: usize = 20;
/// Steps of the integration from 0 to the bound.
const GRID: usize = 60;
/// The bound is found to a thousand-millionth.
const HALVINGS: usize = 34;
const LARGEST_BOUND: f64 = 10.0;

/// Plan of the looks at a series, and rule for when to stop.
#[derive(Debug, Clone, PartialEq)]
pub struct Stopping {
    looks: Vec<usize>,
    level: f64,
    relative: f64,
}

/// Decision of a look: to go on or to stop.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Decision {
    /// Go on until there are so many samples.
    Until(usize),
    /// Stop: the interval is as narrow as was asked for.
    Narrow(Confidence),
    /// Stop: this was the last look. The interval, where there is one, is right as often as was asked for, but wider.
    Last(Result<Confidence, NoConfidence>),
}

impl Stopping {
    /// Stops when the longer arm of the interval is at most `relative` of the mean (0.02 for 2 %). The interval is right with
    /// the level `confidence` (0.95 for 95 %). The first look is at `first` samples, the last at `most`.
    pub fn new(relative: f64, confidence: f64, first: usize, most: usize) -> Self {
        let most = most.max(1);
        let mut look = first.clamp(1, most);
        let mut looks = vec![look];
        while look < most {
            let grown = (look as f64 * GROWTH).ceil() as usize;
            look = if looks.len() < MAX_LOOKS {
                grown.min(most)
            } else {
                most
            };
            looks.push(look);
        }
        Stopping {
            level: level_of_each(&looks, confidence),
            looks,
            relative,
        }
    }

    /// Number of samples at each look.
    pub fn looks(&self) -> &[usize] {
        &self.looks
    }

    /// Judges the series so far. Only planned looks are taken, from the first on, all that it is long enough for: it makes no
    /// difference how often, or at which other lengths, this is asked.
    pub fn decide(&self, series: &[f64]) -> Decision {
        let mut last = Err(NoConfidence::TooShort { needed: None });
        for look in &self.looks {
            if series.len() < *look {
                return Decision::Until(*look);
            }
            last = mean_confidence(&series[..*look], self.level);
            match last {
                Ok(c) if c.relative_half_width() <= self.relative => return Decision::Narrow(c),
                _ => {}
            }
        }
        Decision::Last(last)
    }
}

/// The level of each look with which all of them hold at once.
fn level_of_each(looks: &[usize], confidence: f64) -> f64 {
    let (mut low, mut high) = (0.0, LARGEST_BOUND);
    for _ in 0..HALVINGS {
        let bound = (low + high) / 2.0;
        match stays_within(looks, bound) < confidence {
            true => low = bound,
            false => high = bound,
        }
    }
    2.0 * Normal::standard().cdf(high) - 1.0
}

/// The chance that the sum of so many independent standard normal values, over the root of their number, stays within
/// the bound at all looks.
fn stays_within(looks: &[usize], bound: f64) -> f64 {
    let normal = Normal::standard();
    let width = bound / GRID as f64;
    let at: Vec<f64> = (0..=2 * GRID).map(|i| i as f64 * width - bound).collect();
    // Simpson's weights.
    let weight = |i: usize| match i {
        0 => width / 3.0,
        i if i == 2 * GRID => width / 3.0,
        i if i % 2 == 1 => 4.0 * width / 3.0,
        _ => 2.0 * width / 3.0,
    };
    let sum = |of: &dyn Fn(usize) -> f64| (0..=2 * GRID).map(|i| weight(i) * of(i)).sum::<f64>();
    let mut density: Vec<f64> = at.iter().map(|z| normal.pdf(*z)).collect();
    for pair in looks.windows(2) {
        let share = pair[0] as f64 / pair[1] as f64;
        let (old, new) = (share.sqrt(), (1.0 - share).sqrt());
        density = at
            .iter()
            .map(|z| sum(&|i| density[i] * normal.pdf((z - old * at[i]) / new)) / new)
            .collect();
    }
    sum(&|i| density[i])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equally_many_samples_a_look_give_pococks_own_bounds() {
        // Pocock 1977, table 1, two-sided 5 %.
        for (looks, bound) in [
            (1, 1.960),
            (2, 2.178),
            (3, 2.289),
            (4, 2.361),
            (5, 2.413),
            (10, 2.555),
        ] {
            let looks: Vec<usize> = (1..=looks).map(|i| i * 100).collect();
            let stays = stays_within(&looks, bound);
            assert!(
                (stays - 0.95).abs() < 3e-4,
                "{} looks: {stays}",
                looks.len()
            );
        }
    }
}
