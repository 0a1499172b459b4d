//! The times of a log's I/Os as a schedule.

use crate::replay::Recording;

/// Due times of a log's I/Os. Cloning it gives a second reader.
#[derive(Debug, Clone)]
pub struct Recorded {
    ios: Recording,
    /// How many it has given.
    given: usize,
    is_over: bool,
    /// Syncs are no I/Os that count, and are not given to who counts.
    without_syncs: bool,
}

impl Recorded {
    /// From the first.
    pub fn new(ios: Recording) -> Self {
        Recorded {
            ios,
            given: 0,
            is_over: false,
            without_syncs: false,
        }
    }

    /// The next intended start, ns; [`u64::MAX`] where there is none any more.
    pub fn next_ns(&mut self) -> u64 {
        while let Some(io) = self.ios.get(self.given) {
            self.given += 1;
            if io.op.is_io() || !self.without_syncs {
                return io.due_ns;
            }
        }
        self.is_over = true;
        u64::MAX
    }

    /// True once it was asked for one more than there are.
    pub fn is_over(&self) -> bool {
        self.is_over
    }

    /// True where the I/O that it gave last is a sync.
    #[inline(always)]
    pub fn is_sync(&self) -> bool {
        let last = self.given.checked_sub(1).and_then(|at| self.ios.get(at));
        !self.is_over && last.is_some_and(|io| !io.op.is_io())
    }

    /// Gives no syncs from now on; whether the last that it gave was one.
    pub fn skip_syncs(&mut self) -> bool {
        self.without_syncs = true;
        self.is_sync()
    }

    /// Number of I/Os that are due from `from_ns` to `to_ns`, without syncs.
    pub fn expected(&self, from_ns: u64, to_ns: u64) -> f64 {
        let before = |ns: u64| self.ios.partition_point(|io| io.due_ns < ns);
        let (from, to) = (before(from_ns), before(to_ns));
        let due = self.ios.get(from..to.max(from)).unwrap_or_default();
        due.iter().filter(|io| io.op.is_io()).count() as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plimsoll_plan::Op;
    use plimsoll_traffic::Recorded as Io;
    use std::sync::Arc;

    fn recorded(dues: &[(u64, Op)]) -> Recorded {
        let io = |(due_ns, op): &(u64, Op)| Io {
            due_ns: *due_ns,
            offset: 0,
            length: 512,
            op: *op,
        };
        Recorded::new(Arc::new(dues.iter().map(io).collect()))
    }

    #[test]
    fn who_counts_sees_no_syncs() {
        let mut all = recorded(&[(1, Op::Read), (2, Op::Sync), (3, Op::Write), (4, Op::Sync)]);
        assert_eq!([all.next_ns(), all.next_ns()], [1, 2]);
        assert!(all.is_sync());
        let mut counts = all.clone();
        assert!(counts.skip_syncs());
        assert_eq!([counts.next_ns(), counts.next_ns()], [3, u64::MAX]);
        assert!(counts.is_over() && !all.is_over());
        assert_eq!(
            [all.next_ns(), all.next_ns(), all.next_ns()],
            [3, 4, u64::MAX]
        );
        assert!(all.is_over() && !all.is_sync());
        assert_eq!([all.expected(0, 5), all.expected(1, 3)], [2.0, 1.0]);
    }
}
