//! Where the level of a series changes: the best division into segments (PELT), guarded against correlated samples.
//!
//! Correlated noise wanders, and a method that takes it for independent finds changes in it. So the series is averaged
//! over batches that are long enough to be nearly independent. How long that is cannot be taken from the correlation of
//! the series, for a change of level looks like correlation too. It is taken from differences of neighbours and of next
//! but one neighbours, of which a few changes spoil only a few (Chakar, Lebarbier, Levy-Leduc, Robin 2017, "A robust
//! approach for estimating change-points in the mean of an AR(1) process"). The same differences give the noise.
//!
//! The batches are replaced by their ranks, so that a few wild values, or noise of any distribution, count no more than
//! others.

use crate::moments::mean;
use crate::ranks::ranks;

/// Fewest batches that show a change.
const MIN_BATCHES: usize = 40;
/// Most; more would only take longer.
const MAX_BATCHES: usize = 2000;
/// A segment has at least so many batches, so that one stall is none.
const MIN_SEGMENT: usize = 4;
/// Batches are long enough where their correlation is below this,
const MAX_CORRELATION: f64 = 0.2;
/// and surely below this.
const SURE_CORRELATION: f64 = 0.5;
/// A change must explain so many times `ln(batches)` of the noise's variance. By Schwarz's criterion (1978) two would do where
/// the noise is known; here it is estimated.
const PENALTY: f64 = 3.0;

/// Share of the differences that may be changes.
const LEFT_OUT: f64 = 0.10;
/// Mean square of the rest, of that of all: the difference of two ranks has a triangular distribution.
const LEFT_IN_VARIANCE: f64 = 0.693;

/// A part of a series with one level.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Segment {
    /// First sample of the segment.
    pub start: usize,
    /// The sample after its last.
    pub end: usize,
    /// The mean of its samples.
    pub mean: f64,
}

/// The level changes here.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Change {
    /// The first sample of the new level.
    pub at: usize,
    /// The change happened within this many samples of it: the length of a batch.
    pub give_or_take: usize,
    /// Mean of the segment before.
    pub before: f64,
    /// Mean of the segment after.
    pub after: f64,
}

/// A series divided into parts with one level each.
#[derive(Debug, Clone, PartialEq)]
pub struct Segments {
    /// In the order of time; at least one.
    pub parts: Vec<Segment>,
    /// Samples averaged into a batch.
    pub batch: usize,
}

impl Segments {
    /// The changes between the segments.
    pub fn changes(&self) -> impl Iterator<Item = Change> + '_ {
        self.parts.windows(2).map(|pair| Change {
            at: pair[1].start,
            give_or_take: self.batch,
            before: pair[0].mean,
            after: pair[1].mean,
        })
    }
}

/// Divides a series where its level changes. `None` where a value is not finite, or where it is too short for its
/// correlation.
///
/// The division is the one with the least sum of squared deviations plus a penalty for each change, found exactly by
/// pruning (Killick, Fearnhead, Eckley 2012, "Optimal detection of changepoints with a linear computational cost"). The
/// penalty is `3 ln(batches)` times the long-run variance of the batches' ranks.
pub fn segments(series: &[f64]) -> Option<Segments> {
    if series.iter().any(|v| !v.is_finite()) {
        return None;
    }
    let mut batch = series.len().div_ceil(MAX_BATCHES).max(1);
    while series.len() / batch >= MIN_BATCHES {
        let means: Vec<f64> = series.chunks_exact(batch).map(mean).collect();
        let ranks = ranks(&means);
        let noise = Noise::of(&ranks);
        if noise.is_small() {
            let penalty = PENALTY * (ranks.len() as f64).ln() * noise.long_run_variance();
            let starts = pelt(&ranks, penalty);
            return Some(Segments {
                parts: parts(series, &starts, batch),
                batch,
            });
        }
        batch += batch.div_ceil(4);
    }
    None
}

/// Noise around levels that are not known.
struct Noise {
    /// Half of the mean squared difference of neighbours.
    half_difference: f64,
    /// Lag-1 autocorrelation.
    correlation: f64,
    /// Half of its standard error.
    error: f64,
}

impl Noise {
    /// Of an autoregressive series the mean squared differences at lag 2 and 1 are as `1 + correlation` to 1. The largest
    /// differences are left out, for there the level may have changed.
    fn of(values: &[f64]) -> Self {
        let half = |lag: usize| {
            let pairs = values.iter().zip(&values[lag..]);
            let mut squares: Vec<f64> = pairs.map(|(a, b)| (a - b).powi(2)).collect();
            squares.sort_unstable_by(f64::total_cmp);
            squares.truncate((squares.len() as f64 * (1.0 - LEFT_OUT)).ceil() as usize);
            mean(&squares) / LEFT_IN_VARIANCE / 2.0
        };
        let (one, two) = (half(1), half(2));
        Noise {
            half_difference: one,
            correlation: if one > 0.0 { two / one - 1.0 } else { 0.0 },
            error: (values.len() as f64).sqrt().recip(),
        }
    }

    /// Whether the values are as good as independent.
    fn is_small(&self) -> bool {
        self.correlation < MAX_CORRELATION && self.correlation + 2.0 * self.error < SURE_CORRELATION
    }

    /// What sums of the values scatter by, for each value.
    fn long_run_variance(&self) -> f64 {
        let phi = (self.correlation + self.error).max(0.0);
        self.half_difference / (1.0 - phi) * (1.0 + phi) / (1.0 - phi)
    }
}

/// Where the last segment may begin.
struct Candidate {
    start: usize,
    /// Where it is worse than a whole further change. From there on a segment that begins here is better, once it is long
    /// enough to be one; until then the candidate stays.
    beaten_at: Option<usize>,
}

impl Candidate {
    fn new(start: usize) -> Self {
        Candidate {
            start,
            beaten_at: None,
        }
    }
}

/// First values of the segments.
fn pelt(values: &[f64], penalty: f64) -> Vec<usize> {
    let n = values.len();
    let mut sums = vec![(0.0, 0.0)];
    for v in values {
        let (sum, squares) = sums[sums.len() - 1];
        sums.push((sum + v, squares + v * v));
    }
    let cost = |from: usize, to: usize| {
        let (sum, squares) = (sums[to].0 - sums[from].0, sums[to].1 - sums[from].1);
        (squares - sum * sum / (to - from) as f64).max(0.0)
    };
    // The least cost of the first values, and where their last segment begins.
    let mut best = vec![(f64::INFINITY, 0); n + 1];
    best[0] = (-penalty, 0);
    let mut candidates = vec![Candidate::new(0)];
    for end in MIN_SEGMENT..=n {
        let total = |start: usize| best[start].0 + cost(start, end);
        let least = candidates
            .iter()
            .map(|c| (total(c.start) + penalty, c.start))
            .min_by(|a, b| a.0.total_cmp(&b.0))
            .unwrap_or((f64::INFINITY, 0));
        candidates.retain_mut(|c| {
            if c.beaten_at.is_none() && total(c.start) > least.0 {
                c.beaten_at = Some(end);
            }
            c.beaten_at.is_none_or(|beaten| end < beaten + MIN_SEGMENT)
        });
        best[end] = least;
        if end + 1 >= 2 * MIN_SEGMENT {
            candidates.push(Candidate::new(end + 1 - MIN_SEGMENT));
        }
    }
    let mut starts = Vec::new();
    let mut end = n;
    while end > 0 {
        end = best[end].1;
        starts.push(end);
    }
    starts.reverse();
    starts
}

/// From segments of batches to segments of samples.
fn parts(series: &[f64], starts: &[usize], batch: usize) -> Vec<Segment> {
    let n = series.len();
    let coarse: Vec<usize> = starts.iter().map(|s| s * batch).chain([n]).collect();
    let mut edges = coarse.clone();
    for i in 1..coarse.len() - 1 {
        edges[i] = sharpened(series, edges[i - 1], coarse[i], coarse[i + 1], batch);
    }
    edges
        .windows(2)
        .map(|edge| Segment {
            start: edge[0],
            end: edge[1],
            mean: mean(&series[edge[0]..edge[1]]),
        })
        .collect()
}

/// The sample, within a batch of `at`, where two levels part the samples from `from` to `to` best.
fn sharpened(series: &[f64], from: usize, at: usize, to: usize, batch: usize) -> usize {
    let whole: f64 = series[from..to].iter().sum();
    let first = (at - batch + 1).max(from + 1);
    let mut left: f64 = series[from..first].iter().sum();
    let mut best = (f64::NEG_INFINITY, at);
    let last = (at + batch).min(to);
    for (split, value) in (first..last).zip(&series[first..]) {
        let (a, b) = ((split - from) as f64, (to - split) as f64);
        let explained = (left / a - (whole - left) / b).powi(2) * a * b;
        if explained > best.0 {
            best = (explained, split);
        }
        left += value;
    }
    best.1
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The least cost by trying every division.
    fn best_cost(values: &[f64], penalty: f64) -> f64 {
        let mut best = vec![f64::INFINITY; values.len() + 1];
        best[0] = -penalty;
        for end in MIN_SEGMENT..=values.len() {
            for start in 0..=end - MIN_SEGMENT {
                best[end] = best[end].min(best[start] + deviations(&values[start..end]) + penalty);
            }
        }
        best[values.len()]
    }

    fn deviations(values: &[f64]) -> f64 {
        let mean = mean(values);
        values.iter().map(|v| (v - mean).powi(2)).sum()
    }

    proptest! {
        #[test]
        fn pruning_loses_no_better_division(
            values in prop::collection::vec(0..20i32, 8..60), penalty in 1.0..200.0f64,
        ) {
            let values: Vec<f64> = values.into_iter().map(f64::from).collect();
            let mut edges = pelt(&values, penalty);
            let changes = edges.len() - 1;
            edges.push(values.len());
            prop_assert!(edges.windows(2).all(|w| w[1] - w[0] >= MIN_SEGMENT));
            let cost: f64 = edges.windows(2).map(|w| deviations(&values[w[0]..w[1]])).sum();
            let found = cost + penalty * changes as f64;
            prop_assert!((found - best_cost(&values, penalty)).abs() < 1e-6 * (1.0 + found));
        }
    }
}
