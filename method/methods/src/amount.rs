//! Amounts of data that end a step on trees, as Vdbench's `maxdata=` ends a run: once more than that was moved, with the interval that is
//! running then. What a transfer on a file moves is known only when it is done, and of no worker or host alone.

use crate::method::{Observed, Observer};
use plimsoll_evidence::{Interval, Phase};
use plimsoll_plan::{Limits, Op, Plan, Step};

/// Bytes that were moved in the counted time, beside the limits of them.
pub struct Amount {
    limits: Limits,
    read: u64,
    written: u64,
}

impl Amount {
    /// Of a step; `None` where nothing limits it, or workers keep to their own parts of its limits.
    pub fn of(plan: &Plan, step: &Step) -> Option<Self> {
        let limits = step.limits;
        let is_limited = limits != Limits::default() && plan.is_on_trees(step);
        is_limited.then_some(Amount {
            limits,
            read: 0,
            written: 0,
        })
    }

    fn is_reached(&self) -> bool {
        let limits = &self.limits;
        let all = self.read.saturating_add(self.written);
        let moved = [
            (limits.bytes, all),
            (limits.read_bytes, self.read),
            (limits.written_bytes, self.written),
        ];
        moved
            .iter()
            .any(|(limit, moved)| limit.is_some_and(|limit| *moved > limit.0))
    }
}

impl Observer for Amount {
    fn observe(&mut self, interval: &Interval) -> Observed {
        if interval.phase == Phase::Counted {
            for stream in &interval.stats.streams {
                self.read += stream.ops[Op::Read as usize].bytes;
                self.written += stream.ops[Op::Write as usize].bytes;
            }
        }
        match self.is_reached() {
            true => Observed::End,
            false => Observed::Continue,
        }
    }
}
