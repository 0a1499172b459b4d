//! A schedule that holds for a part of a step's time.

use super::Pace;
use plimsoll_plan::{RateSegment, Window};

/// A schedule from a window's beginning to its end.
#[derive(Debug, Clone)]
pub struct Within {
    /// Counted from the window's beginning.
    pub(crate) pace: Pace,
    from_ns: u64,
    until_ns: u64,
}

impl Within {
    /// `pace` counts from the window's beginning.
    pub fn new(pace: Pace, window: Window) -> Self {
        Within {
            pace,
            from_ns: window.from.0,
            until_ns: window.until.map_or(u64::MAX, |until| until.0),
        }
    }

    /// The next intended start, ns from the step's start; [`u64::MAX`] where there is none any more.
    pub fn next_ns(&mut self) -> u64 {
        let at = self.from_ns.saturating_add(self.pace.next_ns());
        if at < self.until_ns { at } else { u64::MAX }
    }

    /// See [`Pace::is_over`].
    pub fn is_over(&self) -> bool {
        self.pace.is_over()
    }

    /// See [`Pace::expected`].
    pub fn expected(&self, from_ns: u64, to_ns: u64) -> f64 {
        let (from, to) = (from_ns.max(self.from_ns), to_ns.min(self.until_ns));
        if from >= to {
            return 0.0;
        }
        self.pace.expected(from - self.from_ns, to - self.from_ns)
    }
}

/// A step's schedule as it is from a time on: parts that are over by then come again at the end of the round.
pub fn rotated(segments: &[RateSegment], from_ns: u64) -> Vec<RateSegment> {
    let round: u64 = segments.iter().map(|s| s.length.0).sum();
    let mut left = from_ns.checked_rem(round).unwrap_or(0);
    let mut parts = segments.to_vec();
    for at in 0..segments.len() {
        let length = &mut parts[at].length.0;
        if left < *length {
            let first = RateSegment {
                length: plimsoll_plan::Nanos(left),
                ..segments[at]
            };
            *length -= left;
            parts.rotate_left(at);
            parts.push(first);
            break;
        }
        left -= *length;
    }
    parts.retain(|s| s.length.0 > 0);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use plimsoll_plan::{Nanos, Rate};

    fn segments(parts: &[(f64, u64)]) -> Vec<RateSegment> {
        let segment = |(rate, ns): &(f64, u64)| RateSegment::new(Rate(*rate), Nanos(*ns));
        parts.iter().map(segment).collect()
    }

    #[test]
    fn a_schedule_goes_on_where_it_would_be_at_the_windows_beginning() {
        let round = segments(&[(1.0, 10), (2.0, 20), (3.0, 30)]);
        for (from, expected) in [
            (0, vec![(1.0, 10), (2.0, 20), (3.0, 30)]),
            (4, vec![(1.0, 6), (2.0, 20), (3.0, 30), (1.0, 4)]),
            (10, vec![(2.0, 20), (3.0, 30), (1.0, 10)]),
            (35, vec![(3.0, 25), (1.0, 10), (2.0, 20), (3.0, 5)]),
            (64, vec![(1.0, 6), (2.0, 20), (3.0, 30), (1.0, 4)]),
        ] {
            assert_eq!(rotated(&round, from), segments(&expected), "from {from}");
        }
    }
}
