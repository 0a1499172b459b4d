//! Two levels of rates: of places that share an owner, and of places that don't. All rates are logarithms.

use crate::average::mean;
use plimsoll_measure::student_t;

/// Standard deviation below which no claim is made, whatever a few repeats say: 0.4 %.
const SD_LEAST: f64 = 0.004;
/// Levels nearer than this are one: 3 %.
const GAP_LEAST: f64 = 0.03;
/// The levels' distance, in its own standard errors, from which they are two. The probability of so much by chance in the
/// best of all ways to part a dozen equal means is below one in a million.
const T_LEAST: f64 = 6.0;

/// Two levels, and how much one probe's rate scatters about its own.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Levels {
    /// Of places with one owner: the lower.
    pub same: f64,
    /// Of places with different owners.
    pub apart: f64,
    /// Standard deviation of one probe.
    pub sd: f64,
}

/// Answer of one probe, repeated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Same,
    Apart,
}

/// Rounds of the same probes: a row for each round, a column for each probe.
#[derive(Debug, Clone, Default)]
pub(crate) struct Rounds(pub Vec<Vec<f64>>);

/// Division of a row of means into two levels.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Parted {
    pub levels: Levels,
    /// For each column, whether it is on the lower level.
    pub low: Vec<bool>,
}

impl Rounds {
    /// The last `count` rounds.
    pub fn last(&self, count: usize) -> Rounds {
        Rounds(self.0[self.0.len().saturating_sub(count)..].to_vec())
    }

    fn columns(&self) -> usize {
        self.0.first().map_or(0, Vec::len)
    }

    /// The mean of each column.
    pub fn means(&self) -> Vec<f64> {
        let rounds = self.0.len().max(1) as f64;
        (0..self.columns())
            .map(|c| self.0.iter().map(|row| row[c]).sum::<f64>() / rounds)
            .collect()
    }

    /// The 95 % interval of each column's mean, as values and not their logarithms (Student's t); `None` below two rounds.
    pub fn intervals(&self) -> Vec<Option<(f64, f64)>> {
        let rounds = self.0.len();
        let of = |(column, middle): (usize, f64)| {
            let squares: f64 = self.0.iter().map(|r| (r[column] - middle).powi(2)).sum();
            (rounds > 1).then(|| {
                let error = (squares / (rounds - 1) as f64 / rounds as f64).sqrt();
                let half = student_t(0.975, rounds - 1) * error;
                ((middle - half).exp(), (middle + half).exp())
            })
        };
        self.means().into_iter().enumerate().map(of).collect()
    }

    /// Standard deviation of one value about its column's mean, after what moved a whole round up or down was taken out
    /// (two-way layout without interaction). `None` with fewer than two rounds or columns.
    pub fn sd(&self) -> Option<f64> {
        let (rounds, columns) = (self.0.len(), self.columns());
        if rounds < 2 || columns < 2 {
            return None;
        }
        let means = self.means();
        let all = mean(&means);
        let mut sum = 0.0;
        for row in &self.0 {
            let shift = mean(row) - all;
            let residual = |(x, m): (&f64, &f64)| (x - m - shift).powi(2);
            sum += row.iter().zip(&means).map(residual).sum::<f64>();
        }
        Some((sum / ((rounds - 1) * (columns - 1)) as f64).sqrt())
    }

    /// The two levels that the columns are on, where the first is on the lower one; `None` where there are not clearly two.
    pub fn parted(&self) -> Option<Parted> {
        let sd = self.sd()?.max(SD_LEAST);
        let error = sd / (self.0.len() as f64).sqrt();
        let means = self.means();
        let mut sorted = means.clone();
        sorted.sort_by(f64::total_cmp);
        let widest = (1..sorted.len())
            .max_by(|a, b| gap(&sorted, *a).total_cmp(&gap(&sorted, *b)))
            .filter(|at| gap(&sorted, *at) > 0.0)?;
        let (same, apart) = (mean(&sorted[..widest]), mean(&sorted[widest..]));
        let distance = apart - same;
        let share = |n: usize| 1.0 / n as f64;
        let of_distance = error * (share(widest) + share(sorted.len() - widest)).sqrt();
        let border = sorted[widest - 1] + gap(&sorted, widest) / 2.0;
        let low: Vec<bool> = means.iter().map(|m| *m < border).collect();
        // Two levels have nothing between them, and little beside them.
        let tight = means.iter().zip(&low).all(|(m, low)| {
            let own = if *low { same } else { apart };
            (m - own).abs() <= (3.5 * error).max(distance / 4.0)
        });
        let clear = distance >= GAP_LEAST && distance >= T_LEAST * of_distance;
        (clear && tight && low[0]).then_some(Parted {
            levels: Levels { same, apart, sd },
            low,
        })
    }
}

fn gap(sorted: &[f64], at: usize) -> f64 {
    sorted[at] - sorted[at - 1]
}

impl Levels {
    /// The evidence of one rate for one owner and against two: the logarithm of the ratio of likelihoods. One value may be an
    /// accident, so none counts for more than [`Levels::ONE`].
    pub fn evidence(&self, rate: f64) -> f64 {
        // What is a little off both levels must not look certain because repeats agree.
        let sd = (1.2 * self.sd).max((self.apart - self.same) / 8.0);
        let off = |level: f64| ((rate - level) / sd).powi(2);
        ((off(self.apart) - off(self.same)) / 2.0).clamp(-Self::ONE, Self::ONE)
    }

    /// Greatest weight of one value.
    const ONE: f64 = 5.0;
    /// The sum from which it is decided: one error in ten thousand (Wald, Sequential Analysis, 1947).
    pub const SURE: f64 = 9.2;
    /// The sum from which it is taken for now, to be looked at again: one in a hundred.
    pub const LIKELY: f64 = 4.6;

    /// A level moves slowly; what was decided says where it is now.
    pub fn follow(&mut self, side: Side, rate: f64) {
        let level = match side {
            Side::Same => &mut self.same,
            Side::Apart => &mut self.apart,
        };
        *level += 0.2 * (rate - *level);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values about 0, alike each time.
    fn noise(seed: &mut u64) -> f64 {
        let mut sum = 0.0;
        for _ in 0..12 {
            *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            sum += (*seed >> 11) as f64 / (1u64 << 53) as f64;
        }
        sum - 6.0
    }

    fn rounds(levels: &[f64], sd: f64, count: usize, seed: u64) -> Rounds {
        let mut seed = seed;
        let mut row = |_| {
            let shift = noise(&mut seed) * 0.1;
            levels
                .iter()
                .map(|l| l + shift + sd * noise(&mut seed))
                .collect()
        };
        Rounds((0..count).map(&mut row).collect())
    }

    #[test]
    fn two_levels_are_found_through_noise_and_one_is_never_parted() {
        let two = [0.0, 0.0, 0.0, 0.14, 0.14, 0.14, 0.0, 0.14, 0.14, 0.14, 0.14];
        let (mut found, mut wrong) = (0, 0);
        for seed in 0..500 {
            if let Some(parted) = rounds(&two, 0.05, 10, seed).parted() {
                found += usize::from(parted.low[..4] == [true, true, true, false]);
            }
            wrong += usize::from(rounds(&[0.0; 11], 0.05, 10, seed).parted().is_some());
        }
        assert!(found > 400, "{found}");
        assert_eq!(wrong, 0);
    }

    #[test]
    fn a_columns_interval_is_students_of_its_own_rounds() {
        // Logarithms 1, 2, 3: a mean of 2 and a standard deviation of 1; t of 2 degrees is 4.303.
        let rounds = Rounds(vec![vec![1.0, 5.0], vec![2.0, 5.0], vec![3.0, 5.0]]);
        let [Some((low, high)), Some(still)] = rounds.intervals()[..] else {
            panic!("two intervals");
        };
        let half = 4.302_65 / 3f64.sqrt();
        assert!((low.ln() - (2.0 - half)).abs() < 1e-3, "{low}");
        assert!((high.ln() - (2.0 + half)).abs() < 1e-3, "{high}");
        assert_eq!(still, (5f64.exp(), 5f64.exp()));
        assert_eq!(Rounds(vec![vec![1.0]]).intervals(), [None]);
    }

    #[test]
    fn a_level_in_between_is_none_and_a_fast_first_is_none() {
        let between = [0.0, 0.0, 0.2, 0.5, 0.5, 0.3, 0.5, 0.5];
        assert_eq!(rounds(&between, 0.01, 8, 1).parted(), None);
        let upside_down = [0.5, 0.5, 0.5, 0.0, 0.0, 0.0];
        assert_eq!(rounds(&upside_down, 0.01, 8, 1).parted(), None);
    }

    #[test]
    fn one_accident_decides_nothing() {
        let levels = Levels {
            same: 0.0,
            apart: 0.5,
            sd: 0.02,
        };
        assert!(levels.evidence(-40.0) < Levels::SURE);
        assert!(levels.evidence(0.0) + levels.evidence(0.01) >= Levels::SURE);
        assert!(levels.evidence(0.5) <= -Levels::LIKELY);
    }
}
