//! Duplicates that lie beside each other as Vdbench's do.

use crate::plan::DedupePlan;
use crate::reciprocal::Reciprocal;
use plimsoll_draw::mix64;

/// How many unique blocks Vdbench marks in a row from each place that it draws.
const DRAWN_RUN: f64 = 32.0;
/// The longest cell: its unique blocks are dealt as evenly as this.
const CELL_MAX: f64 = 4096.0;

/// Runs of blocks: which are unique, and which duplicate each of the others is.
///
/// Vdbench draws places until it has as many unique blocks as are needed, and marks 32 blocks from each; the others hold
/// duplicate *number modulo sets*. So neighbours of one duplicate are mostly neighbours of all its twins, and an array
/// that compares two or four units at once finds most of them too. What it loses is the chunks that lie across the end
/// of a row of unique blocks.
///
/// Here nothing is drawn in turn and no map is kept. The target is cut into cells; in each as many neighbouring blocks
/// are unique as are needed to have exactly the share of them, from a place that is drawn by the cell's number, round
/// past the cell's end. So each block is unique with the same chance. The cell's length makes as many ends of rows as
/// Vdbench has, so chunks of several units repeat as often as its do.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Runs {
    /// Blocks that the target has.
    units: u64,
    /// The share of unique blocks in 2^-64ths.
    unique: u64,
    cells: Reciprocal,
    sets: Reciprocal,
    key: u64,
}

impl Runs {
    pub(crate) fn new(plan: &DedupePlan, key: u64) -> Self {
        let units = plan.units.max(1);
        let (unique, sets) = shares(plan);
        Runs {
            units,
            unique: (unique * 2f64.powi(64)) as u64,
            cells: Reciprocal::new(cell_length(unique)),
            sets: Reciprocal::new(sets),
            key,
        }
    }

    /// The duplicate that a block holds; `None` where it is unique.
    #[inline]
    pub(crate) fn duplicate(&self, number: u64) -> Option<u64> {
        // What the share is not reached over is a duplicate: the rest of a target that is not a whole block.
        let is_unique = number < self.units && self.is_unique(number);
        (!is_unique).then(|| self.sets.divide(number).1)
    }

    #[inline]
    fn is_unique(&self, number: u64) -> bool {
        let (cell, within) = self.cells.divide(number);
        let start = number - within;
        let length = self.cells.divisor().min(self.units - start);
        let quota = self.unique_before(start + length) - self.unique_before(start);
        let drawn = mix64(self.key ^ mix64(cell));
        let first = ((u128::from(drawn) * u128::from(length)) >> 64) as u64;
        let from_first = match within >= first {
            true => within - first,
            false => within + length - first,
        };
        from_first < quota
    }

    /// How many of the first `number` blocks are unique, where those of a cell were spread evenly over it.
    #[inline]
    fn unique_before(&self, number: u64) -> u64 {
        match self.unique {
            u64::MAX => number,
            share => ((u128::from(number) * u128::from(share)) >> 64) as u64,
        }
    }
}

/// The share of unique blocks, and the number of sets. As in Vdbench each set counts as one block that is not unique and
/// no duplicate; where there are more sets than that leaves room for, there are fewer, and no unique block.
fn shares(plan: &DedupePlan) -> (f64, u64) {
    let sets = plan.sets.max(1);
    if plan.ratio.is_nan() || plan.ratio <= 1.0 {
        return (1.0, sets);
    }
    let units = plan.units.max(1) as f64;
    let unique = 1.0 / plan.ratio - sets as f64 / units;
    match unique > 0.0 {
        true => (unique, sets),
        false => (0.0, ((units / plan.ratio) as u64).max(1)),
    }
}

/// The length of a cell that ends as many rows of unique blocks as Vdbench does.
///
/// Rows of 32 from places drawn at random cover a share u where there are d = -ln(1 - u) / 32 places a block, and of
/// these the share 1 - u begins where nothing was covered; so d (1 - u) rows begin a block, and as many end. In a cell of
/// L blocks 2 (L - 1) / L ends lie inside, and 2 u (1 - u) at its border.
fn cell_length(unique: f64) -> u64 {
    let duplicate = 1.0 - unique;
    if unique <= 0.0 || duplicate <= 0.0 {
        return CELL_MAX as u64;
    }
    let row = DRAWN_RUN / (-(-unique).ln_1p() * duplicate);
    let ends = 2.0 + 2.0 * unique * duplicate;
    let length = (ends * row + (ends * ends * row * row - 16.0 * row).sqrt()) / 4.0;
    length.clamp(1.0, CELL_MAX).round() as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Placement;
    use proptest::prelude::*;
    use std::collections::HashSet;

    fn plan(ratio: f64, sets: u64, units: u64) -> DedupePlan {
        DedupePlan {
            ratio,
            unit: 4096,
            sets,
            units,
            flip_flop: false,
            placement: Placement::Runs,
            seed: 0,
        }
    }

    /// Vdbench's way: rows of 32 from random places until there are enough, the others by their number.
    fn drawn(plan: &DedupePlan) -> Vec<Option<u64>> {
        let (unique, sets) = shares(plan);
        let mut left = (unique * plan.units as f64) as u64;
        let mut held: Vec<_> = (0..plan.units).map(|n| Some(n % sets)).collect();
        let mut state = 99;
        while left > 0 {
            state = mix64(state);
            let start = (state % plan.units) as usize;
            for block in held.iter_mut().skip(start).take(32) {
                if left > 0 && block.take().is_some() {
                    left -= 1;
                }
            }
        }
        held
    }

    /// Chunks of `width` blocks over different ones.
    fn ratio(held: &[Option<u64>], width: usize) -> f64 {
        let mut unique = 0;
        let mut seen = HashSet::new();
        let chunks = held.chunks_exact(width);
        let all = chunks.len();
        for chunk in chunks {
            match chunk.iter().any(Option::is_none) {
                true => unique += 1,
                false => {
                    seen.insert(chunk.to_vec());
                }
            }
        }
        all as f64 / (unique + seen.len()) as f64
    }

    fn held(plan: &DedupePlan, key: u64) -> Vec<Option<u64>> {
        let runs = Runs::new(plan, key);
        (0..plan.units).map(|n| runs.duplicate(n)).collect()
    }

    #[test]
    fn chunks_of_several_units_repeat_as_often_as_where_places_are_drawn_in_turn() {
        for asked in [1.2, 1.5, 2.0, 3.0, 5.0, 10.0, 18.0] {
            for sets in [13_104, 13_105, 13_106, 400] {
                let plan = plan(asked, sets, 262_144);
                let (ours, theirs) = (held(&plan, 7), drawn(&plan));
                for (width, off) in [(1, 0.005), (2, 0.015), (4, 0.02), (8, 0.04)] {
                    let (a, b) = (ratio(&ours, width), ratio(&theirs, width));
                    assert!(
                        (a / b - 1.0).abs() < off,
                        "ratio {asked}, {sets} sets, {width} units: {a} and {b}"
                    );
                }
            }
        }
    }

    #[test]
    fn more_sets_than_there_is_room_for_are_fewer_and_nothing_is_unique() {
        let held = held(&plan(50.0, 5000, 100_000), 1);
        assert!((ratio(&held, 1) - 50.0).abs() < 0.1);
        assert!(held.iter().all(Option::is_some));
    }

    #[test]
    fn a_ratio_of_one_or_less_has_no_duplicates() {
        for asked in [1.0, 0.5, f64::NAN] {
            assert!(
                held(&plan(asked, 10, 10_000), 1)
                    .iter()
                    .all(Option::is_none)
            );
        }
    }

    proptest! {
        #[test]
        fn there_are_exactly_as_many_unique_blocks_as_the_ratio_needs(
            ratio in 1.01f64..100.0, sets in 1u64..2000, units in 1u64..50_000, key: u64
        ) {
            let plan = plan(ratio, sets, units);
            let (unique, sets) = shares(&plan);
            let held = held(&plan, key);
            let found = held.iter().filter(|h| h.is_none()).count() as u64;
            let expected = (unique * units as f64) as u64;
            prop_assert!(found.abs_diff(expected) <= 1, "{} of {}", found, expected);
            prop_assert!(held.iter().flatten().all(|set| *set < sets));
        }

        #[test]
        fn no_number_is_too_large(ratio in 0.0f64..1e12, sets: u64, units: u64, number: u64, key: u64) {
            let runs = Runs::new(&plan(ratio, sets, units), key);
            let set = runs.duplicate(number);
            prop_assert!(set.is_none_or(|s| s < sets.max(1)));
        }
    }
}
