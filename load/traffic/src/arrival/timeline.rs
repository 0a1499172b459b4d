//! Nanoseconds that keep their fractions.

/// A time in 2^-64ths of a nanosecond. Adding a gap loses less than 10^-19 of a nanosecond, so that a billion gaps of
/// 333.3 ns take a third of a second and not a microsecond less.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Timeline(u128);

const FRACTION: f64 = 18_446_744_073_709_551_616.0;

impl Timeline {
    pub(crate) const START: Timeline = Timeline(0);

    /// A span of nanoseconds; negative and undefined ones are none, too long ones the longest.
    #[inline(always)]
    pub(crate) fn span(ns: f64) -> Self {
        let whole = ns as u64;
        if whole == u64::MAX {
            return Timeline(u128::MAX);
        }
        let fraction = ((ns - whole as f64) * FRACTION) as u64;
        Timeline(u128::from(whole) << 64 | u128::from(fraction))
    }

    /// Later by a span; stays at the end of time once there.
    #[inline(always)]
    pub(crate) fn later(self, span: Timeline) -> Self {
        Timeline(self.0.saturating_add(span.0))
    }

    /// So many such spans, exactly.
    #[inline(always)]
    pub(crate) fn times(self, n: u32) -> Self {
        Timeline(self.0.saturating_mul(u128::from(n)))
    }

    /// Whole nanoseconds.
    #[inline(always)]
    pub(crate) fn ns(self) -> u64 {
        (self.0 >> 64) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions_are_kept_and_the_end_of_time_is_the_end() {
        let third = Timeline::span(1e9 / 3.0);
        let sum = (0..3).fold(Timeline::START, |t, _| t.later(third));
        assert!((999_999_999..=1_000_000_000).contains(&sum.ns()));
        assert_eq!(third.times(3), third.later(third).later(third));
        assert_eq!(Timeline::span(f64::INFINITY).times(2).ns(), u64::MAX);
        assert_eq!(Timeline::span(f64::INFINITY).later(third).ns(), u64::MAX);
        assert_eq!(Timeline::span(-1.0), Timeline::START);
        assert_eq!(Timeline::span(f64::NAN), Timeline::START);
    }
}
