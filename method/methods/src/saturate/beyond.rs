//! How much a target would carry at depths that were not tried, by a curve through those that were.
//!
//! A rate that grows by less than 2 % from one depth to the next may still grow by 10 % in all, a little with each doubling. What
//! is left to come shows in how the growth falls off. By the universal scalability law (Gunther 2007) the depth over the rate is
//! `a + b N + c N^2`, and of a closed network of balanced stations it is the same without `c` (Denning and Buzen 1978); both are
//! straight lines or near it where a target fills. A server that is full at once bends within a doubling: no such curve fits
//! that, but for the depths past the bend.

use super::NEARLY;

/// A curve is through the greatest depths down to this part of the greatest: the widest that fits.
const SPANS: [f64; 5] = [64.0, 32.0, 16.0, 8.0, 4.0];
/// Largest misfit of a curve that fits, as a multiple of the scatter of looks.
const FITS: f64 = 2.0;
/// Largest growth still to come that counts, as a share of the rate that was seen: the growth is foretold, and the rate was measured.
const FORETOLD: f64 = 0.01;
/// Of what the last doubling alone leads one to expect, this share must be reached nearly.
const BY_LAST: f64 = 0.995;

/// Rate reached at a depth, the mean of `looks` looks, I/Os per second.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Reached {
    pub depth: f64,
    pub rate: f64,
    pub looks: f64,
}

/// Judgement of the depths of a search on all others.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Beyond {
    /// Some of them carries nearly the most that any depth would.
    pub is_nearly_all: bool,
    /// Rate that nearly the most is held against, I/Os per second.
    pub most: f64,
}

/// Judges all other depths by these, which rise; `scatter` is the variance of one look.
///
/// Where no greater depth may be tried (`is_last`), what is not seen to end has to be expected to go on: then the last doubling
/// alone must not lead one to expect much more either.
pub(super) fn beyond(seen: &[Reached], scatter: f64, is_last: bool) -> Beyond {
    let top = seen.iter().map(|r| r.rate).fold(0.0, f64::max);
    if top <= 0.0 || is_last && seen.len() < 2 {
        return Beyond {
            is_nearly_all: top <= 0.0,
            most: top,
        };
    }
    let by_curve = most(seen, scatter).unwrap_or(top);
    let by_last = match is_last {
        true => BY_LAST * by_last_two(seen).unwrap_or(top),
        false => 0.0,
    };
    Beyond {
        is_nearly_all: top >= NEARLY * by_curve.max(by_last),
        most: by_curve.clamp(top, (1.0 + FORETOLD) * top),
    }
}

/// The most by the widest curve that fits, with and without a peak: the larger of both where both do. `None`: none fits.
fn most(seen: &[Reached], scatter: f64) -> Option<f64> {
    let greatest = seen.last()?.depth;
    SPANS.iter().find_map(|span| {
        let near = |r: &&Reached| r.depth >= greatest / span;
        let near: Vec<Reached> = seen.iter().filter(near).copied().collect();
        [2, 3]
            .into_iter()
            .filter_map(|terms| {
                let curve = Curve::through(&near, terms)?;
                let degrees = near.len().saturating_sub(curve.terms).max(1);
                (curve.left_over / degrees as f64 <= FITS * scatter).then(|| curve.most())
            })
            .reduce(f64::max)
    })
}

/// The same by a straight line through the last two depths.
fn by_last_two(seen: &[Reached]) -> Option<f64> {
    let [.., before, last] = seen else {
        return None;
    };
    let of = |r: &Reached| r.depth / r.rate;
    let slope = (of(last) - of(before)) / (last.depth - before.depth);
    Some(match slope > 0.0 {
        true => 1.0 / slope,
        false => f64::INFINITY,
    })
}

/// `N / X = a + b N + c N^2`, none of them negative; depths are shares of the greatest.
#[derive(Debug, Clone, Copy)]
struct Curve {
    factors: [f64; 3],
    /// The greatest depth.
    unit: f64,
    /// Number of the three terms that the curve has.
    terms: usize,
    /// The sum of the squares of what it is off by, as shares, each as often as it was looked at.
    left_over: f64,
}

impl Curve {
    /// By least squares with so many terms, fewer where one would be negative.
    fn through(seen: &[Reached], terms: usize) -> Option<Self> {
        let unit = seen.last()?.depth;
        // A curve through as many points as it has terms fits anything.
        if seen.len() <= terms || seen.iter().any(|r| r.rate <= 0.0) {
            return None;
        }
        let mut used: Vec<usize> = (0..terms).collect();
        loop {
            let factors = least_squares(seen, unit, &used)?;
            let least = used
                .iter()
                .copied()
                .min_by(|a, b| factors[*a].total_cmp(&factors[*b]))?;
            if factors[least] >= 0.0 {
                let mut curve = Curve {
                    factors,
                    unit,
                    terms: used.len(),
                    left_over: 0.0,
                };
                let off = |r: &Reached| r.looks * (curve.at(r.depth) / r.rate - 1.0).powi(2);
                curve.left_over = seen.iter().map(off).sum();
                return Some(curve);
            }
            used.retain(|term| *term != least);
        }
    }

    fn at(&self, depth: f64) -> f64 {
        let [a, b, c] = self.factors;
        let n = depth / self.unit;
        depth / (a + b * n + c * n * n)
    }

    /// At its peak, or where it has none, in the end.
    fn most(&self) -> f64 {
        let [a, b, c] = self.factors;
        let slowest = b + 2.0 * (a * c).sqrt();
        match slowest > 0.0 {
            true => self.unit / slowest,
            false => f64::INFINITY,
        }
    }
}

/// The factors of these powers of the depth, by the normal equations of what they are off by, as shares.
fn least_squares(seen: &[Reached], unit: f64, used: &[usize]) -> Option<[f64; 3]> {
    let size = used.len();
    let mut rows = vec![vec![0.0; size + 1]; size];
    for r in seen {
        let n = r.depth / unit;
        let y = r.depth / r.rate;
        let weight = r.looks / (y * y);
        for (row, i) in rows.iter_mut().zip(used) {
            let own = weight * n.powi(*i as i32);
            for (value, j) in row.iter_mut().zip(used) {
                *value += own * n.powi(*j as i32);
            }
            row[size] += own * y;
        }
    }
    for at in 0..size {
        let pivot = rows[at].clone();
        if pivot[at].abs() < f64::MIN_POSITIVE {
            return None;
        }
        for (_, row) in rows.iter_mut().enumerate().filter(|(i, _)| *i != at) {
            let factor = row[at] / pivot[at];
            row.iter_mut()
                .zip(&pivot)
                .for_each(|(v, p)| *v -= factor * p);
        }
    }
    let mut factors = [0.0; 3];
    for (at, i) in used.iter().enumerate() {
        factors[*i] = rows[at][size] / rows[at][at];
    }
    factors.iter().all(|f| f.is_finite()).then_some(factors)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Depths 1, 2, 4 and so on up to this one.
    fn seen(last: u32, rate: impl Fn(f64) -> f64) -> Vec<Reached> {
        let depths = (0..=last.ilog2()).map(|n| f64::from(1 << n));
        depths
            .map(|depth| Reached {
                depth,
                rate: rate(depth),
                looks: 1.0,
            })
            .collect()
    }

    const STILL: f64 = 1e-6;

    fn is_nearly_all(seen: &[Reached], is_last: bool) -> bool {
        beyond(seen, STILL, is_last).is_nearly_all
    }

    #[test]
    fn what_grows_a_little_with_each_doubling_is_told_from_what_has_ended() {
        // 1,000 in the end, half of it at 40: 1.5 % more with the doubling to 2048, and 98 % reached.
        let slow = |n: f64| 1000.0 * n / (n + 40.0);
        for (last, nearly) in [(256, false), (1024, false), (2048, true)] {
            assert_eq!(is_nearly_all(&seen(last, slow), false), nearly, "{last}");
        }
        let curve = most(&seen(256, slow), STILL).expect("it fits");
        assert!((curve - 1000.0).abs() < 1.0, "{curve}");
    }

    #[test]
    fn a_server_that_is_full_at_once_has_no_more() {
        let full = |n: f64| 100.0 * n.min(90.0);
        assert!(is_nearly_all(&seen(512, full), false));
        assert!(is_nearly_all(&seen(512, full), true));
        // Between the last two depths it may have become full, and may not.
        assert!(!is_nearly_all(&seen(128, full), true));
    }

    #[test]
    fn a_rate_that_falls_again_had_its_most() {
        let peak = |n: f64| n / (1.0 + 0.02 * (n - 1.0) + 1e-4 * n * (n - 1.0));
        assert!(is_nearly_all(&seen(512, peak), true));
    }

    #[test]
    fn one_depth_or_none_that_carries_anything_says_nothing_of_others() {
        assert!(!is_nearly_all(&seen(1, |n| n), true));
        assert!(!is_nearly_all(&seen(8, |n| n), true));
        assert!(is_nearly_all(&seen(8, |_| 0.0), true), "it is down");
    }
}
