//! A straight line through points, by least squares.

/// `y = intercept + slope x`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Line {
    /// y at x = 0.
    pub intercept: f64,
    /// Rise of y for each unit of x.
    pub slope: f64,
}

impl Line {
    /// The line with the least squared distance in y; `None` below two different x.
    pub fn through(points: &[(f64, f64)]) -> Option<Line> {
        let n = points.len() as f64;
        let mean_x = points.iter().map(|p| p.0).sum::<f64>() / n;
        let mean_y = points.iter().map(|p| p.1).sum::<f64>() / n;
        let spread: f64 = points.iter().map(|p| (p.0 - mean_x).powi(2)).sum();
        // No points at all give NaN.
        if spread.is_nan() || spread <= 0.0 {
            return None;
        }
        let together: f64 = points.iter().map(|p| (p.0 - mean_x) * (p.1 - mean_y)).sum();
        let slope = together / spread;
        Some(Line {
            intercept: mean_y - slope * mean_x,
            slope,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn one_point_or_one_place_makes_no_line() {
        assert_eq!(Line::through(&[]), None);
        assert_eq!(Line::through(&[(1.0, 2.0)]), None);
        assert_eq!(Line::through(&[(1.0, 2.0), (1.0, 3.0)]), None);
    }

    proptest! {
        #[test]
        fn points_on_a_line_give_the_line_back(a in -1e3..1e3f64, b in -1e3..1e3f64, n in 2usize..50) {
            let points: Vec<_> = (0..n).map(|i| (i as f64, a + b * i as f64)).collect();
            let line = Line::through(&points).unwrap();
            prop_assert!((line.slope - b).abs() < 1e-6);
            prop_assert!((line.intercept - a).abs() < 1e-6);
        }
    }
}
