//! Duplicates that lie anywhere.

use crate::plan::DedupePlan;
use plimsoll_draw::mix64;

/// A share of the blocks are unique, and each of the others holds one of the sets; both by a hash of the block's number.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scattered {
    /// Blocks whose hash is below are unique.
    unique_below: u64,
    sets: u64,
    key: u64,
}

impl Scattered {
    pub(crate) fn new(plan: &DedupePlan, key: u64) -> Self {
        let (unique, sets) = shares(plan);
        Scattered {
            unique_below: (unique * u64::MAX as f64) as u64,
            sets,
            key,
        }
    }

    /// The duplicate that a block holds; `None` where it is unique.
    #[inline]
    pub(crate) fn duplicate(&self, number: u64) -> Option<u64> {
        let hash = mix64(self.key ^ mix64(number));
        let set = || ((u128::from(mix64(hash)) * u128::from(self.sets)) >> 64) as u64;
        (hash >= self.unique_below).then(set)
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
    use crate::plan::Placement;
    use std::collections::HashSet;

    /// Blocks over distinct blocks, after every block is written once.
    fn reached(plan: &DedupePlan) -> f64 {
        let scattered = Scattered::new(plan, mix64(78));
        let mut unique = 0;
        let mut sets = HashSet::new();
        for number in 0..plan.units {
            match scattered.duplicate(number) {
                None => unique += 1,
                Some(set) => {
                    sets.insert(set);
                }
            }
        }
        plan.units as f64 / (unique + sets.len()) as f64
    }

    #[test]
    fn the_asked_ratio_is_reached() {
        for ratio in [1.0, 1.05, 1.5, 2.0, 3.0, 5.0, 10.0, 19.0, 20.0, 50.0] {
            for sets in [1, 100, 5_000, 60_000] {
                let got = reached(&DedupePlan {
                    ratio,
                    unit: 4096,
                    sets,
                    units: 100_000,
                    flip_flop: false,
                    placement: Placement::Scattered,
                    seed: 0,
                });
                assert!(
                    (got / ratio - 1.0).abs() < 0.03,
                    "asked {ratio} with {sets} sets, got {got}"
                );
            }
        }
    }
}
