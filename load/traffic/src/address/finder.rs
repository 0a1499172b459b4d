//! The next address of any pattern.

use super::coverage::Coverage;
use super::distribution::Draw;
use super::grid::Grid;
use super::ordered::Ordered;
use super::shape::{Rank, Shape};
use crate::error::TrafficError;
use crate::generator::Generator;
use crate::mix::Sizes;
use crate::seed::seed_for;
use plimsoll_plan::{Bytes, Distribution, Pattern};

/// Finds addresses. The commonest patterns come first, each with nothing to do but its own arithmetic.
#[derive(Debug, Clone)]
pub(crate) enum Finder {
    /// One class of sizes, all places alike.
    Uniform(Grid),
    /// One class of sizes, each place once a pass.
    Covering(Grid, Coverage),
    /// A distribution for each class of sizes.
    Drawn(Box<[(Grid, Draw)]>),
    /// An address follows from the one before.
    Ordered(Box<Ordered>),
}

impl Finder {
    /// The addresses of a pattern for one worker.
    pub(crate) fn new(
        pattern: &Pattern,
        sizes: &Sizes,
        shape: &Shape,
        seed: u64,
        rank: Rank,
        generator: &mut Generator,
    ) -> Result<Self, TrafficError> {
        let grids: Vec<Grid> = sizes
            .classes()
            .iter()
            .map(|(length, step)| {
                let step = shape.align.unwrap_or((*step).into());
                Grid::new(&shape.region, (*length).into(), step, shape.spare_first)
            })
            .collect();
        let makes_do_with_shorter = matches!(
            pattern,
            Pattern::Sequential {
                once: true,
                whole: false,
                ..
            }
        );
        if !makes_do_with_shorter {
            grids.iter().try_for_each(|grid| require(grid, shape))?;
        }
        let key = seed_for(seed, &[2]);
        let drawn_from = |distribution: &Distribution| {
            let classes = sizes.classes();
            let bytes = shape.region.len();
            let draw = classes.iter().zip(&grids).map(|((length, _), grid)| {
                let draw = Draw::new(distribution, grid.count, (*length).into(), bytes, key)?;
                Ok((*grid, draw))
            });
            draw.collect::<Result<Box<[_]>, TrafficError>>()
        };
        let uniform = Distribution::Uniform;
        let sought = match pattern {
            Pattern::PercentRandom(percent) => Some((*percent, &uniform)),
            Pattern::PartRandom {
                percent,
                distribution,
                ..
            } => Some((*percent, distribution)),
            _ => None,
        };
        if let Some((percent, distribution)) = sought.filter(|(percent, _)| *percent < 100.0) {
            let places = drawn_from(distribution)?;
            let anywhere = matches!(pattern, Pattern::PartRandom { .. });
            let ordered = Ordered::seeking(percent, shape, places, anywhere, generator)?;
            return Ok(Finder::Ordered(Box::new(ordered)));
        }
        if let Pattern::Runs { ios, repeat } = pattern {
            let ordered = Ordered::runs(shape, drawn_from(&uniform)?, (*ios, *repeat))?;
            return Ok(Finder::Ordered(Box::new(ordered)));
        }
        if let Some(ordered) = Ordered::new(pattern, shape, &grids, rank, generator)? {
            return Ok(Finder::Ordered(Box::new(ordered)));
        }
        let (distribution, coverage) = match pattern {
            Pattern::PartRandom { distribution, .. } => (distribution, false),
            Pattern::Random {
                distribution,
                coverage,
            } => (distribution, *coverage),
            _ => (&uniform, false),
        };
        if *distribution == Distribution::Uniform {
            if coverage {
                // One order for all sizes: starts at multiples of the smallest, where the largest still fits.
                let step = shape.align.unwrap_or(sizes.finest().into());
                let grid = Grid::new(&shape.region, shape.largest, step, shape.spare_first);
                require(&grid, shape)?;
                let order = Coverage::new(grid.count, key, rank.worker, rank.workers);
                return Ok(Finder::Covering(grid, order));
            }
            if let [grid] = grids.as_slice() {
                return Ok(Finder::Uniform(*grid));
            }
        }
        Ok(Finder::Drawn(drawn_from(distribution)?))
    }

    /// Whether the next address is a new one, where others continue; else always.
    pub(crate) fn begins_anew(&self, generator: &mut Generator) -> bool {
        match self {
            Finder::Ordered(ordered) => ordered.begins_anew(generator),
            _ => true,
        }
    }

    /// The next offset, where it is known whether it is a new one.
    pub(crate) fn go(
        &mut self,
        anew: bool,
        class: usize,
        length: u32,
        write: bool,
        generator: &mut Generator,
    ) -> Option<u64> {
        if let Finder::Ordered(ordered) = self
            && let Some(offset) = ordered.go(anew, class, length, write, generator)
        {
            return Some(offset);
        }
        let (offset, _) = self.next(class, length, write, generator)?;
        Some(offset)
    }

    /// The next offset and length; `None` when a single pass is over.
    #[inline(always)]
    pub(crate) fn next(
        &mut self,
        class: usize,
        length: u32,
        write: bool,
        generator: &mut Generator,
    ) -> Option<(u64, u32)> {
        let offset = match self {
            Finder::Uniform(grid) => grid.offset(generator.below(grid.count)),
            Finder::Covering(grid, order) => grid.offset(order.next()),
            Finder::Drawn(classes) => {
                let (grid, draw) = &classes[class];
                grid.offset(draw.draw(generator, write))
            }
            Finder::Ordered(ordered) => return ordered.next(class, length, write, generator),
        };
        Some((offset, length))
    }
}

/// Fails where no I/O fits.
fn require(grid: &Grid, shape: &Shape) -> Result<(), TrafficError> {
    if grid.count == 0 {
        return Err(TrafficError::TooSmall {
            where_: "the range",
            have: Bytes(shape.region.len()),
            need: Bytes(shape.largest),
        });
    }
    Ok(())
}
