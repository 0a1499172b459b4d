//! Where a smooth curve through uncertain points is 0, and how sure that is.
//!
//! The curve is a cubic smoothing spline in its Bayesian form (Wahba 1978, "Improper priors, spline smoothing and the problem
//! of guarding against model errors in regression"; 1983, "Bayesian confidence intervals for the cross-validated smoothing
//! spline"): a line, and an integrated Wiener process about it. How much it may bend is not chosen but weighed: each
//! stiffness counts by the likelihood of the points, so that the interval also has what is not known of the bend.

use plimsoll_draw::Draw;

/// Variance of the line's level and slope before anything is seen: so large that it says nothing.
const DIFFUSE: f64 = 100.0;
/// The least and the greatest change of slope over a distance of 1, by its standard deviation, and how many between.
const BENDS: (f64, f64, usize) = (0.1, 100.0, 13);
/// A curve that rises less has no place where it could be told to be 0.
const FLAT: f64 = 0.005;
/// The spline's process begins so far below its first point.
const BEFORE: f64 = 0.01;
const STEP: f64 = 0.05;
const STEPS: usize = 40;

/// A point that the curve passes by.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Knot {
    pub x: f64,
    pub y: f64,
    /// Standard error of `y`.
    pub error: f64,
}

/// Zero of the curve.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Root {
    pub x: f64,
    /// Standard error of the zero.
    pub error: f64,
    /// The curve's slope there.
    pub slope: f64,
}

/// Finds the root that is near `start`; `None` where the curve is flat there, or the points say too little.
pub(crate) fn root(knots: &[Knot], start: f64) -> Option<Root> {
    let least = BENDS.0.ln();
    let step = (BENDS.1.ln() - least) / (BENDS.2 - 1) as f64;
    let found: Vec<(f64, Root)> = (0..BENDS.2)
        .filter_map(|n| {
            let spline = Spline::through(knots, start, (least + step * n as f64).exp())?;
            Some((spline.likelihood, spline.root()?))
        })
        .collect();
    let best = found
        .iter()
        .map(|(l, _)| *l)
        .fold(f64::NEG_INFINITY, f64::max);
    let weights: Vec<f64> = found.iter().map(|(l, _)| (l - best).exp()).collect();
    let all: f64 = weights.iter().sum();
    if found.is_empty() || !all.is_finite() || all <= 0.0 {
        return None;
    }
    let mean = |of: &dyn Fn(&Root) -> f64| -> f64 {
        let sum = found.iter().zip(&weights).map(|((_, r), w)| w * of(r));
        sum.sum::<f64>() / all
    };
    let x = mean(&|r| r.x);
    let variance = mean(&|r| r.error.powi(2) + (r.x - x).powi(2));
    Some(Root {
        x: start + x,
        error: variance.sqrt(),
        slope: mean(&|r| r.slope),
    })
}

/// Curves at these places, which rise, as many as asked for, each drawn at random from all that agree with the points: from
/// each stiffness as many as its likelihood makes up. The same points have the same curves. `None` where no spline goes through them.
pub(crate) fn curves(knots: &[Knot], places: &[f64], count: usize) -> Option<Vec<Vec<f64>>> {
    let start = *places.get(places.len() / 2)?;
    let least = BENDS.0.ln();
    let step = (BENDS.1.ln() - least) / (BENDS.2 - 1) as f64;
    let level = knots.iter().map(|k| k.y).sum::<f64>() / knots.len().max(1) as f64;
    // The line's level is held to be near 0 before anything is seen.
    let moved: Vec<Knot> = knots
        .iter()
        .map(|k| Knot {
            y: k.y - level,
            ..*k
        })
        .collect();
    let splines: Vec<Spline> = (0..BENDS.2)
        .filter_map(|n| Spline::through(&moved, start, (least + step * n as f64).exp()))
        .collect();
    let best = splines
        .iter()
        .map(|s| s.likelihood)
        .fold(f64::NEG_INFINITY, f64::max);
    let weights: Vec<f64> = splines
        .iter()
        .map(|s| (s.likelihood - best).exp())
        .collect();
    let all: f64 = weights.iter().sum();
    if knots.len() < 3 || !all.is_finite() || all <= 0.0 {
        return None;
    }
    let places: Vec<f64> = places.iter().map(|x| x - start).collect();
    let mut normal = Draw(1);
    let mut drawn = Vec::with_capacity(count);
    let mut share = 0.0;
    for (spline, weight) in splines.iter().zip(&weights) {
        share += weight / all;
        let until = (share * count as f64).round() as usize;
        if until > drawn.len() {
            let more = until - drawn.len();
            drawn.extend(spline.drawn(&places, more, &mut normal));
        }
    }
    Some(drawn)
}

/// A spline of one stiffness. Places count from the start.
struct Spline {
    xs: Vec<f64>,
    before: f64,
    bend: f64,
    /// The lower triangle of the points' covariance.
    lower: Vec<Vec<f64>>,
    /// Inverse of that covariance times the points.
    weights: Vec<f64>,
    likelihood: f64,
}

impl Spline {
    fn through(knots: &[Knot], start: f64, bend: f64) -> Option<Self> {
        let xs: Vec<f64> = knots.iter().map(|k| k.x - start).collect();
        let ys: Vec<f64> = knots.iter().map(|k| k.y).collect();
        let before = xs.iter().copied().fold(f64::INFINITY, f64::min) - BEFORE;
        let covariance: Vec<Vec<f64>> = (0..xs.len())
            .map(|i| {
                let of = |j: usize| {
                    let noise = if i == j {
                        knots[i].error.max(1e-4).powi(2)
                    } else {
                        0.0
                    };
                    shared(xs[i], xs[j], before, bend) + noise
                };
                (0..=i).map(of).collect()
            })
            .collect();
        let lower = cholesky(covariance)?;
        let whitened = forward(&lower, &ys);
        let squares: f64 = whitened.iter().map(|w| w * w).sum();
        let logs: f64 = (0..lower.len()).map(|i| lower[i][i].ln()).sum();
        Some(Spline {
            weights: backward(&lower, &whitened),
            likelihood: -0.5 * squares - logs,
            xs,
            before,
            bend,
            lower,
        })
    }

    fn with(&self, x: f64) -> Vec<f64> {
        let of = |at: &f64| shared(x, *at, self.before, self.bend);
        self.xs.iter().map(of).collect()
    }

    fn at(&self, x: f64) -> f64 {
        self.with(x)
            .iter()
            .zip(&self.weights)
            .map(|(k, w)| k * w)
            .sum()
    }

    /// Curves that agree with the points, at these places: about the spline, by what is not known of it.
    fn drawn(&self, places: &[f64], count: usize, normal: &mut Draw) -> Vec<Vec<f64>> {
        /// So much is added to a variance, that rounding leaves it one.
        const LEAST: f64 = 1e-9;
        let known: Vec<Vec<f64>> = places
            .iter()
            .map(|x| forward(&self.lower, &self.with(*x)))
            .collect();
        let covariance = (0..places.len())
            .map(|i| {
                let of = |j: usize| {
                    let sum: f64 = known[i].iter().zip(&known[j]).map(|(a, b)| a * b).sum();
                    let own = if i == j { LEAST } else { 0.0 };
                    shared(places[i], places[j], self.before, self.bend) - sum + own
                };
                (0..=i).map(of).collect()
            })
            .collect();
        let Some(lower) = cholesky(covariance) else {
            return Vec::new();
        };
        let means: Vec<f64> = places.iter().map(|x| self.at(*x)).collect();
        (0..count)
            .map(|_| {
                let chance: Vec<f64> = places.iter().map(|_| normal.normal()).collect();
                let off = |row: &Vec<f64>| row.iter().zip(&chance).map(|(l, z)| l * z).sum::<f64>();
                means
                    .iter()
                    .zip(&lower)
                    .map(|(m, row)| m + off(row))
                    .collect()
            })
            .collect()
    }

    fn root(&self) -> Option<Root> {
        const NEAR: f64 = 0.002;
        let mut x = 0.0;
        for _ in 0..STEPS {
            let slope = (self.at(x + NEAR) - self.at(x - NEAR)) / (2.0 * NEAR);
            if slope < FLAT {
                return None;
            }
            let step = (-self.at(x) / slope).clamp(-STEP, STEP);
            x += step;
            if step.abs() < 1e-7 {
                let whitened = forward(&self.lower, &self.with(x));
                let known: f64 = whitened.iter().map(|w| w * w).sum();
                let variance = shared(x, x, self.before, self.bend) - known;
                return Some(Root {
                    x,
                    error: variance.max(0.0).sqrt() / slope,
                    slope,
                });
            }
        }
        None
    }
}

/// Covariance of the curve's values at two places.
fn shared(a: f64, b: f64, before: f64, bend: f64) -> f64 {
    let (s, t) = ((a - before).max(0.0), (b - before).max(0.0));
    let least = s.min(t);
    let wiener = least.powi(3) / 3.0 + (s - t).abs() * least.powi(2) / 2.0;
    DIFFUSE * (1.0 + a * b) + bend * bend * wiener
}

/// The lower triangle whose square the matrix is; `None` where that is no covariance.
fn cholesky(mut matrix: Vec<Vec<f64>>) -> Option<Vec<Vec<f64>>> {
    for i in 0..matrix.len() {
        for j in 0..=i {
            let known: f64 = (0..j).map(|k| matrix[i][k] * matrix[j][k]).sum();
            let rest = matrix[i][j] - known;
            matrix[i][j] = match i == j {
                true if rest > 0.0 => rest.sqrt(),
                true => return None,
                false => rest / matrix[j][j],
            };
        }
    }
    Some(matrix)
}

/// Solves `lower x = values`.
fn forward(lower: &[Vec<f64>], values: &[f64]) -> Vec<f64> {
    let mut x: Vec<f64> = Vec::with_capacity(values.len());
    for (row, value) in lower.iter().zip(values) {
        let known: f64 = row.iter().zip(&x).map(|(a, b)| a * b).sum();
        x.push((value - known) / row[x.len()]);
    }
    x
}

/// Solves `lower^T x = values`.
fn backward(lower: &[Vec<f64>], values: &[f64]) -> Vec<f64> {
    let mut x = values.to_vec();
    for i in (0..x.len()).rev() {
        let known: f64 = (i + 1..x.len()).map(|k| lower[k][i] * x[k]).sum();
        x[i] = (x[i] - known) / lower[i][i];
    }
    x
}

#[cfg(test)]
mod tests {
    use super::super::noise::noise;
    use super::*;

    #[test]
    fn a_line_is_a_line_and_its_root_as_sure_as_its_points() {
        let at = |x: f64| Knot {
            x,
            y: 5.0 * (x - 2.0),
            error: 0.01,
        };
        let found = root(&[1.9, 1.99, 2.01, 2.1].map(at), 2.003).expect("it rises");
        // What is held to be possible before anything is seen pulls a little.
        assert!((found.x - 2.0).abs() < 1e-4, "{found:?}");
        assert!((found.slope - 5.0).abs() < 0.01, "{found:?}");
        // Two points beside it, 0.01 each, through a slope of 5: 0.0014.
        assert!((0.0008..0.002).contains(&found.error), "{found:?}");
    }

    #[test]
    fn the_interval_of_a_bent_curves_root_has_the_coverage_that_it_says() {
        // M/M/1: the logarithm of 1 / (1 - u) at 90 % load, as the curve sees it.
        let truth = 0.9f64.ln();
        let mut covered = 0;
        for seed in 0..400u64 {
            let at = |(n, u): (usize, f64)| {
                let error = 0.02;
                let y = (0.1 / (1.0 - u)).ln() + error * noise(seed * 100 + n as u64);
                Knot {
                    x: u.ln(),
                    y,
                    error,
                }
            };
            let knots: Vec<Knot> = [0.5, 0.67, 0.78, 0.85, 0.89, 0.905, 0.93]
                .into_iter()
                .enumerate()
                .map(at)
                .collect();
            let found = root(&knots, truth + 0.01).expect("it rises");
            covered += u32::from((found.x - truth).abs() <= 1.96 * found.error);
        }
        // 380 of 400, give or take 2.5 standard deviations of 4.4.
        assert!((368..=392).contains(&covered), "{covered} of 400");
    }

    #[test]
    fn what_is_flat_or_nothing_has_no_root() {
        let at = |x: f64| Knot {
            x,
            y: 0.0,
            error: 0.01,
        };
        assert!(root(&[1.0, 2.0, 3.0].map(at), 2.0).is_none());
        assert!(root(&[], 2.0).is_none());
    }
}
