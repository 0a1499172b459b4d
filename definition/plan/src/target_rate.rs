//! Offered rates that follow from an observed one, by Vdbench's rounding.

use crate::Rate;

/// What Vdbench takes for the last observed rate where there is none, or where it was 0.
const UNKNOWN_RATE: f64 = 10_000.0;

/// The offered rate of a curve's point: `percent` of the observed maximum (I/Os per second, rounded first), cut to a
/// whole number, then rounded up to a multiple of 100 above 1000 and of 10 below: exactly as Vdbench 5.04 does, but
/// without its 32-bit overflow. A maximum of 0 counts as 10000; a target of 0 becomes 10, for a rate of 0 is no load.
///
/// ```
/// use plimsoll_plan::curve_target;
/// assert_eq!(curve_target(130_848.0, 1.0), 1_400);
/// assert_eq!(curve_target(51_651.0, 80.0), 41_400);
/// ```
pub fn curve_target(max: f64, percent: f64) -> u64 {
    let whole = if max.round() >= 1.0 {
        max.round()
    } else {
        UNKNOWN_RATE
    };
    // Exact: whole numbers times whole percents stay far below 2^53 for any rate there is.
    let target = (whole * percent / 100.0).floor() as u64;
    let step = if target > 1000 { 100 } else { 10 };
    target.div_ceil(step).saturating_mul(step).max(10)
}

/// The offered rate of a step that asks for a percentage of what the last one reached (Vdbench's `iorate=n%`), with
/// the rounding of [`curve_target`]; `None`: no step has run yet.
pub fn percent_of_last(last: Option<f64>, percent: f64) -> Rate {
    Rate(curve_target(last.unwrap_or(0.0), percent) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn targets_are_those_that_vdbench_was_seen_to_use() {
        let cases = [
            (130_848.0, 1, 1_400),
            (130_848.0, 10, 13_100),
            (130_848.0, 80, 104_700),
            (51_651.0, 1, 520),
            (51_651.0, 10, 5_200),
            (51_651.0, 80, 41_400),
            (51_651.0, 100, 51_700),
            // 1000 stays, 1001 does not; what is round stays round.
            (1000.0, 100, 1_000),
            (1001.0, 100, 1_100),
            (10_000.0, 50, 5_000),
            // The rate is rounded before its percentage is taken.
            (999.6, 100, 1_000),
            // Nothing observed.
            (0.0, 10, 1_000),
            (0.4, 100, 10_000),
            (f64::NAN, 100, 10_000),
            // Past Vdbench's overflow.
            (30_000_000.0, 100, 30_000_000),
            // Below one I/O per second.
            (5.0, 10, 10),
        ];
        for (max, percent, target) in cases {
            assert_eq!(
                curve_target(max, f64::from(percent)),
                target,
                "{percent} % of {max}"
            );
        }
    }

    #[test]
    fn a_percentage_of_nothing_starts_at_vdbenchs_10000() {
        assert_eq!(percent_of_last(None, 50.0), Rate(5_000.0));
        assert_eq!(percent_of_last(Some(51_651.0), 80.0), Rate(41_400.0));
        assert_eq!(percent_of_last(Some(1000.0), 12.5), Rate(130.0));
    }

    proptest! {
        #[test]
        fn the_arithmetic_is_that_of_whole_numbers(max in 1u64..1_000_000_000, percent in 1u32..1000) {
            let x = max * u64::from(percent) / 100;
            let step = if x > 1000 { 100 } else { 10 };
            prop_assert_eq!(curve_target(max as f64, f64::from(percent)), x.div_ceil(step).max(1) * step);
        }
    }
}
