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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn completions_come_in_the_order_of_time(times in proptest::collection::vec(0u64..50, 0..200)) {
            let mut due = Due::with_capacity(times.len());
            for (slot, at_ns) in times.iter().enumerate() {
                due.push(*at_ns, Completion { slot: slot as u32, result: 1 });
            }
            let mut expected: Vec<(u64, u32)> = times.iter().copied().zip(0..).collect();
            expected.sort_unstable();
            for (at_ns, slot) in expected {
                prop_assert_eq!(due.next_ns(), at_ns);
                prop_assert_eq!(due.pop().map(|c| c.slot), Some(slot));
            }
            prop_assert_eq!(due.next_ns(), u64::MAX);
            prop_assert_eq!(due.pop(), None);
        }
    }
}
