//! The only number that a redacted result holds: one thing measured in another of its kind.

use serde::{Serialize, Serializer};

/// A ratio in percent. It can be made of nothing but two quantities of the same kind, so it has no unit to give away.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Relative(f64);

/// Digits that are kept, and never finer than a percent: more would let a whole be guessed from its parts, and one I/O of all is all.
const DIGITS: i32 = 2;

/// Points of lines are kept to so many percent of the highest: the scatter of counts would give the counts away.
const STEP: f64 = 2.0;

impl Relative {
    /// `part` in percent of `whole`; `None` where there is no whole, or either is no number.
    pub fn of(part: f64, whole: f64) -> Option<Relative> {
        let percent = part / whole * 100.0;
        (whole > 0.0 && percent.is_finite()).then(|| Relative(rounded(percent)))
    }

    /// Percent of a part of a whole: 0.25 is 25 %.
    pub fn share(share: f64) -> Option<Relative> {
        Relative::of(share, 1.0)
    }

    /// Percent in the coarse steps of a line's points.
    #[must_use]
    pub fn coarse(self) -> Relative {
        Relative((self.0 / STEP).round() * STEP)
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
    let places = (DIGITS - 1 - percent.abs().log10().floor() as i32).clamp(-300, 0);
    // Of a whole number, so that what is kept is one as well.
    let last = 10f64.powi(-places);
    let kept = (percent / last).round() * last;
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
    fn two_digits_are_kept_and_never_less_than_a_percent() {
        let percent = |part, whole| Relative::of(part, whole).map(Relative::percent);
        assert_eq!(percent(12_345.678, 50_000.0), Some(25.0));
        assert_eq!(percent(1.0, 3.0), Some(33.0));
        assert_eq!(percent(2e9, 3.0), Some(67_000_000_000.0));
        assert_eq!(percent(1e-7, 1.0), Some(0.0));
        assert_eq!(percent(1.0, 204_800.0), Some(0.0));
        assert_eq!(percent(-0.5, 1.0), Some(-50.0));
        let point = |part| Relative::share(part).map(|r| r.coarse().percent());
        assert_eq!((point(0.333), point(1.0)), (Some(34.0), Some(100.0)));
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
