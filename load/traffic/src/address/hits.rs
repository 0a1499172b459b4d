//! A small area that takes its share of the accesses.

use super::distribution::Draw;
use super::grid::Grid;
use super::lattice::Lattice;
use super::ordered::Ordered;
use super::region::Region;
use super::scatter::Scatter;
use super::shape::{Rank, Shape};
use crate::error::TrafficError;
use crate::generator::{Generator, chance};
use crate::mix::Sizes;
use crate::seed::seed_for;
use plimsoll_plan::{Bytes, HitPlacement, HitSpec, Mix, Op, Pattern};

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

#[derive(Debug, Clone)]
enum Area {
    Contiguous(Grid),
    /// Hits that follow from each other, as the misses of their stream do among themselves.
    Walked(Box<Ordered>),
    Scattered(Lattice),
    Sliced(Scatter),
}

impl Hits {
    /// The hit area of a stream of this `pattern` and the region for its misses; `None` where nothing ever hits.
    pub(crate) fn new(
        spec: &HitSpec,
        pattern: &Pattern,
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
                let area = match walk(
                    pattern,
                    sizes,
                    &Shape {
                        region: front,
                        ..*shape
                    },
                )? {
                    Some(walk) => Area::Walked(Box::new(walk)),
                    None => Area::Contiguous(grid),
                };
                (area, back)
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
        &mut self,
        op: Op,
        class: usize,
        length: u32,
        generator: &mut Generator,
    ) -> Option<u64> {
        if !generator.happens(self.chances[op as usize]) {
            return None;
        }
        let offset = match &mut self.area {
            Area::Walked(walk) => {
                let write = op == Op::Write;
                return walk.next(class, length, write, generator).map(|(at, _)| at);
            }
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
            Area::Contiguous(_) | Area::Walked(_) => false,
            Area::Scattered(lattice) => lattice.overlaps(offset, length.into()),
            Area::Sliced(scatter) => scatter.overlaps(offset, length.into()),
        }
    }
}

/// The order of hits within their area: that of a sequential stream, for ever, or of one that seeks now and then. Others
/// hit at random, `None`.
fn walk(pattern: &Pattern, sizes: &Sizes, shape: &Shape) -> Result<Option<Ordered>, TrafficError> {
    let endless = Pattern::IN_ORDER;
    let pattern = match pattern {
        Pattern::Sequential { .. } => &endless,
        Pattern::PercentRandom(_) | Pattern::PartRandom { .. } => pattern,
        Pattern::Random { .. }
        | Pattern::SequentialEach
        | Pattern::Stride { .. }
        | Pattern::Backward { .. }
        | Pattern::Zones { .. }
        | Pattern::Runs { .. }
        | Pattern::Streams(_) => return Ok(None),
    };
    let classes = sizes.classes();
    let grids: Vec<Grid> = classes
        .iter()
        .map(|(length, step)| {
            let step = shape.align.unwrap_or((*step).into());
            Grid::new(&shape.region, (*length).into(), step, shape.spare_first)
        })
        .collect();
    let alone = Rank {
        worker: 0,
        workers: 1,
    };
    // Nothing of these patterns is drawn before their first address.
    let mut unused = Generator::new(0);
    if let Pattern::PercentRandom(percent) | Pattern::PartRandom { percent, .. } = pattern {
        if *percent >= 100.0 {
            return Ok(None);
        }
        // Within the area every place is alike.
        let places = grids.iter().map(|g| (*g, Draw::Uniform(g.count))).collect();
        return Ordered::seeking(*percent, shape, places, false, &mut unused).map(Some);
    }
    Ordered::new(pattern, shape, &grids, alone, &mut unused)
}
