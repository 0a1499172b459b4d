//! Which blocks are duplicates of each other.

use crate::mix::mix64;
use crate::plan::DedupePlan;

/// A decision for each block of the target, by its number alone.
///
/// Vdbench's model: a share of the blocks are duplicates, and each of those holds one of `sets` contents. Nothing is
/// remembered: block number and seed say all, so writing a block again writes the same duplicate.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Dedupe {
    pub(crate) unit: u64,
    /// Blocks whose hash is below are unique.
    unique_below: u64,
    sets: u64,
    flip_flop: bool,
    key: u64,
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
    pub(crate) fn new(plan: &DedupePlan, seed: u64) -> Self {
        let (unique, sets) = shares(plan);
        Dedupe {
            unit: plan.unit.max(512),
            unique_below: (unique * u64::MAX as f64) as u64,
            sets,
            flip_flop: plan.flip_flop,
            key: mix64(seed ^ 0x6465_6475_7065),
        }
    }

    /// What block `number` holds once written with `generation`.
    #[inline]
    pub(crate) fn class(&self, number: u64, generation: u64) -> Class {
        let h = mix64(self.key ^ mix64(number));
        if h < self.unique_below {
            return Class::Unique;
        }
        let set = ((u128::from(mix64(h)) * u128::from(self.sets)) >> 64) as u64;
        Class::Duplicate(set * 2 + (generation & u64::from(self.flip_flop)))
    }
}

/// The share of unique blocks, and the number of sets. Where the asked sets alone would exceed the asked number of
/// distinct blocks there are fewer sets, and no unique block.
fn shares(plan: &DedupePlan) -> (f64, u64) {
    let units = plan.units.max(1) as f64;
    let distinct = units / plan.ratio.max(1.0);
    let expected = |unique: f64, sets: f64| {
        // D duplicates thrown at S sets hit S (1 - exp(-D / S)) of them.
        units * unique + sets * -(-(units * (1.0 - unique)) / sets).exp_m1()
    };
    let sets = plan.sets.max(1) as f64;
    if plan.ratio <= 1.0 {
        return (1.0, plan.sets.max(1));
    }
    if expected(0.0, sets) >= distinct {
        let fewer = bisect(1.0, sets, |s| expected(0.0, s) < distinct);
        return (0.0, (fewer.round() as u64).max(1));
    }
    (
        bisect(0.0, 1.0, |u| expected(u, sets) < distinct),
        plan.sets.max(1),
    )
}

/// The point where `below` turns false.
fn bisect(mut low: f64, mut high: f64, below: impl Fn(f64) -> bool) -> f64 {
    for _ in 0..64 {
        let middle = (low + high) / 2.0;
        if below(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    (low + high) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    fn plan(ratio: f64, sets: u64) -> DedupePlan {
        DedupePlan {
            ratio,
            unit: 4096,
            sets,
            units: 100_000,
            flip_flop: false,
        }
    }

    /// Blocks over distinct blocks, after every block is written once.
    fn reached(plan: &DedupePlan) -> f64 {
        let dedupe = Dedupe::new(plan, 77);
        let mut unique = 0;
        let mut sets = HashSet::new();
        for n in 0..plan.units {
            match dedupe.class(n, 0) {
                Class::Unique => unique += 1,
                Class::Duplicate(s) => {
                    sets.insert(s);
                }
            }
        }
        plan.units as f64 / (unique + sets.len()) as f64
    }

    #[test]
    fn the_asked_ratio_is_reached() {
        for ratio in [1.0, 1.05, 1.5, 2.0, 3.0, 5.0, 10.0, 19.0, 20.0, 50.0] {
            for sets in [1, 100, 5_000, 60_000] {
                let got = reached(&plan(ratio, sets));
                assert!(
                    (got / ratio - 1.0).abs() < 0.03,
                    "asked {ratio} with {sets} sets, got {got}"
                );
            }
        }
    }

    #[test]
    fn a_rewritten_duplicate_stays_or_flips_as_asked() {
        let stays = Dedupe::new(&plan(10.0, 10), 1);
        let flips = Dedupe::new(
            &DedupePlan {
                flip_flop: true,
                ..plan(10.0, 10)
            },
            1,
        );
        for n in 0..1000 {
            assert_eq!(stays.class(n, 0), stays.class(n, 1));
            if let Class::Duplicate(c) = flips.class(n, 0) {
                assert_eq!(flips.class(n, 1), Class::Duplicate(c ^ 1));
                assert_eq!(flips.class(n, 2), Class::Duplicate(c));
            }
        }
    }
}
