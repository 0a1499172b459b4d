//! fio's search for the depth with which I/Os stay within a time (`latency_target`).
//!
//! The steps are those of `lat_target_success` and `__lat_target_failed` in fio's `io_u.c`: the depth begins at 1 and doubles with each window
//! that passes; from the first that fails on it is halved between the last that passed and that. Where that comes to the depth that has just
//! passed, one more window there is the result. Two things are otherwise. fio doubles again where it was the largest depth that failed, and may
//! then go back and forth for ever; here it halves. And a last window that fails is not the result: the search goes on.

use plimsoll_evidence::Interval;
use plimsoll_measure::{Histogram, StreamStats};
use plimsoll_plan::LatencyGoal;

/// Intervals that are of no depth: in the first workers learn of it, and in the second the I/Os of the depth before come back.
const BETWEEN: u32 = 2;

/// Search of one stream: what its intervals say of a depth, window by window.
pub struct LatencyDepth {
    /// Place of the stream in its step.
    stream: usize,
    search: LatencySearch,
    /// Intervals that are left out before the next window.
    leave_out: u32,
    window: Window,
    /// The window that is the result, as far as it has come.
    last: Option<(StreamStats, Vec<Interval>)>,
    found: bool,
    failed: bool,
}

/// Counts of a depth's window.
#[derive(Default)]
struct Window {
    ns: u64,
    ios: u64,
    late: u64,
}

impl LatencyDepth {
    /// At its beginning, of the stream at this place of its step.
    pub fn of(goal: LatencyGoal, stream: usize) -> Self {
        LatencyDepth {
            stream,
            search: LatencySearch::of(goal),
            leave_out: 0,
            window: Window::default(),
            last: None,
            found: false,
            failed: false,
        }
    }

    /// Place of the stream in its step.
    pub fn stream(&self) -> usize {
        self.stream
    }

    /// Goal of the search.
    pub fn goal(&self) -> &LatencyGoal {
        &self.search.goal
    }

    /// The depth that is looked at.
    pub fn depth(&self) -> u32 {
        self.search.depth
    }

    /// True where it has come to its end, with a depth that keeps the time.
    pub fn found(&self) -> bool {
        self.found
    }

    /// True where not even one I/O at a time keeps it, and all should.
    pub fn failed(&self) -> bool {
        self.failed
    }

    /// Counts and intervals of the window that is the result, as far as it has come.
    pub fn last(&self) -> Option<(&StreamStats, &[Interval])> {
        self.last
            .as_ref()
            .map(|(stats, intervals)| (stats, intervals.as_slice()))
    }

    /// The depth that is to be next, where another is.
    pub fn saw(&mut self, interval: &Interval) -> Option<u32> {
        if self.found || self.failed {
            return None;
        }
        if self.leave_out > 0 {
            self.leave_out -= 1;
            return None;
        }
        let stats = interval.stats.streams.get(self.stream)?;
        self.window.ns += interval.length_ns;
        for (_, op) in stats.ios_by_op() {
            self.window.ios += op.ios;
            self.window.late += later_than(&op.response, self.search.goal.within.0);
        }
        if let Some((all, intervals)) = &mut self.last {
            all.merge(stats);
            intervals.push(interval.clone());
        }
        let is_over = self.window.ns >= self.search.goal.window.0;
        if !is_over && !self.search.fails_at_once(self.window.late) {
            return None;
        }
        let window = std::mem::take(&mut self.window);
        match self.search.look(window.ios, window.late) {
            Looked::Again => {
                self.last = None;
                None
            }
            Looked::Found => {
                self.found = true;
                None
            }
            Looked::Failed => {
                self.failed = true;
                None
            }
            Looked::Last => {
                self.last = Some(Default::default());
                None
            }
            Looked::Depth(depth) => {
                self.last = None;
                self.leave_out = BETWEEN;
                Some(depth)
            }
        }
    }
}

/// Number of I/Os that took longer. Those of the bucket that the time is in count as longer, unless none is.
fn later_than(times: &Histogram, within_ns: u64) -> u64 {
    if times.max_ns().is_none_or(|most| most <= within_ns) {
        return 0;
    }
    let late = times.buckets().filter(|(_, high, _)| *high > within_ns);
    late.map(|(_, _, count)| count).sum()
}

/// Consequence of a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Looked {
    /// Another window at the same depth.
    Again,
    /// Another depth, which is next.
    Depth(u32),
    /// The same depth once more: that window is the result.
    Last,
    /// Depth found: that window was the result.
    Found,
    /// Not even one I/O at a time stays within it, and all should.
    Failed,
}

/// A search.
#[derive(Debug, Clone, PartialEq)]
struct LatencySearch {
    goal: LatencyGoal,
    depth: u32,
    low: u32,
    high: u32,
    /// A window has failed.
    has_failed: bool,
    /// Windows that passed beside a depth that had failed, one after the other.
    stable: u32,
    is_last: bool,
}

impl LatencySearch {
    /// At its beginning.
    fn of(goal: LatencyGoal) -> Self {
        LatencySearch {
            goal,
            depth: 1,
            low: 1,
            high: goal.most,
            has_failed: false,
            stable: 0,
            is_last: false,
        }
    }

    /// True where a window has failed before its time is over: all I/Os should stay within it.
    fn fails_at_once(&self, late: u64) -> bool {
        late > 0 && self.goal.percent >= 100.0
    }

    /// Takes a window: `late` of its `ios` took longer. One without any has failed.
    fn look(&mut self, ios: u64, late: u64) -> Looked {
        let passed = (ios - late.min(ios)) as f64 / ios as f64 * 100.0;
        match passed >= self.goal.percent {
            true => self.passed(),
            false => self.failed(),
        }
    }

    fn passed(&mut self) -> Looked {
        self.low = self.depth;
        if self.has_failed && self.depth + 1 == self.high {
            self.stable += 1;
            if self.stable >= 3 {
                self.high += 1;
                self.stable = 0;
            }
        }
        let next = match self.has_failed {
            true => (self.depth + self.high) / 2,
            false => self.depth.saturating_mul(2),
        };
        let next = next.min(self.goal.most);
        if next != self.depth {
            self.depth = next;
            self.is_last = false;
            return Looked::Depth(next);
        }
        match (self.goal.goes_on, self.is_last) {
            (true, _) => Looked::Again,
            (false, true) => Looked::Found,
            (false, false) => {
                self.is_last = true;
                Looked::Last
            }
        }
    }

    fn failed(&mut self) -> Looked {
        self.is_last = false;
        if self.depth == 1 {
            return match self.goal.percent >= 100.0 {
                true => Looked::Failed,
                false => Looked::Again,
            };
        }
        self.has_failed = true;
        self.high = self.depth;
        if self.depth == self.low {
            self.low -= 1;
        }
        self.depth = (self.depth + self.low) / 2;
        self.stable = 0;
        Looked::Depth(self.depth)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plimsoll_plan::Nanos;

    fn goal(most: u32, goes_on: bool) -> LatencyGoal {
        LatencyGoal {
            within: Nanos(1),
            percent: 99.0,
            window: Nanos(1),
            goes_on,
            most,
        }
    }

    /// The depths that are looked at where all up to `carries` pass, and what the search ends with.
    fn searched(most: u32, carries: u32) -> (Vec<u32>, Looked) {
        let mut search = LatencySearch::of(goal(most, false));
        let mut depths = vec![search.depth];
        loop {
            let late = if search.depth > carries { 100 } else { 1 };
            match search.look(100, late) {
                Looked::Depth(depth) => depths.push(depth),
                Looked::Last => depths.push(search.depth),
                ended => return (depths, ended),
            }
            assert!(depths.len() < 100, "{depths:?}");
        }
    }

    #[test]
    fn the_largest_depth_that_passes_is_found_whatever_it_is() {
        for most in 1..70 {
            for carries in 1..75 {
                let (depths, ended) = searched(most, carries);
                assert_eq!(ended, Looked::Found);
                let last: Vec<u32> = depths.iter().rev().take(2).copied().collect();
                // It passed, and was looked at once more.
                assert_eq!(last[0], carries.min(most), "{most} {carries} {depths:?}");
                assert!(depths.len() == 1 || last[0] == last[1], "{depths:?}");
            }
        }
    }

    #[test]
    fn the_depths_are_those_of_fio() {
        // As fio 3.33 says with --debug=rate where nothing fails.
        assert_eq!(searched(64, 99).0, [1, 2, 4, 8, 16, 32, 64, 64]);
        // By its source, where 16 of 100 fails and 13 is the largest that does not.
        assert_eq!(searched(100, 13).0, [1, 2, 4, 8, 16, 12, 14, 13, 13]);
    }

    #[test]
    fn what_one_at_a_time_does_not_keep_fails_only_where_all_should() {
        let mut some = LatencySearch::of(goal(8, false));
        assert_eq!(some.look(100, 50), Looked::Again);
        assert!(!some.fails_at_once(1));
        let all = LatencyGoal {
            percent: 100.0,
            ..goal(8, false)
        };
        let mut all = LatencySearch::of(all);
        assert!(all.fails_at_once(1) && !all.fails_at_once(0));
        assert_eq!(all.look(100, 1), Looked::Failed);
        // Nothing at all came back: that is no success.
        assert_eq!(LatencySearch::of(goal(8, false)).look(0, 0), Looked::Again);
    }

    #[test]
    fn a_search_that_goes_on_tries_more_after_three_windows_and_never_ends() {
        let mut search = LatencySearch::of(goal(100, true));
        let mut tried = Vec::new();
        for _ in 0..40 {
            let late = if search.depth > 13 { 100 } else { 0 };
            assert!(!matches!(
                search.look(100, late),
                Looked::Found | Looked::Last
            ));
            tried.push(search.depth);
        }
        let settled = &tried[10..];
        assert!(settled.iter().all(|d| (12..=15).contains(d)), "{tried:?}");
        assert!(settled.contains(&14) && settled.contains(&13), "{tried:?}");
    }
}
