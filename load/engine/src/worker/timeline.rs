//! When a worker works, and how much it may do.

/// The instants of a step, ns on the workers' clocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timeline {
    /// When I/O may start.
    pub start_ns: u64,
    /// Warm-up and measurement together.
    pub length_ns: u64,
    /// Length of an interval.
    pub interval_ns: u64,
    /// Length of a sample; an interval's last may be shorter.
    pub sample_ns: u64,
    /// How long after the end I/Os may stay out.
    pub drain_ns: u64,
}

impl Timeline {
    /// When the step ends where nothing ends it before, ns.
    pub fn end_ns(&self) -> u64 {
        self.start_ns.saturating_add(self.length_ns)
    }
}

/// What ends a worker before its time; its part of the step's limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// I/Os to issue.
    pub ios: u64,
    /// Bytes to move, any operation.
    pub bytes: u64,
    /// Bytes to move by operation.
    pub by_op: [u64; 3],
}

impl Budget {
    /// No limit.
    pub const UNLIMITED: Budget = Budget {
        ios: u64::MAX,
        bytes: u64::MAX,
        by_op: [u64::MAX; 3],
    };

    /// Takes one I/O off; false where it does not fit any more.
    #[inline]
    pub(crate) fn spend(&mut self, op: u8, length: u32) -> bool {
        let bytes = u64::from(length);
        let of_op = &mut self.by_op[usize::from(op.min(2))];
        if self.ios == 0 || self.bytes < bytes || *of_op < bytes {
            return false;
        }
        self.ios -= 1;
        self.bytes -= bytes;
        *of_op -= bytes;
        true
    }
}
