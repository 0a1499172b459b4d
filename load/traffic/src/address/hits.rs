//! A small area that takes its share of the accesses.

use super::grid::Grid;
use super::lattice::Lattice;
use super::ordered::Shape;
use super::region::Region;
use super::scatter::Scatter;
use crate::error::TrafficError;
use crate::generator::{Generator, chance};
use crate::mix::Sizes;
use crate::seed::seed_for;
use plimsoll_plan::{Bytes, HitPlacement, HitSpec, Mix};

/// A hit area. It is made of *cells* of the largest transfer; a smaller transfer takes a random part of a cell.
#[derive(Debug, Clone)]
pub(crate) struct Hits {
    /// Chances by operation; trims never hit.
    chances: [u64; 3],
    cell: u64,
    area: Area,
    /// The steps of places within a cell, by class of sizes.
    steps: Box<[u64]>,
}

#[derive(Debug, Clone, Copy)]
enum Area {
    Contiguous(Grid),
    Scattered(Lattice),
    Sliced(Scatter),
}

impl Hits {
    /// The hit area of a stream and the region for its misses; `None` where nothing ever hits.
    pub(crate) fn new(
        spec: &HitSpec,
        mix: &Mix,
        sizes: &Sizes,
        shape: &Shape,
        seed: u64,
    ) -> Result<Option<(Self, Region)>, TrafficError> {
        let used = |share: f64, percent: f64| share > 0.0 && percent > 0.0;
        if !used(mix.read, spec.read_percent) && !used(mix.write, spec.write_percent) {
            return Ok(None);
        }
        let cell = shape.largest.next_multiple_of(shape.align.unwrap_or(1));
        let cells = spec.area.0 / cell;
        let too_small = |have| TrafficError::TooSmall {
            where_: "the hit area",
            have: Bytes(have),
            need: Bytes(cell),
        };
        if cells == 0 {
            return Err(too_small(spec.area.0));
        }
        let (area, misses) = match spec.placement {
            HitPlacement::Contiguous => {
                let (front, back) = shape.aligned().split(cells * cell);
                let grid = Grid::new(&front, cell, cell, shape.spare_first);
                if grid.count == 0 {
                    return Err(too_small(front.len()));
                }
                (Area::Contiguous(grid), back)
            }
            HitPlacement::Scattered => {
                let lattice = Lattice::new(&shape.region, cell, cells, shape.spare_first)?;
                (Area::Scattered(lattice), shape.region)
            }
            HitPlacement::Sliced(slice) => {
                let key = seed_for(seed, &[1]);
                let scatter =
                    Scatter::new(&shape.region, slice.0, cell, cells, shape.spare_first, key)?;
                (Area::Sliced(scatter), shape.region)
            }
        };
        let always = |share: f64, percent: f64| share <= 0.0 || percent >= 100.0;
        let never_misses = always(mix.read, spec.read_percent)
            && always(mix.write, spec.write_percent)
            && mix.trim <= 0.0;
        let hits = Hits {
            chances: [chance(spec.read_percent), chance(spec.write_percent), 0],
            cell,
            area,
            steps: sizes
                .classes()
                .iter()
                .map(|(_, step)| shape.align.unwrap_or((*step).into()))
                .collect(),
        };
        // Where nothing misses, the rest of the range may be nothing.
        Ok(Some((
            hits,
            if never_misses { shape.region } else { misses },
        )))
    }

    /// Whether the next access hits, and where.
    #[inline]
    pub(crate) fn draw(
        &self,
        op: u8,
        class: usize,
        length: u32,
        generator: &mut Generator,
    ) -> Option<u64> {
        if !generator.happens(self.chances[usize::from(op)]) {
            return None;
        }
        let offset = match &self.area {
            Area::Contiguous(grid) => grid.offset(generator.below(grid.count)),
            Area::Scattered(lattice) => lattice.offset(generator.below(lattice.cells)),
            Area::Sliced(scatter) => scatter.offset(generator.below(scatter.cells)),
        };
        let spare = self.cell - u64::from(length);
        if spare == 0 {
            return Some(offset);
        }
        let step = self.steps[class];
        Some(offset + generator.below(spare / step + 1) * step)
    }

    /// True when an access that is to miss would touch the area.
    #[inline]
    pub(crate) fn overlaps(&self, offset: u64, length: u32) -> bool {
        match &self.area {
            // The misses have a region of their own.
            Area::Contiguous(_) => false,
            Area::Scattered(lattice) => lattice.overlaps(offset, length.into()),
            Area::Sliced(scatter) => scatter.overlaps(offset, length.into()),
        }
    }
}
