//! Welch's t test: do two groups of runs have the same mean, where their spreads may differ?

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

/// Compares two groups of at least two values each (Welch 1947, with the degrees of freedom of Satterthwaite 1946);
/// `None` for fewer.
pub(crate) fn welch(a: &[f64], b: &[f64]) -> Option<Welch> {
    let ((mean_a, error_a), (mean_b, error_b)) =
        (mean_and_squared_error(a)?, mean_and_squared_error(b)?);
    let difference = mean_b - mean_a;
    let squared = error_a + error_b;
    if squared <= 0.0 {
        // Runs in virtual time repeat exactly: any difference is then one.
        return Some(Welch {
            difference,
            half_width: 0.0,
            p: if difference == 0.0 { 1.0 } else { 0.0 },
        });
    }
    let tail = |error: f64, n: usize| error * error / (n as f64 - 1.0);
    let degrees = squared * squared / (tail(error_a, a.len()) + tail(error_b, b.len()));
    let t = StudentsT::new(0.0, 1.0, degrees).ok()?;
    let error = squared.sqrt();
    Some(Welch {
        difference,
        half_width: t.inverse_cdf(0.975) * error,
        p: 2.0 * t.sf((difference / error).abs()),
    })
}

/// The mean, and the square of its standard error.
fn mean_and_squared_error(values: &[f64]) -> Option<(f64, f64)> {
    let n = values.len() as f64;
    if values.len() < 2 {
        return None;
    }
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|v| (v - mean).powi(2)).sum();
    Some((mean, squares / (n - 1.0) / n))
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
}
