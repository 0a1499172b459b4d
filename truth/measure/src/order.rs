//! Confidence of a percentile from the ranks of the ordered values: true for every distribution.

use statrs::distribution::{ContinuousCDF, Normal};
use statrs::function::gamma::ln_gamma;

/// Further from its mean than so many standard deviations, and so many values, a binomial count does not come.
const FAR: f64 = 9.0;
const FAR_COUNT: f64 = 40.0;

/// Above this variance the distribution is normal to within a rank or so, and summing it would take long.
const SUMMED_VARIANCE: f64 = 1e9;

/// Ranks (from 1, in rising order) of the values that enclose a quantile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ranks {
    /// `None`: so few values do not bound the quantile from below.
    pub low: Option<u64>,
    /// `None`: they do not bound it from above.
    pub high: Option<u64>,
}

/// The ranks of `count` independent values that enclose quantile `q` (0..1) with at least this level, each side missing it
/// with at most half of what is left.
///
/// How many values lie below the quantile has a binomial distribution, whatever the values' own is (Thompson 1936; Conover,
/// "Practical nonparametric statistics", 1999, 3.2). Its tails are summed exactly, up to counts of thousands of millions.
pub fn order_ranks(count: u64, q: f64, level: f64) -> Ranks {
    if count == 0 || !(0.0..=1.0).contains(&q) {
        return Ranks {
            low: None,
            high: None,
        };
    }
    let tail = (1.0 - level) / 2.0;
    Ranks {
        low: low_rank(count, q, tail),
        high: low_rank(count, 1.0 - q, tail).map(|rank| count - (rank - 1)),
    }
}

/// The largest rank that is above the quantile with at most this chance.
fn low_rank(count: u64, q: f64, chance: f64) -> Option<u64> {
    if q <= 0.0 || q >= 1.0 {
        // All values lie on one side: the smallest is a bound from below for the largest possible value alone.
        return (q >= 1.0).then_some(count);
    }
    let n = count as f64;
    let mean = n * q;
    let first = (mean - FAR * (mean * (1.0 - q)).sqrt() - FAR_COUNT).floor();
    let mut k = first.max(0.0);
    if mean * (1.0 - q) > SUMMED_VARIANCE {
        let rank = mean + Normal::standard().inverse_cdf(chance) * (mean * (1.0 - q)).sqrt();
        let rank = rank.min(n);
        return (rank >= 1.0).then_some(rank as u64);
    }
    let ln_choices = ln_gamma(n + 1.0) - ln_gamma(k + 1.0) - ln_gamma(n - k + 1.0);
    let mut term = (ln_choices + k * q.ln() + (n - k) * (-q).ln_1p()).exp();
    // The chance that the next rank is above the quantile.
    let mut below = 0.0;
    while k < n {
        below += term;
        if below > chance {
            break;
        }
        term *= (n - k) / (k + 1.0) * q / (1.0 - q);
        k += 1.0;
    }
    if below <= chance {
        return Some(count);
    }
    (k >= 1.0).then_some(k as u64)
}
