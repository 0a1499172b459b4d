//! Random numbers that a seed repeats.

use plimsoll_draw::Draw;

/// A number between these.
pub fn between(draw: &mut Draw, low: f64, high: f64) -> f64 {
    low + (high - low) * draw.inside()
}

/// A factor between these, any two equal factors alike.
pub fn factor(draw: &mut Draw, low: f64, high: f64) -> f64 {
    between(draw, low.ln(), high.ln()).exp()
}

/// Gamma of this whole shape, with mean 1; 0 is always 1.
pub fn gamma(draw: &mut Draw, shape: u32) -> f64 {
    if shape == 0 {
        return 1.0;
    }
    let product: f64 = (0..shape).map(|_| draw.inside()).product();
    -product.ln() / f64::from(shape)
}
