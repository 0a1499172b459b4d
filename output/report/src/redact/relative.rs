//! The only number that a redacted result holds: one thing measured in another of its kind.

use serde::{Serialize, Serializer};

/// A ratio in percent. It can be made of nothing but two quantities of the same kind, so it has no unit to give away.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Relative(f64);

/// Digits that are kept: more would let a whole be guessed from its parts.
const DIGITS: i32 = 3;

impl Relative {
    /// `part` in percent of `whole`; `None` where there is no whole, or either is no number.
    pub fn of(part: f64, whole: f64) -> Option<Relative> {
        let percent = part / whole * 100.0;
        (whole > 0.0 && percent.is_finite()).then(|| Relative(rounded(percent)))
    }

    /// What is a part of a whole already: 0.25 is 25 %.
    pub fn share(share: f64) -> Option<Relative> {
        Relative::of(share, 1.0)
    }

    /// The percent.
    pub fn percent(self) -> f64 {
        self.0
    }

    /// `31.4 %`.
    pub fn words(self) -> String {
        format!("{} %", self.0)
    }
}

/// With so many digits as are kept.
fn rounded(percent: f64) -> f64 {
    if percent == 0.0 {
        return 0.0;
    }
    let places = (DIGITS - 1 - percent.abs().log10().floor() as i32).clamp(-300, 3);
    let factor = 10f64.powi(places);
    let kept = (percent * factor).round() / factor;
    // What is less than the last place is nothing, and has no sign.
    if kept == 0.0 { 0.0 } else { kept }
}

impl Serialize for Relative {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_digits_are_kept_and_never_more_than_thousandths() {
        let percent = |part, whole| Relative::of(part, whole).map(Relative::percent);
        assert_eq!(percent(12_345.678, 50_000.0), Some(24.7));
        assert_eq!(percent(1.0, 3.0), Some(33.3));
        assert_eq!(percent(2e9, 3.0), Some(66_700_000_000.0));
        assert_eq!(percent(1e-7, 1.0), Some(0.0));
        assert_eq!(percent(-0.5, 1.0), Some(-50.0));
    }

    #[test]
    fn without_a_whole_there_is_no_ratio() {
        for (part, whole) in [
            (1.0, 0.0),
            (0.0, 0.0),
            (1.0, -1.0),
            (f64::NAN, 1.0),
            (1.0, f64::NAN),
            (f64::INFINITY, 1.0),
        ] {
            assert_eq!(Relative::of(part, whole), None, "{part} of {whole}");
        }
    }
}
