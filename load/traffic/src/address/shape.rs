//! Shape of a pattern's addresses: the region, its alignment, and the part of it that one worker has.

use super::region::Region;
use super::track::Track;
use crate::divisor::Divisor;
use crate::error::TrafficError;
use plimsoll_plan::Bytes;

/// Rank of a worker: which one of how many.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rank {
    pub(crate) worker: u32,
    pub(crate) workers: u32,
}

/// What a pattern needs to know of its stream.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shape {
    /// What may be used.
    pub(crate) region: Region,
    /// The largest transfer, bytes.
    pub(crate) largest: u64,
    /// The asked alignment.
    pub(crate) align: Option<u64>,
    /// The target's logical block, bytes.
    pub(crate) block: u64,
    /// The target's first place is never used.
    pub(crate) spare_first: bool,
    /// All transfers have one size.
    pub(crate) fixed: bool,
}

impl Shape {
    /// The part of the region that one of several workers has to itself, in whole transfers; what is left over is the last
    /// one's.
    pub(crate) fn part(self, rank: Rank) -> Shape {
        let step = self.align.unwrap_or(self.largest).max(1);
        let each = self.region.len() / u64::from(rank.workers) / step * step;
        let (_, mut own) = self.region.split(each * u64::from(rank.worker));
        if rank.worker + 1 < rank.workers {
            own = own.split(each).0;
        }
        Shape {
            region: own,
            ..self
        }
    }

    /// The region with its runs starting at whole transfers, a device's not at its first.
    pub(crate) fn aligned(&self) -> Region {
        let step = self.align.unwrap_or(self.largest);
        let mut region = self.region;
        for run in &mut region.runs {
            let first = run
                .start
                .max(u64::from(self.spare_first))
                .next_multiple_of(step);
            run.start = first.min(run.end);
        }
        region
    }

    pub(super) fn track(&self, region: &Region) -> Result<Track, TrafficError> {
        let align = Divisor::new(self.align.unwrap_or(self.block));
        Track::new(region, self.largest, align).ok_or(TrafficError::TooSmall {
            where_: "the range",
            have: Bytes(region.len()),
            need: Bytes(self.largest),
        })
    }
}
