//! fio's search for the depth with which I/Os stay within a time (`latency_target`).
//!
//! The steps are those of `lat_target_success` and `__lat_target_failed` in fio's `io_u.c`: the depth begins at 1 and doubles with each window
//! that passes; from the first that fails on it is halved between the last that passed and that. Where that comes to the depth that has just
//! passed, one more window there is the result. Two things are otherwise. fio doubles again where it was the largest depth that failed, and may
//! then go back and forth for ever; here it halves. And a last window that fails is not the result: the search goes on.

use super::Samples;
use plimsoll_evidence::OpSummary;

/// What is searched for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LatencyRule {
    /// I/Os are to stay within this, ns.
    pub within_ns: u64,
    /// So many of a hundred.
    pub percent: f64,
    /// How long each depth is looked at, ns.
    pub window_ns: u64,
    /// It goes on when it has found one.
    pub goes_on: bool,
    /// The largest depth.
    pub most: u32,
}

/// What follows from a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Looked {
    /// Another window at the same depth.
    Again,
    /// This depth is next.
    Depth(u32),
    /// The same depth once more: that window is the result.
    Last,
    /// It was.
    Found,
    /// Not even one I/O at a time stays within it, and all should.
    Failed,
}

/// A search.
#[derive(Debug, Clone, PartialEq)]
pub struct LatencySearch {
    rule: LatencyRule,
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
    pub fn of(rule: LatencyRule) -> Self {
        LatencySearch {
            rule,
            depth: 1,
            low: 1,
            high: rule.most,
            has_failed: false,
            stable: 0,
            is_last: false,
        }
    }

    /// What is searched for.
    pub fn rule(&self) -> &LatencyRule {
        &self.rule
    }

    /// The depth that is looked at.
    pub fn depth(&self) -> u32 {
        self.depth
    }

    /// Whether a window has failed before its time is over: all I/Os should stay within it.
    pub fn fails_at_once(&self, late: u64) -> bool {
        late > 0 && self.rule.percent >= 100.0
    }

    /// Takes a window: `late` of its `ios` took longer. One without any has failed.
    pub fn look(&mut self, ios: u64, late: u64) -> Looked {
        let passed = (ios - late.min(ios)) as f64 / ios as f64 * 100.0;
        match passed >= self.rule.percent {
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
        let next = next.min(self.rule.most);
        if next != self.depth {
            self.depth = next;
            self.is_last = false;
            return Looked::Depth(next);
        }
        match (self.rule.goes_on, self.is_last) {
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
            return match self.rule.percent >= 100.0 {
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

/// What a search has come to.
#[derive(Debug, Clone)]
pub struct FoundDepth {
    /// What was searched for.
    pub rule: LatencyRule,
    /// The depth that was looked at last.
    pub depth: u32,
    /// What the last window has, where the search came to its end: that is the job's result.
    pub last: Option<LastWindow>,
}

/// The window that is the result.
#[derive(Debug, Clone)]
pub struct LastWindow {
    /// All operations of the job in it.
    pub ops: Vec<OpSummary>,
    /// Its intervals.
    pub samples: Samples,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(most: u32, goes_on: bool) -> LatencyRule {
        LatencyRule {
            within_ns: 1,
            percent: 99.0,
            window_ns: 1,
            goes_on,
            most,
        }
    }

    /// The depths that are looked at where all up to `carries` pass, and what the search ends with.
    fn searched(most: u32, carries: u32) -> (Vec<u32>, Looked) {
        let mut search = LatencySearch::of(rule(most, false));
        let mut depths = vec![search.depth()];
        loop {
            let late = if search.depth() > carries { 100 } else { 1 };
            match search.look(100, late) {
                Looked::Depth(depth) => depths.push(depth),
                Looked::Last => depths.push(search.depth()),
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
        let mut some = LatencySearch::of(rule(8, false));
        assert_eq!(some.look(100, 50), Looked::Again);
        assert!(!some.fails_at_once(1));
        let all = LatencyRule {
            percent: 100.0,
            ..rule(8, false)
        };
        let mut all = LatencySearch::of(all);
        assert!(all.fails_at_once(1) && !all.fails_at_once(0));
        assert_eq!(all.look(100, 1), Looked::Failed);
        // Nothing at all came back: that is no success.
        assert_eq!(LatencySearch::of(rule(8, false)).look(0, 0), Looked::Again);
    }

    #[test]
    fn a_search_that_goes_on_tries_more_after_three_windows_and_never_ends() {
        let mut search = LatencySearch::of(rule(100, true));
        let mut tried = Vec::new();
        for _ in 0..40 {
            let late = if search.depth() > 13 { 100 } else { 0 };
            assert!(!matches!(
                search.look(100, late),
                Looked::Found | Looked::Last
            ));
            tried.push(search.depth());
        }
        let settled = &tried[10..];
        assert!(settled.iter().all(|d| (12..=15).contains(d)), "{tried:?}");
        assert!(settled.contains(&14) && settled.contains(&13), "{tried:?}");
    }
}
