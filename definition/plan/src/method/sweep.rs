//! The sweep: any parameters as a matrix, each cell several times, in an order that time cannot favour.

use super::Outlined;
use crate::Step;
use crate::load::load_words;
use plimsoll_draw::{Draw, STEP};
use serde::{Deserialize, Serialize};

/// How often each cell is measured where nobody says.
pub const DEFAULT_REPEATS: u32 = 3;

/// The method's steps are the cells of the matrix.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SweepSpec {
    /// How often each cell is measured.
    pub repeats: u32,
    /// In which order.
    pub order: SweepOrder,
}

/// The order of a sweep's steps.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SweepOrder {
    /// Every cell once in an order drawn for that round, then again in another: a randomised complete block design. What
    /// changes slowly with time changes rounds, not cells.
    #[default]
    Random,
    /// There and back again, A B B A: what changes in a straight line with time is the same for all cells.
    Abba,
    /// As written, again and again. Time favours some cells.
    Written,
}

impl SweepSpec {
    /// The cells in the order in which they are measured, by index.
    pub fn sequence(&self, cells: usize) -> Vec<usize> {
        (0..self.repeats)
            .flat_map(|round| self.round(cells, round))
            .collect()
    }

    fn round(&self, cells: usize, round: u32) -> Vec<usize> {
        let mut order: Vec<usize> = (0..cells).collect();
        match self.order {
            SweepOrder::Written => {}
            SweepOrder::Abba if round.is_multiple_of(2) => {}
            SweepOrder::Abba => order.reverse(),
            SweepOrder::Random => shuffle(&mut order, u64::from(round)),
        }
        order
    }

    pub(super) fn outline(&self, cells: &[Step]) -> Vec<Outlined> {
        let cell = |step: &Step| Outlined {
            at_most: self.repeats,
            ..Outlined::once(step, load_words(&step.load))
        };
        cells.iter().map(cell).collect()
    }
}

/// Puts a list in an order that only the round decides (Fisher and Yates), so that a resumed sweep goes
/// on in the one that it had.
fn shuffle(order: &mut [usize], round: u64) {
    let mut draw = Draw(round.wrapping_add(1).wrapping_mul(STEP));
    for at in (1..order.len()).rev() {
        let drawn = ((u128::from(draw.bits()) * (at as u128 + 1)) >> 64) as usize;
        order.swap(at, drawn);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sequence(order: SweepOrder, cells: usize, repeats: u32) -> Vec<usize> {
        SweepSpec { repeats, order }.sequence(cells)
    }

    #[test]
    fn every_round_has_every_cell_once() {
        for order in [SweepOrder::Random, SweepOrder::Abba, SweepOrder::Written] {
            for round in sequence(order, 7, 5).chunks(7) {
                let mut sorted = round.to_vec();
                sorted.sort_unstable();
                assert_eq!(sorted, (0..7).collect::<Vec<_>>(), "{order:?}");
            }
        }
        assert_eq!(sequence(SweepOrder::Abba, 2, 4), [0, 1, 1, 0, 0, 1, 1, 0]);
        assert_eq!(sequence(SweepOrder::Written, 2, 2), [0, 1, 0, 1]);
    }

    #[test]
    fn a_drawn_order_favours_no_place() {
        // Of 6 cells in 6000 rounds each is in each place about 1000 times; the standard deviation is 29.
        let mut counts = [[0u32; 6]; 6];
        for round in sequence(SweepOrder::Random, 6, 6000).chunks(6) {
            for (place, cell) in round.iter().enumerate() {
                counts[place][*cell] += 1;
            }
        }
        for count in counts.iter().flatten() {
            assert!((850..=1150).contains(count), "{counts:?}");
        }
    }
}
