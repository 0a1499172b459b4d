//! Rates by what they leave free.

/// A rate of the maximum leaves this share of it free: the maximum itself is known no better.
const SPARE: f64 = 0.01;

/// Places of rates: the logarithm of what a rate leaves free, with its sign changed, so that it grows with the rate.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scale {
    /// The rate that would leave nothing free.
    all: f64,
}

impl Scale {
    /// Of a target that carries so much at most, and carried these, by their logarithms.
    pub fn of(most: f64, carried: impl Iterator<Item = f64>) -> Self {
        Scale {
            all: carried.map(f64::exp).fold(most, f64::max) * (1.0 + SPARE),
        }
    }

    /// The place of a rate, by its logarithm.
    pub fn place(&self, x: f64) -> f64 {
        -(-x.exp() / self.all).ln_1p()
    }

    /// The logarithm of the rate at a place above 0.
    pub fn x(&self, place: f64) -> f64 {
        (-(-place).exp_m1() * self.all).ln()
    }

    /// Growth of the place with the logarithm of the rate, at a place.
    pub fn growth(&self, place: f64) -> f64 {
        place.exp_m1()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_has_a_place_and_a_place_its_rate() {
        let scale = Scale::of(1000.0, [300f64.ln(), 1001f64.ln()].into_iter());
        // 1001 and a hundredth of it are all: 10 are left free.
        assert!((scale.place(1001f64.ln()) - (1011.01f64 / 10.01).ln()).abs() < 1e-9);
        for rate in [1.0f64, 500.0, 990.0] {
            let place = scale.place(rate.ln());
            assert!((scale.x(place).exp() / rate - 1.0).abs() < 1e-9, "{rate}");
            let further = scale.place(rate.ln() + 1e-6);
            let growth = (further - place) / 1e-6;
            assert!((growth / scale.growth(place) - 1.0).abs() < 1e-3, "{rate}");
        }
    }
}
