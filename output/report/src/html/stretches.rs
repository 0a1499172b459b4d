//! What held a step's I/Os up for a while: as many stretches as a chart can show.

use plimsoll_evidence::Stretch;
use serde::Serialize;

/// Stretches of all steps of a page.
const DRAWN: usize = 2000;

/// Stalls of a step, or times in which its host was late.
#[derive(Serialize)]
pub(super) struct Stretches {
    /// How many there were.
    count: usize,
    /// I/Os that they held up.
    ios: u64,
    /// The longest of them, in the order of time.
    longest: Vec<Stretch>,
}

impl Stretches {
    /// Of one of so many steps.
    pub(super) fn of(all: &[Stretch], steps: usize) -> Self {
        let most = (DRAWN / steps.max(1)).clamp(10, 200);
        let mut longest = all.to_vec();
        longest.sort_by_key(|s| std::cmp::Reverse(s.length_ns));
        longest.truncate(most);
        longest.sort_by_key(|s| s.start_ns);
        Stretches {
            count: all.len(),
            ios: all.iter().fold(0, |sum, s| sum.saturating_add(s.ios)),
            longest,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_many_stretches_the_longest_are_drawn_in_order_and_all_are_counted() {
        let stretch = |n: u64| Stretch {
            start_ns: n * 10,
            length_ns: (n * 7919) % 1009,
            ios: 2,
        };
        let all: Vec<Stretch> = (0..5000).map(stretch).collect();
        let stretches = Stretches::of(&all, 1);
        assert_eq!((stretches.count, stretches.ios), (5000, 10_000));
        assert_eq!(stretches.longest.len(), 200);
        assert!(stretches.longest.is_sorted_by_key(|s| s.start_ns));
        let shortest = stretches.longest.iter().map(|s| s.length_ns).min();
        let longer = all.iter().filter(|s| Some(s.length_ns) > shortest);
        assert!(longer.count() < 200);
        assert_eq!(Stretches::of(&all, 1000).longest.len(), 10);
        assert_eq!(Stretches::of(&all[..3], 1).longest, all[..3]);
    }
}
