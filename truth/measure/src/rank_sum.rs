//! Whether the values of one histogram tend to be smaller than those of another, whatever their distributions are.

use crate::Histogram;
use statrs::distribution::{ContinuousCDF, Normal};

/// Result of a comparison of two samples.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RankSum {
    /// The chance that a value of the first is below one of the second, ties counted half.
    pub below: f64,
    /// Probability of so much or more of it where both have one distribution (one-sided: the first is smaller).
    pub p: f64,
}

/// The rank-sum test of Wilcoxon, Mann and Whitney, one-sided, by its normal approximation with the correction for ties
/// (Hollander and Wolfe, "Nonparametric statistical methods", 1999, 4.1). Values of one bucket are ties. `None` below eight values in
/// either, where the approximation is none.
pub fn rank_sum(first: &Histogram, second: &Histogram) -> Option<RankSum> {
    const LEAST: u64 = 8;
    let (n, m) = (first.count(), second.count());
    if n < LEAST || m < LEAST {
        return None;
    }
    let mut others = second.buckets().peekable();
    let (mut passed, mut below, mut ties) = (0u64, 0.0, 0.0);
    let cube = |t: f64| t * t * t - t;
    for (low, _, count) in first.buckets() {
        while let Some((_, _, more)) = others.next_if(|(other, ..)| *other < low) {
            passed += more;
            ties += cube(more as f64);
        }
        let same = others.next_if(|(other, ..)| *other == low);
        let same = same.map_or(0, |(_, _, same)| same);
        let above = (m - passed - same) as f64;
        below += count as f64 * (above + 0.5 * same as f64);
        ties += cube((count + same) as f64);
        passed += same;
    }
    ties += others.map(|(_, _, more)| cube(more as f64)).sum::<f64>();
    let (n, m) = (n as f64, m as f64);
    let all = n + m;
    let variance = n * m / 12.0 * (all + 1.0 - ties / (all * (all - 1.0)));
    let p = match variance > 0.0 {
        // Half a rank: the count is whole.
        true => Normal::standard().sf((below - n * m / 2.0 - 0.5) / variance.sqrt()),
        false => 0.5,
    };
    Some(RankSum {
        below: below / (n * m),
        p,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(values: impl IntoIterator<Item = u64>) -> Histogram {
        let mut histogram = Histogram::new();
        values.into_iter().for_each(|v| histogram.record(v));
        histogram
    }

    #[test]
    fn it_is_the_published_test() {
        // R: wilcox.test(1:10, 6:15 + 0.5, alternative = "less", exact = FALSE) has W = 15 of 100 pairs above, p = 0.004526.
        let first = of((1..=10).map(|n| n * 2));
        let second = of((6..=15).map(|n| n * 2 + 1));
        let found = rank_sum(&first, &second).unwrap();
        assert!((found.below - 0.90).abs() < 0.06, "{found:?}");
        assert!(found.p < 0.01, "{found:?}");
        let other_way = rank_sum(&second, &first).unwrap();
        assert!(other_way.p > 0.99, "{other_way:?}");
        assert!((found.below + other_way.below - 1.0).abs() < 1e-9);
    }

    #[test]
    fn every_pair_is_counted_once() {
        let (a, b) = (
            [3, 5, 5, 9, 12, 14, 20, 21],
            [1, 5, 6, 9, 9, 30, 31, 32, 40],
        );
        let pairs = a.iter().flat_map(|x| b.iter().map(move |y| (x, y)));
        let counted: f64 = pairs
            .map(|(x, y)| match x.cmp(y) {
                std::cmp::Ordering::Less => 1.0,
                std::cmp::Ordering::Equal => 0.5,
                std::cmp::Ordering::Greater => 0.0,
            })
            .sum();
        let found = rank_sum(&of(a), &of(b)).unwrap();
        assert!((found.below - counted / 72.0).abs() < 1e-12, "{found:?}");
    }

    #[test]
    fn alike_is_no_difference_and_few_say_nothing() {
        let same = || of((0..100).map(|n| 1000 + n * 37 % 400));
        let found = rank_sum(&same(), &same()).unwrap();
        assert!(
            (found.below - 0.5).abs() < 1e-9 && found.p > 0.4,
            "{found:?}"
        );
        let one_value = rank_sum(&of([7; 50]), &of([7; 50])).unwrap();
        assert!((one_value.p - 0.5).abs() < 1e-9);
        assert_eq!(rank_sum(&of(0..7), &same()), None);
    }

    #[test]
    fn chance_is_taken_for_a_difference_as_seldom_as_is_said() {
        let mut state = 1u64;
        let mut draw = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            state >> 40
        };
        let trials = 2000;
        let mut alarms = 0;
        for _ in 0..trials {
            let a = of((0..40).map(|_| draw()));
            let b = of((0..60).map(|_| draw()));
            alarms += u32::from(rank_sum(&a, &b).unwrap().p < 0.05);
        }
        let share = f64::from(alarms) / f64::from(trials);
        assert!((0.03..0.07).contains(&share), "{share}");
    }
}
