//! Welch's t test: do two groups of runs have the same mean, where their spreads may differ? And its one-sided form
//! against a limit, on which gates rest.

use serde::Serialize;
use statrs::distribution::{ContinuousCDF, StudentsT};

/// The difference of two means.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Welch {
    /// Mean of b - mean of a.
    pub difference: f64,
    /// Half of the difference's 95 % interval.
    pub half_width: f64,
    /// Chance of a difference this large where there is none, two-sided.
    pub p: f64,
}

/// Runs of one side, reduced to what a test needs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Runs {
    /// Number of runs; at least two.
    pub(crate) count: usize,
    /// Their mean.
    pub(crate) mean: f64,
    /// The variance of one run, by n - 1.
    pub(crate) variance: f64,
}

/// A sum of the sides' means that is above 0 where a limit is kept: `b - factor * a - offset`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Contrast {
    /// The sum as it was measured.
    pub(crate) estimate: f64,
    /// Error that it may have in every run alike, so that no repeat shows it: what the measure cannot tell apart.
    pub(crate) doubt: f64,
    /// Contribution of each side to it.
    parts: [Part; 2],
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Part {
    /// The variance of one run in the sum.
    variance: f64,
    count: usize,
}

impl Part {
    fn squared_error(self) -> f64 {
        self.variance / self.count as f64
    }

    fn degrees(self) -> f64 {
        self.count as f64 - 1.0
    }
}

impl Runs {
    /// `None` for fewer than two, whose spread is not known.
    pub(crate) fn of(values: &[f64]) -> Option<Self> {
        let n = values.len() as f64;
        if values.len() < 2 {
            return None;
        }
        let mean = values.iter().sum::<f64>() / n;
        let squares: f64 = values.iter().map(|v| (v - mean).powi(2)).sum();
        Some(Runs {
            count: values.len(),
            mean,
            variance: squares / (n - 1.0),
        })
    }
}

impl Contrast {
    /// `b - factor * a - offset`. With a factor below 1 it asks whether b keeps that part of a; a's own uncertainty is in
    /// the answer (the test of a ratio of means; Sasabuchi 1988, for unequal variances Hasler, Vonk and Hothorn 2008).
    pub(crate) fn new(b: Runs, a: Runs, factor: f64, offset: f64, doubt: f64) -> Self {
        Contrast {
            estimate: b.mean - factor * a.mean - offset,
            doubt,
            parts: [
                Part {
                    variance: b.variance,
                    count: b.count,
                },
                Part {
                    variance: factor * factor * a.variance,
                    count: a.count,
                },
            ],
        }
    }

    /// `b - limit`, where a limit is a number and no other side.
    pub(crate) fn alone(b: Runs, limit: f64, doubt: f64) -> Self {
        let nothing = Runs {
            count: b.count,
            mean: 0.0,
            variance: 0.0,
        };
        Contrast::new(b, nothing, 0.0, limit, doubt)
    }

    /// The same with the other sign.
    pub(crate) fn turned(self) -> Self {
        Contrast {
            estimate: -self.estimate,
            ..self
        }
    }

    /// With so many more runs of each side, should they spread as those that there are.
    pub(crate) fn with_further(self, runs: usize) -> Self {
        let parts = self.parts.map(|part| Part {
            count: part.count + runs,
            ..part
        });
        Contrast { parts, ..self }
    }

    /// Standard error of the sum.
    pub(crate) fn error(&self) -> f64 {
        self.parts
            .iter()
            .map(|p| p.squared_error())
            .sum::<f64>()
            .sqrt()
    }

    /// The `share` quantile of Student's distribution that goes with its error (Welch 1947, Satterthwaite 1946); `None`
    /// where there is no error.
    pub(crate) fn quantile(&self, share: f64) -> Option<f64> {
        Some(
            self.student(self.parts.map(Part::squared_error))?
                .inverse_cdf(share),
        )
    }

    /// The chance to measure this much above 0 where the true sum is 0 or below.
    ///
    /// Welch's own answer can become surer as one side's spread grows, because that changes the degrees of freedom. Noise is
    /// no argument, so each side's spread is also taken as if it were none, and the weakest of the answers counts. (For
    /// a sum above 0 the chance is largest at an end of what a side's spread may be, so the ends are enough.)
    pub(crate) fn p_above(&self) -> f64 {
        let [b, a] = self.parts.map(Part::squared_error);
        let whole = self.tail([b, a]);
        if self.estimate <= self.doubt {
            return whole;
        }
        [[b, 0.0], [0.0, a]]
            .into_iter()
            .filter(|ends| ends.iter().sum::<f64>() > 0.0)
            .map(|ends| self.tail(ends))
            .fold(whole, f64::max)
    }

    /// The chance to measure this much below 0 where the true sum is 0 or above.
    pub(crate) fn p_below(&self) -> f64 {
        self.turned().p_above()
    }

    fn tail(&self, squared_errors: [f64; 2]) -> f64 {
        let squared: f64 = squared_errors.iter().sum();
        let above = self.estimate - self.doubt;
        if squared <= 0.0 {
            // Runs that repeat exactly leave no doubt, but on the limit itself.
            return if above > 0.0 { 0.0 } else { 1.0 };
        }
        let p = self
            .student(squared_errors)
            .map_or(1.0, |t| t.sf(above / squared.sqrt()));
        if p.is_nan() { 1.0 } else { p }
    }

    fn student(&self, squared_errors: [f64; 2]) -> Option<StudentsT> {
        let squared: f64 = squared_errors.iter().sum();
        let tails: f64 = squared_errors
            .iter()
            .zip(self.parts)
            .map(|(error, part)| error * error / part.degrees())
            .sum();
        StudentsT::new(0.0, 1.0, squared * squared / tails).ok()
    }
}

/// Compares two groups of at least two values each (Welch 1947, with the degrees of freedom of Satterthwaite 1946);
/// `None` for fewer.
pub(crate) fn welch(a: &[f64], b: &[f64]) -> Option<Welch> {
    let contrast = Contrast::new(Runs::of(b)?, Runs::of(a)?, 1.0, 0.0, 0.0);
    let difference = contrast.estimate;
    let Some(t) = contrast.quantile(0.975) else {
        // Runs in virtual time may repeat exactly: any difference is then one.
        return Some(Welch {
            difference,
            half_width: 0.0,
            p: if difference == 0.0 { 1.0 } else { 0.0 },
        });
    };
    let away = Contrast {
        estimate: difference.abs(),
        ..contrast
    };
    Some(Welch {
        difference,
        half_width: t * contrast.error(),
        p: (2.0 * away.tail(contrast.parts.map(Part::squared_error))).min(1.0),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_agrees_with_the_closed_form_of_two_degrees_of_freedom() {
        // Standard error sqrt(2), so t = sqrt(8); with 2 degrees of freedom p = 1 - t / sqrt(2 + t^2).
        let w = welch(&[0.0, 2.0], &[4.0, 6.0]).unwrap();
        assert_eq!(w.difference, 4.0);
        assert!((w.p - (1.0 - (8f64 / 10.0).sqrt())).abs() < 1e-9, "{w:?}");
        assert!(
            (w.half_width - 4.302_652_73 * 2f64.sqrt()).abs() < 1e-6,
            "{w:?}"
        );
    }

    #[test]
    fn the_degrees_of_freedom_are_those_of_the_wider_group() {
        // Nearly all of the variance is b's, so that its 1 degree of freedom decides: t = 12.7 for 95 %.
        let w = welch(&[0.0, 0.001, 0.0, 0.001, 0.0], &[0.0, 2.0]).unwrap();
        assert!((w.half_width - 12.706).abs() < 0.01, "{w:?}");
    }

    #[test]
    fn repeats_without_any_spread_differ_or_do_not() {
        assert_eq!(welch(&[5.0; 5], &[5.0; 5]).unwrap().p, 1.0);
        assert_eq!(welch(&[5.0; 5], &[6.0; 5]).unwrap().p, 0.0);
        assert_eq!(welch(&[5.0], &[6.0; 5]), None);
    }

    #[test]
    fn what_the_measure_cannot_tell_apart_is_held_against_both_claims() {
        let exact = Runs::of(&[5.0; 5]).unwrap();
        let more = Runs::of(&[5.5; 5]).unwrap();
        let sure = Contrast::new(more, exact, 1.0, 0.0, 0.4);
        assert_eq!((sure.p_above(), sure.p_below()), (0.0, 1.0));
        let unsure = Contrast::new(more, exact, 1.0, 0.0, 0.6);
        assert_eq!((unsure.p_above(), unsure.p_below()), (1.0, 1.0));
    }
}
