//! When a worker works, and how much it may do.

use plimsoll_plan::{NO_TIME_LIMIT, OP_COUNT, Op};

/// The longest that what came due is still issued after the end, at least, ns.
const CATCH_UP_NS: u64 = 1_000_000_000;
/// And as a part of the counted time: one in so many.
const CATCH_UP_PART: u64 = 10;

/// The instants of a step, ns on the workers' clocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timeline {
    /// Earliest start of an I/O.
    pub start_ns: u64,
    /// Warm-up. An interval ends with it, and limits count from there.
    pub warmup_ns: u64,
    /// From the start to the counted time: the warm-up, or where the first interval is left out, that.
    pub uncounted_ns: u64,
    /// Warm-up and measurement together.
    pub length_ns: u64,
    /// Length of an interval; the last of the warm-up and of the step may be shorter.
    pub interval_ns: u64,
    /// Length of a sample; an interval's last may be shorter.
    pub sample_ns: u64,
    /// Time that I/Os may stay out, from the end or, where they are issued after it, from then.
    pub drain_ns: u64,
}

impl Timeline {
    /// End of the step where nothing ends it before, ns.
    pub fn end_ns(&self) -> u64 {
        self.start_ns.saturating_add(self.length_ns)
    }

    /// True where only the step's streams end it.
    pub fn is_endless(&self) -> bool {
        self.length_ns >= NO_TIME_LIMIT.0
    }

    /// End of the warm-up, ns.
    pub fn warm_ns(&self) -> u64 {
        self.start_ns.saturating_add(self.warmup_ns)
    }

    /// Start of the counted time, ns.
    pub fn counted_from_ns(&self) -> u64 {
        self.start_ns.saturating_add(self.uncounted_ns)
    }

    /// End of an interval that begins at `from_ns`, ns.
    pub fn interval_end_ns(&self, from_ns: u64) -> u64 {
        let edge = if from_ns < self.warm_ns() {
            self.warm_ns()
        } else {
            self.end_ns()
        };
        from_ns.saturating_add(self.interval_ns).min(edge)
    }

    /// Start of an interval (from 1), ns from the step's start.
    pub fn interval_start_ns(&self, number: u32) -> u64 {
        let before = u64::from(number.max(1) - 1);
        let warming = self.warmup_ns.div_ceil(self.interval_ns.max(1));
        match before.checked_sub(warming) {
            Some(counted) => self
                .warmup_ns
                .saturating_add(counted.saturating_mul(self.interval_ns)),
            None => before.saturating_mul(self.interval_ns),
        }
    }

    /// Until when what came due before `end_ns` is still issued, ns: for a tenth of the counted time, or a second where that
    /// is more, and never past the drain.
    pub fn catch_up_until_ns(&self, end_ns: u64) -> u64 {
        let counted = end_ns.saturating_sub(self.counted_from_ns());
        let longest = CATCH_UP_NS.max(counted / CATCH_UP_PART);
        end_ns.saturating_add(longest.min(self.drain_ns))
    }

    /// Time at which the last I/O that can be issued is given up, ns.
    pub fn give_up_ns(&self) -> u64 {
        self.catch_up_until_ns(self.end_ns())
            .saturating_add(self.drain_ns)
    }
}

/// Limits that end a worker before its time: its part of the step's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// I/Os to issue.
    pub ios: u64,
    /// Bytes to move, any operation.
    pub bytes: u64,
    /// Bytes to move by operation.
    pub by_op: [u64; OP_COUNT],
}

impl Budget {
    /// No limit.
    pub const UNLIMITED: Budget = Budget {
        ios: u64::MAX,
        bytes: u64::MAX,
        by_op: [u64::MAX; OP_COUNT],
    };

    /// Takes one I/O off; false where it does not fit any more.
    #[inline]
    pub(crate) fn spend(&mut self, op: Op, length: u32) -> bool {
        let bytes = u64::from(length);
        let of_op = &mut self.by_op[op as usize];
        if self.ios == 0 || self.bytes < bytes || *of_op < bytes {
            return false;
        }
        self.ios -= 1;
        self.bytes -= bytes;
        *of_op -= bytes;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn timeline(warmup_ns: u64, length_ns: u64, interval_ns: u64) -> Timeline {
        Timeline {
            start_ns: 1_000,
            warmup_ns,
            uncounted_ns: warmup_ns,
            length_ns,
            interval_ns,
            sample_ns: 10,
            drain_ns: 30,
        }
    }

    /// (start, end) of all intervals, ns from the step's start.
    fn intervals(t: Timeline) -> Vec<(u64, u64)> {
        let mut seen = Vec::new();
        let mut from = t.start_ns;
        while from < t.end_ns() {
            let end = t.interval_end_ns(from);
            let number = seen.len() as u32 + 1;
            assert_eq!(t.interval_start_ns(number), from - t.start_ns);
            seen.push((from - t.start_ns, end - t.start_ns));
            from = end;
        }
        seen
    }

    #[test]
    fn the_warm_up_ends_with_an_interval() {
        assert_eq!(intervals(timeline(5, 65, 60)), [(0, 5), (5, 65)]);
        assert_eq!(
            intervals(timeline(25, 60, 10)),
            [
                (0, 10),
                (10, 20),
                (20, 25),
                (25, 35),
                (35, 45),
                (45, 55),
                (55, 60)
            ]
        );
        assert_eq!(
            intervals(timeline(20, 40, 20)),
            intervals(timeline(0, 40, 20))
        );
        assert_eq!(intervals(timeline(7, 7, 7)), [(0, 7)]);
    }

    #[test]
    fn no_time_is_too_long_for_it() {
        let t = timeline(u64::MAX / 2, u64::MAX, u64::MAX / 3);
        assert_eq!(t.interval_end_ns(t.warm_ns()), u64::MAX / 3 + t.warm_ns());
        assert_eq!(t.interval_start_ns(u32::MAX), u64::MAX);
        assert_eq!(t.catch_up_until_ns(t.end_ns()), u64::MAX);
    }
}
