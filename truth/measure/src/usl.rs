//! The Universal Scalability Law, fitted to measured throughputs.

use crate::batch::student_t_95;

/// Fewest different concurrencies that say anything about three parameters.
pub const MIN_POINTS: usize = 6;
const MAX_STEPS: usize = 200;
/// A fit is done when a step improves its sum of squares by less than this share.
const DONE: f64 = 1e-14;

/// A fitted number and its standard error.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fitted {
    /// The best value.
    pub value: f64,
    /// Its standard error; 0 for a parameter that was held at its bound.
    pub error: f64,
}

/// `X(N) = lambda N / (1 + sigma (N - 1) + kappa N (N - 1))`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Usl {
    /// Throughput of one.
    pub lambda: Fitted,
    /// Share of the work that waits for its turn (contention).
    pub sigma: Fitted,
    /// What each pair costs (coherency).
    pub kappa: Fitted,
    /// The concurrency with the highest throughput, `sqrt((1 - sigma) / kappa)`; `None` where the throughput never falls.
    pub peak: Option<Fitted>,
    /// Root of the mean squared residual, by the degrees of freedom, in units of the throughput.
    pub residual: f64,
    /// Share of the throughputs' variance that the law explains.
    pub r_squared: f64,
    /// Points less fitted parameters.
    pub degrees: usize,
}

/// Why the law was not fitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoUsl {
    /// So many different concurrencies; it takes [`MIN_POINTS`].
    TooFew(usize),
    /// A concurrency below 1, a throughput of 0 or less, or one that is not finite.
    NotNumbers,
    /// No parameters fit: the throughput is not one of this law.
    NoFit,
}

impl Usl {
    /// Throughput at a concurrency, by the fitted law.
    pub fn throughput(&self, concurrency: f64) -> f64 {
        law(
            concurrency,
            [self.lambda.value, self.sigma.value, self.kappa.value],
        )
    }

    /// The ends of a parameter's 95 % interval.
    pub fn interval(&self, of: Fitted) -> (f64, f64) {
        let reach = student_t_95(self.degrees) * of.error;
        (of.value - reach, of.value + reach)
    }
}

/// Fits the law (Gunther 2007, "Guerrilla capacity planning") to points of (concurrency, throughput) by least squares.
///
/// It starts from the line that the law becomes as `N / X` over `N - 1` and `N (N - 1)`, and goes on by Gauss and Newton's
/// steps as far as they help (Levenberg 1944, Marquardt 1963). A sigma or kappa below 0 means nothing: it is held at 0, and
/// the rest fitted again. Standard errors are those of the linearised fit.
pub fn usl(points: &[(f64, f64)]) -> Result<Usl, NoUsl> {
    if points
        .iter()
        .any(|(n, x)| !(n.is_finite() && x.is_finite() && *n >= 1.0 && *x > 0.0))
    {
        return Err(NoUsl::NotNumbers);
    }
    let mut different: Vec<f64> = points.iter().map(|p| p.0).collect();
    different.sort_by(f64::total_cmp);
    different.dedup();
    if different.len() < MIN_POINTS {
        return Err(NoUsl::TooFew(different.len()));
    }
    // Which of the parameters are free, from all of them to the one that always is.
    [
        [true; 3],
        [true, true, false],
        [true, false, true],
        [true, false, false],
    ]
    .into_iter()
    .filter_map(|free| Some((free, fit(points, free)?)))
    .filter(|(_, (p, _))| p[0] > 0.0 && p[1] >= 0.0 && p[2] >= 0.0)
    .min_by(|a, b| a.1.1.total_cmp(&b.1.1))
    .map(|(free, (p, squares))| described(points, free, p, squares))
    .ok_or(NoUsl::NoFit)
}

fn law(n: f64, [lambda, sigma, kappa]: [f64; 3]) -> f64 {
    lambda * n / (1.0 + sigma * (n - 1.0) + kappa * n * (n - 1.0))
}

/// The law's derivatives by its parameters.
fn slopes(n: f64, p: [f64; 3]) -> [f64; 3] {
    let x = law(n, p);
    let below = p[0] * n / x;
    [x / p[0], -x * (n - 1.0) / below, -x * n * (n - 1.0) / below]
}

fn squares_of(points: &[(f64, f64)], p: [f64; 3]) -> f64 {
    points.iter().map(|(n, x)| (x - law(*n, p)).powi(2)).sum()
}

/// Parameters and the sum of squares; `None` where there are none.
fn fit(points: &[(f64, f64)], free: [bool; 3]) -> Option<([f64; 3], f64)> {
    let mut p = start(points, free)?;
    let mut squares = squares_of(points, p);
    let mut damping = 1e-3;
    for _ in 0..MAX_STEPS {
        let (normal, gradient) = equations(
            points.iter().map(|(n, x)| (slopes(*n, p), x - law(*n, p))),
            free,
        );
        let mut damped = normal;
        (0..3).for_each(|i| damped[i][i] *= 1.0 + damping);
        let step = times(inverse(damped)?, gradient);
        let next = [p[0] + step[0], p[1] + step[1], p[2] + step[2]];
        let at_next = squares_of(points, next);
        if at_next.is_finite() && at_next <= squares {
            let done = squares - at_next <= DONE * squares;
            (p, squares) = (next, at_next);
            damping /= 10.0;
            if done {
                break;
            }
        } else if damping > 1e12 {
            break;
        } else {
            damping *= 10.0;
        }
    }
    p.iter().all(|v| v.is_finite()).then_some((p, squares))
}

/// `N / X = 1/lambda + (sigma/lambda) (N - 1) + (kappa/lambda) N (N - 1)`, each point weighted by `X^2 / N` for what its error
/// becomes there.
fn start(points: &[(f64, f64)], free: [bool; 3]) -> Option<[f64; 3]> {
    let rows = points.iter().map(|(n, x)| {
        let weight = x * x / n;
        let terms = [1.0, n - 1.0, n * (n - 1.0)].map(|v| v * weight);
        (terms, x)
    });
    let (normal, gradient) = equations(rows.map(|(terms, x)| (terms, *x)), free);
    let line = times(inverse(normal)?, gradient);
    let lambda = 1.0 / line[0];
    // From a start without sense the steps lead nowhere; any sensible one will do.
    let largest = points.iter().map(|(n, x)| x / n).fold(0.0, f64::max);
    match lambda.is_finite() && lambda > 0.0 {
        true => Some([lambda, line[1] * lambda, line[2] * lambda]),
        false => Some([largest, 0.0, 0.0]),
    }
}

/// The normal equations of rows of (derivatives, what is left); those of a parameter that is not free keep it as it is.
fn equations(
    rows: impl Iterator<Item = ([f64; 3], f64)>,
    free: [bool; 3],
) -> ([[f64; 3]; 3], [f64; 3]) {
    let (mut normal, mut gradient) = ([[0.0; 3]; 3], [0.0; 3]);
    for (terms, left) in rows {
        for i in (0..3).filter(|i| free[*i]) {
            gradient[i] += terms[i] * left;
            for j in (0..3).filter(|j| free[*j]) {
                normal[i][j] += terms[i] * terms[j];
            }
        }
    }
    (0..3)
        .filter(|i| !free[*i])
        .for_each(|i| normal[i][i] = 1.0);
    (normal, gradient)
}

/// By cofactors, of the matrix scaled to a diagonal of ones: the parameters differ by many powers of ten.
fn inverse(m: [[f64; 3]; 3]) -> Option<[[f64; 3]; 3]> {
    let scale = [0, 1, 2].map(|i| m[i][i].sqrt());
    let s = |i: usize, j: usize| m[i % 3][j % 3] / scale[i % 3] / scale[j % 3];
    let cofactor =
        |i: usize, j: usize| s(i + 1, j + 1) * s(i + 2, j + 2) - s(i + 1, j + 2) * s(i + 2, j + 1);
    let determinant: f64 = (0..3).map(|j| s(0, j) * cofactor(0, j)).sum();
    if !determinant.is_finite() || determinant <= 0.0 {
        return None;
    }
    let mut inverse = [[0.0; 3]; 3];
    for i in 0..3 {
        for j in 0..3 {
            inverse[i][j] = cofactor(j, i) / determinant / scale[i] / scale[j];
        }
    }
    Some(inverse)
}

fn times(m: [[f64; 3]; 3], v: [f64; 3]) -> [f64; 3] {
    m.map(|row| row.iter().zip(v).map(|(a, b)| a * b).sum())
}

fn described(points: &[(f64, f64)], free: [bool; 3], p: [f64; 3], squares: f64) -> Usl {
    let degrees = points.len() - free.iter().filter(|f| **f).count();
    let variance = squares / degrees as f64;
    let (normal, _) = equations(points.iter().map(|(n, _)| (slopes(*n, p), 0.0)), free);
    let covariance = inverse(normal).unwrap_or([[f64::INFINITY; 3]; 3]);
    let error = |i: usize| match free[i] {
        true => (variance * covariance[i][i]).sqrt(),
        false => 0.0,
    };
    let fitted = [0, 1, 2].map(|i| Fitted {
        value: p[i],
        error: error(i),
    });
    let mean = points.iter().map(|(_, x)| x).sum::<f64>() / points.len() as f64;
    let spread: f64 = points.iter().map(|(_, x)| (x - mean).powi(2)).sum();
    let [_, sigma, kappa] = p;
    let peak = (kappa > 0.0 && sigma < 1.0).then(|| {
        let value = ((1.0 - sigma) / kappa).sqrt();
        // By the derivatives of the peak (the delta method).
        let by = [0.0, -value / (2.0 * (1.0 - sigma)), -value / (2.0 * kappa)];
        let both: f64 = (1..3)
            .flat_map(|i| (1..3).map(move |j| (i, j)))
            .filter(|(i, j)| free[*i] && free[*j])
            .map(|(i, j)| by[i] * by[j] * covariance[i][j])
            .sum();
        Fitted {
            value,
            error: (variance * both).sqrt(),
        }
    });
    Usl {
        lambda: fitted[0],
        sigma: fitted[1],
        kappa: fitted[2],
        peak,
        residual: variance.sqrt(),
        r_squared: if spread > 0.0 {
            1.0 - squares / spread
        } else {
            1.0
        },
        degrees,
    }
}
