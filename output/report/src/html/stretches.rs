//! Stretches of time in which something held a step's I/Os up: as many as a chart can show.

use plimsoll_evidence::Stretch;
use serde_json::{Value, json};

/// Stretches of all steps of a page.
const DRAWN: usize = 2000;

/// Stalls of one of so many steps, or times in which its host was late: how many there were, the I/Os that they held up, and the longest
/// of them in the order of time.
pub(super) fn stretches(all: &[Stretch], steps: usize) -> Value {
    let longest = longest(all, steps);
    let ios = all.iter().fold(0u64, |sum, s| sum.saturating_add(s.ios));
    json!({ "count": all.len(), "ios": ios, "longest": longest })
}

fn longest(all: &[Stretch], steps: usize) -> Vec<Stretch> {
    let most = (DRAWN / steps.max(1)).clamp(10, 200);
    let mut longest = all.to_vec();
    longest.sort_by_key(|s| std::cmp::Reverse(s.length_ns));
    longest.truncate(most);
    longest.sort_by_key(|s| s.start_ns);
    longest
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
        let shown = stretches(&all, 1);
        assert_eq!(shown["count"], json!(5000));
        assert_eq!(shown["ios"], json!(10_000));
        let drawn = longest(&all, 1);
        assert_eq!(shown["longest"], json!(drawn));
        assert_eq!(drawn.len(), 200);
        assert!(drawn.is_sorted_by_key(|s| s.start_ns));
        let shortest = drawn.iter().map(|s| s.length_ns).min();
        let longer = all.iter().filter(|s| Some(s.length_ns) > shortest);
        assert!(longer.count() < 200);
        assert_eq!(longest(&all, 1000).len(), 10);
        assert_eq!(longest(&all[..3], 1), all[..3]);
    }
}
