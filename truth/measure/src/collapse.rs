//! A rate that falls and stays down.
//!
//! One rule for whoever has rates in order: the judge of a run's intervals, and of the rows of another tool's result.

/// Largest share of the earlier rate that may be left after a collapse.
pub const LEFT: f64 = 0.7;
/// Fewest rates on each side of a fall.
const SIDE: usize = 2;
/// Seconds that each side has to have: what is shorter comes and goes.
const SIDE_S: f64 = 3.0;

/// A fall from one level to another.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Collapse {
    /// The first of the rates after it.
    pub at: usize,
    /// The best of the rates before it that lasted for a fifth of the time, or for all of that side, and no less than their median.
    pub before: f64,
    /// The median of those after it.
    pub after: f64,
}

/// Finds the place where rates fall and stay down: from there on the median is less than [`LEFT`] of that before, and three quarters of the
/// later ones lie below three quarters of the earlier ones and nearer to the later median than to the earlier. At least [`SIDE`] of them, a
/// tenth, and 3 s are on each side. Of several places it is the one whose step between two levels explains most of all time. Rates come
/// with their lengths, s.
pub fn collapse(parts: &[(f64, f64)]) -> Option<Collapse> {
    let rates: Vec<f64> = parts.iter().map(|part| part.0).collect();
    let lengths: Vec<f64> = parts.iter().map(|part| part.1).collect();
    let mut best: Option<(f64, Collapse)> = None;
    for at in places(&lengths) {
        let (first, second) = rates.split_at(at);
        let [low, median, _] = quartiles(first);
        let [_, after, high] = quartiles(second);
        let is_down = most(second) < (median + after) / 2.0;
        // Of means: by medians a place before the fall would weigh more, where the parts are more alike in length.
        let weight = (mean(first) - mean(second)) * (at as f64 * (rates.len() - at) as f64).sqrt();
        // Where nearly all of the time came after the fall, the mean is what the rate was.
        let is_true = total(parts) <= TRUE * total(&parts[at..]);
        let fell = after < LEFT * median && high < low && is_down && !is_true;
        if fell && best.is_none_or(|(most, _)| weight > most) {
            let before = best_level(first, rates.len() / 5).max(median);
            best = Some((weight, Collapse { at, before, after }));
        }
    }
    best.map(|(_, collapse)| collapse)
}

/// A mean that is no further above the level after a fall is not false.
const TRUE: f64 = 1.05;

/// The rate of several parts, as what was done in all of their time.
fn total(parts: &[(f64, f64)]) -> f64 {
    // A tool that does not say how long its intervals are has them alike.
    let length = |part: &(f64, f64)| if part.1.is_finite() { part.1 } else { 1.0 };
    let done: f64 = parts.iter().map(|part| part.0 * length(part)).sum();
    done / parts.iter().map(length).sum::<f64>()
}

/// True where parts of these lengths, s, are enough to see a fall in.
pub fn shows_collapse(lengths: &[f64]) -> bool {
    places(lengths).next().is_some()
}

/// Places where parts of these lengths, s, have enough of them on each side.
fn places(lengths: &[f64]) -> impl Iterator<Item = usize> {
    let is_long = |side: &[f64]| side.iter().sum::<f64>() >= 0.99 * SIDE_S;
    let least = SIDE.max(lengths.len() / 10);
    let last = lengths.len().saturating_sub(least);
    (least..=last).filter(move |at| is_long(&lengths[..*at]) && is_long(&lengths[*at..]))
}

/// The highest mean of so many rates in a row.
fn best_level(rates: &[f64], width: usize) -> f64 {
    let width = width.clamp(1, rates.len());
    rates.windows(width).map(mean).fold(0.0, f64::max)
}

/// A beginning this long has a level of its own, s.
const BEGINNING_S: f64 = 3.0;

/// A fall in a beginning that is not counted: the best rate that it kept for [`BEGINNING_S`], and the median of the counted rates, where
/// that is less than [`LEFT`] of it. The beginning comes as rates with their lengths, s. What begins to be counted while it is still
/// up has the fall in it, which [`collapse`] and levels show.
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
    let is_hidden = counted[0] < (best + median) / 2.0;
    (is_hidden && median < LEFT * best).then_some((best, median))
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The least of some rates that three quarters of them do not exceed.
fn most(rates: &[f64]) -> f64 {
    let mut sorted = rates.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted[(3 * sorted.len()).div_ceil(4) - 1]
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

    fn seconds(rates: &[f64]) -> Vec<(f64, f64)> {
        rates.iter().map(|rate| (*rate, 1.0)).collect()
    }

    #[test]
    fn a_fall_in_four_intervals_of_two_seconds_is_one_and_in_four_of_one_is_none() {
        let published = |length: f64| {
            let rates = [96_334.0, 57_867.0, 32_946.0, 30_703.0];
            collapse(&rates.map(|rate| (rate, length)))
        };
        let found = published(2.0).unwrap();
        assert_eq!(
            (found.at, found.before, found.after),
            (2, 96_334.0, 31_824.5)
        );
        assert_eq!(published(1.0), None);
    }

    #[test]
    fn two_levels_are_found_and_scatter_is_not() {
        let rates: Vec<f64> = (0..60)
            .map(|n| if n < 37 { 105_000.0 } else { 31_000.0 })
            .collect();
        let found = collapse(&seconds(&rates)).unwrap();
        assert_eq!(found.at, 37);
        assert_eq!(found.before, 105_000.0);
        assert_eq!(found.after, 31_000.0);
        let scatter: Vec<f64> = (0..60)
            .map(|n| f64::from(10_000 + n * 37 % 4_000))
            .collect();
        assert_eq!(collapse(&seconds(&scatter)), None);
    }

    #[test]
    fn a_level_that_only_the_beginning_had_is_found_and_a_moment_is_not() {
        let of =
            |seconds: f64, rate: f64| fell_before(&[(rate, seconds), (50.0, 2.0)], &[50.0; 20]);
        assert_eq!(of(3.0, 105.0), Some((105.0, 50.0)));
        assert_eq!(of(3.0, 71.0), None);
        // One second of 105 in three is a mean of 68.
        assert_eq!(of(1.0, 105.0), None);
        // The fall is in the counted time, too, and so not hidden.
        let counted = |up: usize| [vec![105.0; up], vec![50.0; 20]].concat();
        assert_eq!(fell_before(&[(105.0, 3.0)], &counted(1)), None);
        assert!(fell_before(&[(105.0, 3.0)], &counted(0)).is_some());
        assert_eq!(fell_before(&[], &[50.0]), None);
        assert_eq!(fell_before(&[(105.0, 3.0)], &[]), None);
    }

    #[test]
    fn four_intervals_of_a_second_and_three_of_an_hour_show_nothing() {
        assert!(shows_collapse(&[2.0; 4]) && shows_collapse(&[1.0; 6]));
        assert!(!shows_collapse(&[1.0; 4]) && !shows_collapse(&[1.0; 5]));
        assert!(!shows_collapse(&[3600.0; 3]) && !shows_collapse(&[]));
        // A short end and a long one leave one side too little.
        assert!(!shows_collapse(&[2.0, 2.0, 2.0, 0.5]) && !shows_collapse(&[1.0, 1.0, 1.0, 10.0]));
    }

    #[test]
    fn what_was_before_is_no_less_than_the_median_by_which_it_fell() {
        // Each four in a row, a fifth of all, have a zero among them.
        let mut rates = [10.0; 20];
        rates[..11].fill(100.0);
        (rates[3], rates[7]) = (0.0, 0.0);
        let found = collapse(&seconds(&rates)).unwrap();
        assert_eq!((found.at, found.before, found.after), (11, 100.0, 10.0));
    }

    /// The last nine seconds of a published run: two of them are no level, and the third is the one before.
    #[test]
    fn two_slow_seconds_at_the_end_are_no_level() {
        let rates = [
            18_276.0, 17_721.0, 18_189.0, 17_730.0, 17_127.0, 16_489.0, 17_093.0, 8_697.0, 8_341.0,
        ];
        assert_eq!(collapse(&seconds(&rates)), None);
        let longer: Vec<f64> = rates.into_iter().chain([8_500.0]).collect();
        assert_eq!(collapse(&seconds(&longer)).map(|found| found.at), Some(7));
    }

    #[test]
    fn the_edge_is_at_seven_tenths() {
        let of =
            |after: f64| collapse(&seconds(&[100.0, 100.0, 100.0, after, after, after])).is_some();
        assert_eq!((of(69.9), of(70.0)), (true, false));
    }

    #[test]
    fn a_dip_that_ends_is_none_and_neither_is_a_rise_or_too_little() {
        let mut dip = vec![100.0; 30];
        dip[10..15].fill(10.0);
        assert_eq!(collapse(&seconds(&dip)), None);
        assert_eq!(
            collapse(&[(10.0, 9.0), (10.0, 9.0), (100.0, 9.0), (100.0, 9.0)]),
            None
        );
        assert_eq!(collapse(&[(100.0, 9.0), (10.0, 9.0)]), None);
        assert_eq!(collapse(&[]), None);
    }
}
