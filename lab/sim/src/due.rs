//! Requests that are in the array, by the time at which they come back.

use plimsoll_engine::backend::Completion;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Completions to come. Those of one instant come in the order of their slots.
#[derive(Debug, Default)]
pub(crate) struct Due(BinaryHeap<Reverse<(u64, u32, i32)>>);

impl Due {
    /// With room for so many.
    pub fn with_capacity(count: usize) -> Self {
        Due(BinaryHeap::with_capacity(count))
    }

    /// Comes back at `at_ns`.
    #[inline]
    pub fn push(&mut self, at_ns: u64, completion: Completion) {
        self.0
            .push(Reverse((at_ns, completion.slot, completion.result)));
    }

    /// When the next one comes back; [`u64::MAX`] where none does.
    #[inline]
    pub fn next_ns(&self) -> u64 {
        self.0.peek().map_or(u64::MAX, |Reverse(first)| first.0)
    }

    /// Takes the next one.
    #[inline]
    pub fn pop(&mut self) -> Option<Completion> {
        let Reverse((_, slot, result)) = self.0.pop()?;
        Some(Completion { slot, result })
    }
}
