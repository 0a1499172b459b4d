//! A hit area without a hot slice, for slices of a known size.

use super::grid::Grid;
use super::region::Region;
use crate::divisor::Divisor;
use crate::error::TrafficError;
use plimsoll_content::mix64;
use plimsoll_plan::Bytes;

/// Cells dealt one by one over consecutive slices.
///
/// An array that spreads slices of a LUN over its cores gives a contiguous hit area of one slice to one core. Dealt so,
/// each slice holds one cell more or less than any other; random placement would leave the hottest of eight cores with
/// 1.2 to 1.3 times the mean. Where in its slice a cell lies differs from slice to slice.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scatter {
    slices: Grid,
    slice: Divisor,
    cell: Divisor,
    /// Cells that fit in a slice.
    fit: u64,
    /// Cells of the area.
    pub(crate) cells: u64,
    /// Cells that each slice holds at least…
    depth: u64,
    /// …and how many slices, from the first, hold one more.
    deeper: u64,
    key: u64,
}

impl Scatter {
    /// Deals `cells` cells of `cell` bytes over the whole slices of `slice` bytes in a region. At most half of those
    /// may become the area.
    pub(crate) fn new(
        region: &Region,
        slice: u64,
        cell: u64,
        cells: u64,
        spare_first: bool,
        key: u64,
    ) -> Result<Self, TrafficError> {
        let no_slice = TrafficError::NoSlice {
            slice: Bytes(slice),
        };
        if slice < cell {
            return Err(TrafficError::TooSmall {
                where_: "a slice of the hit area",
                have: Bytes(slice),
                need: Bytes(cell),
            });
        }
        let slices = Grid::new(region, slice, slice, spare_first);
        if slices.count == 0 {
            return Err(no_slice);
        }
        let fit = slice / cell;
        let room = slices.count.saturating_mul(fit) / 2;
        if cells > room {
            return Err(TrafficError::HitArea {
                area: Bytes(cells.saturating_mul(cell)),
                room: Bytes(room.saturating_mul(cell)),
            });
        }
        Ok(Scatter {
            slices,
            slice: Divisor::new(slice),
            cell: Divisor::new(cell),
            fit,
            cells,
            depth: cells / slices.count,
            deeper: cells % slices.count,
            key,
        })
    }

    /// Where cell `index` lies on the target.
    #[inline]
    pub(crate) fn offset(&self, index: u64) -> u64 {
        let (slice, depth) = if index < self.slices.count {
            (index, 0)
        } else {
            (index % self.slices.count, index / self.slices.count)
        };
        let mut within = self.first_cell(slice) + depth;
        if within >= self.fit {
            within -= self.fit;
        }
        self.slices.offset(slice) + within * self.cell.value()
    }

    /// True when any of the bytes belongs to the area; `length` is at most a cell.
    #[inline]
    pub(crate) fn overlaps(&self, offset: u64, length: u64) -> bool {
        self.holds(offset) || self.holds(offset + length - 1)
    }

    #[inline]
    fn holds(&self, offset: u64) -> bool {
        let start = self.slice.divide(offset) * self.slice.value();
        let Some(slice) = self.slices.place(start) else {
            return false;
        };
        let held = self.depth + u64::from(slice < self.deeper);
        let cell = self.cell.divide(offset - start);
        if held == 0 || cell >= self.fit {
            return false;
        }
        let first = self.first_cell(slice);
        let after = if cell >= first {
            cell - first
        } else {
            cell + self.fit - first
        };
        after < held
    }

    /// The cell of a slice that the area takes first.
    #[inline]
    fn first_cell(&self, slice: u64) -> u64 {
        ((u128::from(mix64(self.key ^ slice)) * u128::from(self.fit)) >> 64) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashSet;

    const MIB: u64 = 1 << 20;

    #[test]
    fn a_mebibyte_of_4k_blocks_puts_one_block_in_each_of_256_slices() {
        let scatter =
            Scatter::new(&Region::single(0, 1 << 30), MIB, 4096, 256, false, 3).expect("a scatter");
        let mut by_slice = [0; 1024];
        let mut by_core = [0; 8];
        let mut places = HashSet::new();
        for i in 0..scatter.cells {
            let offset = scatter.offset(i);
            by_slice[(offset / MIB) as usize] += 1;
            by_core[(offset / MIB % 8) as usize] += 1;
            places.insert(offset % MIB);
        }
        assert!(by_slice[..256].iter().all(|n| *n == 1) && by_slice[256..].iter().all(|n| *n == 0));
        assert_eq!(by_core, [32; 8]);
        assert!(
            places.len() > 100,
            "the place within a slice varies: {}",
            places.len()
        );
    }

    proptest! {
        #[test]
        fn cells_are_distinct_level_and_known(
            slices in 1u64..60, fit in 1u64..20, tail in 0u64..512, share in 0.0f64..1.0, start in 0u64..5000, key: u64
        ) {
            let (cell, slice) = (512, fit * 512 + tail);
            let start = start * slice / 7;
            let region = Region::single(start, start + slices * slice);
            let whole = Grid::new(&region, slice, slice, false).count;
            let cells = ((whole * fit / 2) as f64 * share) as u64;
            prop_assume!(whole > 0 && cells > 0);
            let scatter = Scatter::new(&region, slice, cell, cells, false, key).expect("a scatter");
            let offsets: HashSet<u64> = (0..cells).map(|i| scatter.offset(i)).collect();
            prop_assert_eq!(offsets.len() as u64, cells);
            let mut by_slice = std::collections::HashMap::new();
            for o in &offsets {
                prop_assert!(*o >= start && o + cell <= region.runs[0].end);
                *by_slice.entry(o / slice).or_insert(0u64) += 1;
            }
            let most = by_slice.values().max().expect("some");
            prop_assert!(*most <= cells.div_ceil(whole));
            for s in 0..whole {
                let base = scatter.slices.offset(s);
                for c in 0..fit {
                    let o = base + c * cell;
                    prop_assert_eq!(scatter.overlaps(o, cell), offsets.contains(&o));
                }
                if tail > 0 {
                    prop_assert!(!scatter.overlaps(base + fit * cell, 1));
                }
            }
        }
    }
}
