//! Numbers as short as a chart needs them.

/// Five significant digits: more than a chart shows, and half the bytes.
pub(super) fn brief(value: f64) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return 0.0;
    }
    let scale = 10f64.powi(4 - value.abs().log10().floor() as i32);
    if scale.is_finite() {
        (value * scale).round() / scale
    } else {
        value
    }
}
