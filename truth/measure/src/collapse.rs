//! A rate that falls and stays down.
//!
//! One rule for whoever has rates in order: the judge of a run's intervals, and of the rows of another tool's result.

/// What of the rate before may be left at most.
pub const LEFT: f64 = 0.7;

/// A fall from one level to another.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Collapse {
    /// The first of the rates after it.
    pub at: usize,
    /// The median of the rates before it.
    pub before: f64,
    /// The median of those after it.
    pub after: f64,
}

/// Where rates fall and stay down: from there on the median is less than [`LEFT`] of that before, and three quarters of the later
/// ones lie below three quarters of the earlier ones. At least `least` of them, and a tenth, are on each side. Of several
/// places it is the one whose step between two levels explains most of all time.
pub fn collapse(rates: &[f64], least: usize) -> Option<Collapse> {
    let least = least.max(rates.len() / 10).max(1);
    let mut best: Option<(f64, Collapse)> = None;
    for at in least..=rates.len().checked_sub(least)? {
        let (first, second) = rates.split_at(at);
        let [low, before, _] = quartiles(first);
        let [_, after, high] = quartiles(second);
        // Of means: by medians a place before the fall would weigh more, where the parts are more alike in length.
        let weight = (mean(first) - mean(second)) * (at as f64 * (rates.len() - at) as f64).sqrt();
        let fell = after < LEFT * before && high < low;
        if fell && best.is_none_or(|(most, _)| weight > most) {
            best = Some((weight, Collapse { at, before, after }));
        }
    }
    best.map(|(_, collapse)| collapse)
}

/// A beginning this long has a level of its own, s.
const BEGINNING_S: f64 = 3.0;

/// A fall in a beginning that is not counted: the best rate that it kept for [`BEGINNING_S`], and the median of the counted rates, where
/// that is less than [`LEFT`] of it. The beginning comes as rates with their lengths, s.
pub fn fell_before(beginning: &[(f64, f64)], counted: &[f64]) -> Option<(f64, f64)> {
    let from = |start: usize| {
        let (mut done, mut seconds) = (0.0, 0.0);
        for (rate, length) in &beginning[start..] {
            done += rate * length;
            seconds += length;
            // Intervals are not whole seconds to the nanosecond.
            if seconds >= 0.99 * BEGINNING_S {
                return Some(done / seconds);
            }
        }
        None
    };
    let best = (0..beginning.len()).filter_map(from).reduce(f64::max)?;
    let [_, median, _] = (!counted.is_empty()).then(|| quartiles(counted))?;
    (median < LEFT * best).then_some((best, median))
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The quartiles, between two values where they lie there.
fn quartiles(values: &[f64]) -> [f64; 3] {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    [0.25, 0.5, 0.75].map(|q| {
        let place = q * (sorted.len() - 1) as f64;
        let (low, part) = (place.floor() as usize, place.fract());
        let high = (low + 1).min(sorted.len() - 1);
        sorted[low] + part * (sorted[high] - sorted[low])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_levels_are_found_and_scatter_is_not() {
        let rates: Vec<f64> = (0..60)
            .map(|n| if n < 37 { 105_000.0 } else { 31_000.0 })
            .collect();
        let found = collapse(&rates, 5).unwrap();
        assert_eq!(found.at, 37);
        assert_eq!(found.before, 105_000.0);
        assert_eq!(found.after, 31_000.0);
        let scatter: Vec<f64> = (0..60)
            .map(|n| f64::from(10_000 + n * 37 % 4_000))
            .collect();
        assert_eq!(collapse(&scatter, 5), None);
    }

    #[test]
    fn a_level_that_only_the_beginning_had_is_found_and_a_moment_is_not() {
        let of =
            |seconds: f64, rate: f64| fell_before(&[(rate, seconds), (50.0, 2.0)], &[50.0; 20]);
        assert_eq!(of(3.0, 105.0), Some((105.0, 50.0)));
        assert_eq!(of(3.0, 71.0), None);
        // One second of 105 in three is a mean of 68.
        assert_eq!(of(1.0, 105.0), None);
        assert_eq!(fell_before(&[], &[50.0]), None);
        assert_eq!(fell_before(&[(105.0, 3.0)], &[]), None);
    }

    #[test]
    fn the_edge_is_at_seven_tenths() {
        let of = |after: f64| collapse(&[100.0, 100.0, 100.0, after, after, after], 2).is_some();
        assert_eq!((of(69.9), of(70.0)), (true, false));
    }

    #[test]
    fn a_dip_that_ends_is_none_and_neither_is_a_rise_or_too_little() {
        let mut dip = vec![100.0; 30];
        dip[10..15].fill(10.0);
        assert_eq!(collapse(&dip, 5), None);
        assert_eq!(collapse(&[10.0, 10.0, 100.0, 100.0], 2), None);
        assert_eq!(collapse(&[100.0, 10.0], 2), None);
        assert_eq!(collapse(&[], 2), None);
        assert_eq!(collapse(&[], 0), None);
    }
}
