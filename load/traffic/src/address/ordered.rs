//! Patterns in which an address follows from the one before.

use super::distribution::Draw;
use super::grid::Grid;
use super::leaps::{Backward, Runs, Zones};
use super::region::{Region, Run};
use super::shape::{Rank, Shape};
use super::track::Track;
use crate::error::TrafficError;
use crate::generator::{Generator, chance};
use plimsoll_plan::{Bytes, Pattern};

/// The state of an ordered pattern.
#[derive(Debug, Clone)]
pub(crate) enum Ordered {
    /// For ever.
    Sequential(Track),
    /// For ever, reads by themselves and what changes data by itself.
    Each([Track; 2]),
    /// One pass.
    Once(Pass),
    /// Seeks now and then.
    Seeking {
        chance: u64,
        track: Track,
        /// Where it seeks, for each class of sizes.
        places: Box<[(Grid, Draw)]>,
    },
    /// Leaves gaps.
    Stride {
        track: Track,
        min: u64,
        span: u64,
        started: bool,
    },
    /// Towards the start.
    Backward(Backward),
    /// Zone by zone.
    Zones(Zones),
    /// Runs from places that are drawn.
    Runs(Box<Runs>),
    /// Several in turn: this worker's.
    Streams { tracks: Box<[Track]>, turn: usize },
}

impl Ordered {
    /// The pattern of a stream; `None` for a random one.
    pub(crate) fn new(
        pattern: &Pattern,
        shape: &Shape,
        grids: &[Grid],
        rank: Rank,
        generator: &mut Generator,
    ) -> Result<Option<Self>, TrafficError> {
        Ok(match pattern {
            Pattern::Random { .. }
            | Pattern::PercentRandom(_)
            | Pattern::PartRandom { .. }
            | Pattern::Runs { .. } => None,
            Pattern::Sequential {
                once,
                random_start,
                whole,
            } => Some(sequential(
                shape,
                &grids[0],
                once.then_some(*whole),
                *random_start,
                generator,
            )?),
            Pattern::SequentialEach => {
                let track = shape.track(&shape.aligned())?;
                Some(Ordered::Each([track.clone(), track]))
            }
            Pattern::Stride { min, max } => Some(stride(shape, *min, *max)?),
            Pattern::Backward { step } => {
                // It goes through all of the range, which must hold an I/O.
                shape.track(&shape.aligned())?;
                Some(Ordered::Backward(Backward::new(shape, step.0)))
            }
            Pattern::Zones {
                size,
                range,
                skip,
                random,
            } => {
                shape.track(&shape.aligned())?;
                let zones = Zones::new(shape, size.0, range.0, skip.0, *random);
                Some(Ordered::Zones(zones))
            }
            Pattern::Streams(count) => Some(streams(shape, *count, rank)?),
        })
    }

    /// Seeks now and then to one of `places`; `anywhere`: the first address is one of them too.
    pub(crate) fn seeking(
        percent: f64,
        shape: &Shape,
        places: Box<[(Grid, Draw)]>,
        anywhere: bool,
        generator: &mut Generator,
    ) -> Result<Self, TrafficError> {
        let mut track = shape.track(&shape.aligned())?;
        if let Some((grid, draw)) = places.first().filter(|_| anywhere) {
            track.seek(grid.offset(draw.draw(generator, false)));
        }
        Ok(Ordered::Seeking {
            chance: chance(percent),
            track,
            places,
        })
    }

    /// Runs from `places`.
    pub(crate) fn runs(
        shape: &Shape,
        places: Box<[(Grid, Draw)]>,
        (ios, repeat): (u32, bool),
    ) -> Result<Self, TrafficError> {
        let track = shape.track(&shape.aligned())?;
        let runs = Runs::new(track, places, ios, repeat);
        Ok(Ordered::Runs(Box::new(runs)))
    }

    /// Whether the next address is a new one, where others continue; else always.
    pub(crate) fn begins_anew(&self, generator: &mut Generator) -> bool {
        match self {
            Ordered::Seeking { chance, .. } => generator.happens(*chance),
            _ => true,
        }
    }

    /// The next offset of one that seeks, which it does where it is told to.
    pub(crate) fn go(
        &mut self,
        seek: bool,
        class: usize,
        length: u32,
        write: bool,
        generator: &mut Generator,
    ) -> Option<u64> {
        let Ordered::Seeking { track, places, .. } = self else {
            return None;
        };
        if seek {
            let (grid, draw) = &places[class];
            track.seek(grid.offset(draw.draw(generator, write)));
        }
        Some(track.next(length.into()))
    }

    /// The next offset and length; shorter than asked only at the borders of a single pass.
    #[inline]
    pub(crate) fn next(
        &mut self,
        class: usize,
        length: u32,
        write: bool,
        generator: &mut Generator,
    ) -> Option<(u64, u32)> {
        let asked = u64::from(length);
        let offset = match self {
            Ordered::Sequential(track) => track.next(asked),
            Ordered::Each(tracks) => tracks[usize::from(write)].next(asked),
            Ordered::Once(pass) => return pass.next(length),
            Ordered::Seeking {
                chance,
                track,
                places,
            } => {
                if generator.happens(*chance) {
                    let (grid, draw) = &places[class];
                    track.seek(grid.offset(draw.draw(generator, write)));
                }
                track.next(asked)
            }
            Ordered::Stride {
                track,
                min,
                span,
                started,
            } => {
                // The random part is drawn in whole transfers, the largest gap exclusive, as in Vdbench.
                let gap = if *started {
                    *min + generator.below(*span / asked) * asked
                } else {
                    0
                };
                *started = true;
                track.next_after(gap, asked)
            }
            Ordered::Backward(backward) => backward.next(asked),
            Ordered::Zones(zones) => zones.next(asked, generator),
            Ordered::Runs(runs) => runs.next(class, asked, write, generator),
            Ordered::Streams { tracks, turn } => {
                let offset = tracks[*turn].next(asked);
                *turn = if *turn + 1 == tracks.len() {
                    0
                } else {
                    *turn + 1
                };
                offset
            }
        };
        Some((offset, length))
    }
}

/// `once`: one pass, and whether of whole transfers.
fn sequential(
    shape: &Shape,
    places: &Grid,
    once: Option<bool>,
    random_start: bool,
    generator: &mut Generator,
) -> Result<Ordered, TrafficError> {
    let start =
        (random_start && places.count > 0).then(|| places.offset(generator.below(places.count)));
    if let Some(whole) = once {
        return Ok(Ordered::Once(Pass::new(shape, start, whole)));
    }
    let mut track = shape.track(&shape.aligned())?;
    if let Some(start) = start {
        track.seek(start);
    }
    Ok(Ordered::Sequential(track))
}

fn stride(shape: &Shape, min: Bytes, max: Bytes) -> Result<Ordered, TrafficError> {
    for value in [min, max] {
        if !value.0.is_multiple_of(shape.block) {
            return Err(TrafficError::Unaligned {
                what: "stride",
                value,
                block: Bytes(shape.block),
            });
        }
    }
    Ok(Ordered::Stride {
        track: shape.track(&shape.aligned())?,
        min: min.0,
        span: max.0.saturating_sub(min.0),
        started: false,
    })
}

/// The streams of one worker of several, who deal them among themselves, so that none waits for another's; a worker past
/// the last stream has one that another worker has too.
fn streams(shape: &Shape, count: u32, rank: Rank) -> Result<Ordered, TrafficError> {
    if count == 0 {
        return Err(TrafficError::Streams(count));
    }
    let mut rest = shape.aligned();
    let step = shape.align.unwrap_or(shape.largest);
    let part = rest.len() / u64::from(count) / step * step;
    let mut tracks = Vec::new();
    for number in 0..count {
        let (front, back) = rest.split(part);
        rest = back;
        if number % rank.workers != rank.worker % count.min(rank.workers) {
            continue;
        }
        tracks.push(shape.track(&front).map_err(|_| TrafficError::TooSmall {
            where_: "a stream's slice of the range",
            have: Bytes(part),
            need: Bytes(shape.largest),
        })?);
    }
    Ok(Ordered::Streams {
        tracks: tracks.into(),
        turn: 0,
    })
}

/// One pass. Where it is not to be of whole transfers it leaves nothing out: at the borders transfers are shorter rather
/// than missing, so that a target filled so holds no hole.
#[derive(Debug, Clone)]
pub(crate) struct Pass {
    /// What is left, in order.
    runs: Vec<Run>,
    run: usize,
    /// Transfers of one size go back to multiples of it after a short one.
    fixed: bool,
}

impl Pass {
    fn new(shape: &Shape, start: Option<u64>, whole: bool) -> Self {
        let region = if whole {
            let floor = |at: u64| at - at % shape.largest;
            let first = if shape.spare_first { shape.largest } else { 0 };
            let runs = shape.region.runs.map(|run| {
                let start = floor(run.start).max(first);
                let end = floor(run.end).max(start);
                Run { start, end }
            });
            Region { runs }
        } else {
            // Only the block that is never touched is spared, not a whole transfer.
            let spared = if shape.spare_first { shape.block } else { 0 };
            shape.region.without_start(spared)
        };
        let mut runs: Vec<Run> = region.runs.into_iter().filter(|r| r.len() > 0).collect();
        if let Some(start) = start
            && let Some(at) = runs.iter().position(|r| r.start <= start && start < r.end)
        {
            let head = Run {
                start: runs[at].start,
                end: start,
            };
            runs[at].start = start;
            runs.rotate_left(at);
            runs.push(head);
        }
        Pass {
            runs,
            run: 0,
            fixed: shape.fixed,
        }
    }

    #[inline]
    fn next(&mut self, length: u32) -> Option<(u64, u32)> {
        let asked = u64::from(length);
        loop {
            let run = self.runs.get_mut(self.run)?;
            let left = run.len();
            if left == 0 {
                self.run += 1;
                continue;
            }
            let past = if self.fixed { run.start % asked } else { 0 };
            let now = left.min(asked - past);
            let offset = run.start;
            run.start += now;
            return Some((offset, now as u32));
        }
    }
}
