//! Sums of powers of a series.

/// Sum of the squares.
pub(crate) fn sum_of_squares(values: &[f64]) -> f64 {
    values.iter().map(|v| v * v).sum()
}

/// The mean; NaN of nothing.
pub(crate) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// True where squared deviations with this sum are no more than what rounding leaves of a constant series.
pub(crate) fn is_constant(series: &[f64], squares: f64) -> bool {
    let scale = series.iter().fold(0.0f64, |m, v| m.max(v.abs()));
    squares <= series.len() as f64 * (scale * 1e-12).powi(2)
}

/// The third standardised moment of values around 0, such as residuals; 0 where they do not vary.
pub(crate) fn skewness_around_zero(values: &[f64]) -> f64 {
    let n = values.len() as f64;
    let variance = sum_of_squares(values) / n;
    let cubes = values.iter().map(|v| v.powi(3)).sum::<f64>() / n;
    let skewness = cubes / variance.powf(1.5);
    if skewness.is_finite() { skewness } else { 0.0 }
}
