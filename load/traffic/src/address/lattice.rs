//! A hit area without a slice that is hot, whatever array it is on.

use super::grid::Grid;
use super::region::Region;
use crate::divisor::Divisor;
use crate::error::TrafficError;
use plimsoll_plan::Bytes;
use plimsoll_plan::spread::spread;

/// Cells on a lattice over all places of a region; [`plimsoll_plan::spread`] says why, and finds the stride.
///
/// It needs no memory: a cell's place is a product, and so is a place's cell. The area is the same for each seed and each
/// step, so what one step left in a cache the next one hits.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Lattice {
    grid: Grid,
    cell: Divisor,
    /// Cells of the area.
    pub(crate) cells: u64,
    stride: u64,
    inverse: u64,
}

impl Lattice {
    /// Places `cells` cells of `cell` bytes. At most half of a region may become the area.
    pub(crate) fn new(
        region: &Region,
        cell: u64,
        cells: u64,
        spare_first: bool,
    ) -> Result<Self, TrafficError> {
        let grid = Grid::new(region, cell, cell, spare_first);
        let room = grid.count / 2;
        if cells > room {
            return Err(TrafficError::HitArea {
                area: Bytes(cells.saturating_mul(cell)),
                room: Bytes(room.saturating_mul(cell)),
            });
        }
        let found = spread(&grid.places(), cells);
        Ok(Lattice {
            grid,
            cell: Divisor::new(cell),
            cells,
            stride: found.stride,
            inverse: found.inverse,
        })
    }

    /// Where cell `index` lies on the target.
    #[inline]
    pub(crate) fn offset(&self, index: u64) -> u64 {
        self.grid.offset(self.product(index, self.stride))
    }

    /// True when any of the bytes belongs to the area; `length` is at most a cell.
    #[inline]
    pub(crate) fn overlaps(&self, offset: u64, length: u64) -> bool {
        self.holds(offset) || self.holds(offset + length - 1)
    }

    #[inline]
    fn holds(&self, offset: u64) -> bool {
        let start = self.cell.divide(offset) * self.cell.value();
        let place = self.grid.place(start);
        place.is_some_and(|place| self.product(place, self.inverse) < self.cells)
    }

    /// Modulo the number of places. Both factors are below it, and up to 16 TiB of 4 KiB cells have numbers of 32 bits.
    #[inline]
    fn product(&self, a: u64, b: u64) -> u64 {
        let count = self.grid.count;
        if count <= 1 << 32 {
            a * b % count
        } else {
            (u128::from(a) * u128::from(b) % u128::from(count)) as u64
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::region::Run;
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashSet;

    proptest! {
        #[test]
        fn cells_are_distinct_inside_and_known(
            start in 0u64..5000, length in 0u64..200_000, wrapped in 0u64..5000, cell in 1u64..700, share in 0.0f64..1.0,
            spare: bool
        ) {
            let region = Region {
                runs: [
                    Run { start: start + 5000, end: start + 5000 + length },
                    Run { start: 0, end: wrapped },
                ],
            };
            let grid = Grid::new(&region, cell, cell, spare);
            let cells = ((grid.count / 2) as f64 * share) as u64;
            prop_assume!(cells > 0);
            let lattice = Lattice::new(&region, cell, cells, spare).expect("a lattice");
            let offsets: HashSet<u64> = (0..cells).map(|i| lattice.offset(i)).collect();
            prop_assert_eq!(offsets.len() as u64, cells);
            for place in 0..grid.count {
                let offset = grid.offset(place);
                prop_assert_eq!(lattice.overlaps(offset, cell), offsets.contains(&offset));
            }
            prop_assert!(Lattice::new(&region, cell, grid.count / 2 + 1, spare).is_err());
        }
    }

    #[test]
    fn a_region_of_more_cells_than_32_bits_count_has_the_same_laws() {
        let lattice =
            Lattice::new(&Region::single(0, 1 << 45), 4096, 1000, false).expect("a lattice");
        let offsets: HashSet<u64> = (0..1000).map(|i| lattice.offset(i)).collect();
        assert_eq!(offsets.len(), 1000);
        assert!(offsets.iter().all(|offset| lattice.overlaps(*offset, 4096)));
        assert!(!offsets.contains(&4096) || lattice.overlaps(4096, 1));
    }
}
