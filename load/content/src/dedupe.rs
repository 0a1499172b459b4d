//! Which blocks are duplicates of each other.

use crate::plan::{DedupePlan, Placement};
use crate::runs::Runs;
use crate::scattered::Scattered;
use plimsoll_draw::mix64;

/// A decision for each block of the target, by its number alone.
///
/// A share of the blocks are unique, and each of the others holds one of `sets` contents. Nothing is remembered: block
/// number and seed say all, so writing a block again writes the same duplicate, whoever writes it and when.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Dedupe {
    pub(crate) unit: u64,
    pub(crate) flip_flop: bool,
    placed: Placed,
}

#[derive(Debug, Clone, Copy)]
enum Placed {
    Scattered(Scattered),
    Runs(Runs),
}

/// What a block holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    /// Something of its own.
    Unique,
    /// The content of this number.
    Duplicate(u64),
}

impl Dedupe {
    /// Decisions that reach `plan.ratio` once each of `plan.units` blocks is written.
    pub(crate) fn new(plan: &DedupePlan) -> Self {
        let key = mix64(plan.seed ^ 0x6465_6475_7065);
        Dedupe {
            unit: plan.unit.max(512),
            flip_flop: plan.flip_flop,
            placed: match plan.placement {
                Placement::Scattered => Placed::Scattered(Scattered::new(plan, key)),
                Placement::Runs => Placed::Runs(Runs::new(plan, key)),
            },
        }
    }

    /// What block `number` holds. A duplicate has two values; `is_second` asks for the second.
    #[inline]
    pub(crate) fn class(&self, number: u64, is_second: impl FnOnce() -> bool) -> Class {
        let duplicate = match &self.placed {
            Placed::Scattered(scattered) => scattered.duplicate(number),
            Placed::Runs(runs) => runs.duplicate(number),
        };
        match duplicate {
            None => Class::Unique,
            Some(set) => Class::Duplicate(set * 2 + u64::from(is_second())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn plan(placement: Placement, seed: u64) -> DedupePlan {
        DedupePlan {
            ratio: 3.0,
            unit: 4096,
            sets: 5000,
            units: 100_000,
            flip_flop: true,
            placement,
            seed,
        }
    }

    #[test]
    fn the_two_values_of_a_duplicate_are_no_others() {
        for placement in [Placement::Scattered, Placement::Runs] {
            let dedupe = Dedupe::new(&plan(placement, 1));
            let mut firsts = std::collections::HashSet::new();
            let mut seconds = std::collections::HashSet::new();
            for number in 0..100_000 {
                let (first, second) = (
                    dedupe.class(number, || false),
                    dedupe.class(number, || true),
                );
                match (first, second) {
                    (Class::Unique, Class::Unique) => {}
                    (Class::Duplicate(a), Class::Duplicate(b)) => {
                        assert_eq!(a ^ 1, b);
                        firsts.insert(a);
                        seconds.insert(b);
                    }
                    other => panic!("{other:?}"),
                }
            }
            assert_eq!((firsts.len(), seconds.len()), (5000, 5000));
            assert!(firsts.is_disjoint(&seconds));
        }
    }

    proptest! {
        #[test]
        fn the_seed_alone_decides(seed: u64, other: u64, which: bool) {
            let placement = if which { Placement::Runs } else { Placement::Scattered };
            let classes = |seed| {
                let dedupe = Dedupe::new(&plan(placement, seed));
                (0..2000).map(|n| dedupe.class(n, || false)).collect::<Vec<_>>()
            };
            prop_assert_eq!(classes(seed), classes(seed));
            if seed != other {
                prop_assert_ne!(classes(seed), classes(other));
            }
        }
    }
}
