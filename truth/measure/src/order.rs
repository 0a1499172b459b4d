//! Confidence of a percentile from the ranks of the ordered values: true for every distribution.

use crate::confidence::NoConfidence;
use crate::correlation::{CorrelationTime, MIN_TIMES};
use crate::excursion::excursion_time;
use statrs::distribution::{ContinuousCDF, Normal};
use statrs::function::gamma::ln_gamma;

/// Further from its mean than so many standard deviations, and so many values, a binomial count does not come.
const FAR: f64 = 9.0;
const FAR_COUNT: f64 = 40.0;

/// Above this variance the distribution is normal to within a rank or so, and summing it would take long.
const SUMMED_VARIANCE: f64 = 1e9;

/// So many independent samples must lie beyond a percentile of a series: of fewer it cannot be told how they cluster.
const MIN_RARE: f64 = 10.0;
/// And so many correlation times of the series itself: excursions past a percentile come in clusters, and a few that lie apart by
/// chance look like independent ones.
const MIN_CLUSTERS: f64 = 2.0;
/// And how they cluster is known the worse the fewer they are: of a series of few correlation times their time may be longer by
/// this over their number, and of those series that look long enough most look less correlated than they are.
const RARE_DOUBT: f64 = 8.0;
/// Of a series of so many correlation times nothing of that doubt is left, and of so few all of it counts.
const LONG_TIMES: f64 = 80.0;
const SHORT_TIMES: f64 = 55.0;

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
    enclosing(count, q, chance).map(|(rank, _)| (rank as u64).min(count))
}

/// The place between two ranks that is above the quantile with this chance.
fn fine_rank(count: u64, q: f64, chance: f64) -> Option<f64> {
    enclosing(count, q, chance).map(|(rank, part)| rank + part)
}

/// The rank of [`low_rank`], and which part of the way to the next one is above the quantile with exactly this chance: by
/// Nyblom's interpolation (1992, "Note on interpolated order statistics"), which for the median is that of Hettmansperger and
/// Sheather (1986). It is made for smooth distributions, and nearly right for all of them.
fn enclosing(count: u64, q: f64, chance: f64) -> Option<(f64, f64)> {
    if q <= 0.0 || q >= 1.0 {
        // All values lie on one side: the smallest is a bound from below for the largest possible value alone.
        return (q >= 1.0).then_some((count as f64, 0.0));
    }
    let n = count as f64;
    let mean = n * q;
    let first = (mean - FAR * (mean * (1.0 - q)).sqrt() - FAR_COUNT).floor();
    let mut k = first.max(0.0);
    if mean * (1.0 - q) > SUMMED_VARIANCE {
        let rank = mean + Normal::standard().inverse_cdf(chance) * (mean * (1.0 - q)).sqrt();
        let rank = rank.min(n);
        return (rank >= 1.0).then_some((rank.floor(), rank.fract()));
    }
    let ln_choices = ln_gamma(n + 1.0) - ln_gamma(k + 1.0) - ln_gamma(n - k + 1.0);
    let mut term = (ln_choices + k * q.ln() + (n - k) * (-q).ln_1p()).exp();
    // The chance that this rank is above the quantile, and that the next one is.
    let (mut at, mut below) = (0.0, 0.0);
    while k < n {
        at = below;
        below += term;
        if below > chance {
            break;
        }
        term *= (n - k) / (k + 1.0) * q / (1.0 - q);
        k += 1.0;
    }
    if below <= chance {
        return Some((n, 0.0));
    }
    let part = (n - k) * q * (chance - at);
    let part = part / (part + k * (1.0 - q) * (below - chance));
    (k >= 1.0).then_some((k, part))
}

/// A percentile of a series, and the interval in which the true one lies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct QuantileConfidence {
    /// The value of rank `ceil(n q)`.
    pub value: f64,
    /// Lower end; `None` where the series does not bound it.
    pub low: Option<f64>,
    /// Upper end; `None` where the series does not bound it.
    pub high: Option<f64>,
    /// How many independent samples the series is worth, as far as this percentile goes.
    pub effective: f64,
}

/// Quantile `q` (0..1) of a series in the order of time, with its interval of this level. Neighbours that resemble each other
/// are worth fewer: what counts is for how long the series stays on one side of the quantile.
pub fn series_quantile(
    series: &[f64],
    q: f64,
    level: f64,
) -> Result<QuantileConfidence, NoConfidence> {
    let n = series.len();
    if !(0.0..=1.0).contains(&q) || series.iter().any(|v| !v.is_finite()) {
        return Err(NoConfidence::NotNumbers);
    }
    if n < MIN_TIMES as usize {
        let needed = Some(MIN_TIMES as usize);
        return Err(NoConfidence::TooShort { needed });
    }
    let mut sorted = series.to_vec();
    sorted.sort_by(f64::total_cmp);
    let value = sorted[((n as f64 * q).ceil() as usize).clamp(1, n) - 1];
    let below: Vec<f64> = series.iter().map(|v| f64::from(*v <= value)).collect();
    let long_enough = |values: &[f64]| CorrelationTime::of(values)?.long_enough(n);
    // The series itself must be, too: of a short one the excursions past a percentile are too few to be counted.
    let times = long_enough(series)
        .and_then(|whole| Some((whole, long_enough(&below)?)))
        .filter(|(whole, _)| n as f64 * q.min(1.0 - q) >= MIN_CLUSTERS * whole.samples);
    let (whole, time) = times.ok_or(NoConfidence::TooShort { needed: None })?;
    let below = n as f64 / time.believed(n);
    let rare = below * q.min(1.0 - q);
    let times = n as f64 / whole.samples;
    let short = ((LONG_TIMES - times) / (LONG_TIMES - SHORT_TIMES)).clamp(0.0, 1.0);
    if rare < MIN_RARE {
        return Err(NoConfidence::TooShort { needed: None });
    }
    // What is not known of the series is not known of its excursions.
    let doubt = whole.doubt(n).max(time.doubt(n));
    let expected = excursion_time(whole.samples, q);
    let clustered = 1.0 + short * RARE_DOUBT / rare;
    let effective = n as f64 / (time.believed_with(doubt).max(expected) * clustered);
    let worth = effective as u64;
    let tail = (1.0 - level) / 2.0;
    // From ranks among the independent values to ranks among all.
    let scale = (n as f64 + 1.0) / (worth as f64 + 1.0);
    // A short series has its ranks rounded outwards.
    let rank = |q| fine_rank(worth, q, tail).map(|rank| (rank - short).max(1.0));
    let high = rank(1.0 - q).map(|rank| worth as f64 + 1.0 - rank);
    Ok(QuantileConfidence {
        value,
        low: rank(q).map(|rank| between(&sorted, rank * scale, false)),
        high: high.map(|rank| between(&sorted, rank * scale, true)),
        effective,
    })
}

/// The value at a rank, from 1, that need not be whole: on the straight line between its neighbours. Where values are equal there, as
/// of counts, no value lies between two others, and the outer one bounds the interval.
fn between(sorted: &[f64], rank: f64, upper: bool) -> f64 {
    let rank = rank.clamp(1.0, sorted.len() as f64);
    let at = rank as usize - 1;
    let below = sorted[at];
    let Some(above) = sorted.get(at + 1).copied().filter(|_| rank.fract() > 0.0) else {
        return below;
    };
    let is_twin = |other: Option<&f64>, of: f64| other.is_some_and(|v| *v == of);
    let before = at.checked_sub(1).and_then(|n| sorted.get(n));
    if below == above || is_twin(before, below) || is_twin(sorted.get(at + 2), above) {
        return if upper { above } else { below };
    }
    below * (1.0 - rank.fract()) + above * rank.fract()
}
