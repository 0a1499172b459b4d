//! A position that moves forward through a region.

use super::region::{Region, Run};
use crate::divisor::Divisor;

/// A position that moves forward through the runs of a region, and begins again after the last.
#[derive(Debug, Clone)]
pub(crate) struct Track {
    runs: Box<[Run]>,
    run: usize,
    position: u64,
    align: Divisor,
}

impl Track {
    /// A track over the runs of a region that hold at least `length` bytes; `None` where none does. Positions are
    /// multiples of `align`.
    pub(crate) fn new(region: &Region, length: u64, align: Divisor) -> Option<Self> {
        let runs: Box<[Run]> = region
            .runs
            .iter()
            .copied()
            .filter(|r| align.round_up(r.start) + length <= r.end)
            .collect();
        let position = runs.first()?.start;
        Some(Track {
            runs,
            run: 0,
            position,
            align,
        })
    }

    /// The next `length` bytes after the previous ones; `length` is at most what the track was made for.
    #[inline]
    pub(crate) fn next(&mut self, length: u64) -> u64 {
        self.next_after(0, length)
    }

    /// As [`Track::next`], with a gap before.
    #[inline]
    pub(crate) fn next_after(&mut self, gap: u64, length: u64) -> u64 {
        let mut start = self.align.round_up(self.position.saturating_add(gap));
        if start.saturating_add(length) > self.runs[self.run].end {
            self.run = if self.run + 1 == self.runs.len() {
                0
            } else {
                self.run + 1
            };
            start = self.align.round_up(self.runs[self.run].start);
        }
        self.position = start + length;
        start
    }

    /// Moves to an offset of the region.
    #[inline]
    pub(crate) fn seek(&mut self, offset: u64) {
        self.position = offset;
        let inside = |r: &Run| r.start <= offset && offset < r.end;
        self.run = self.runs.iter().position(inside).unwrap_or(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_track_walks_all_runs_and_starts_again() {
        let region = Region {
            runs: [Run { start: 8, end: 14 }, Run { start: 0, end: 5 }],
        };
        let mut track = Track::new(&region, 2, Divisor::new(2)).expect("a track");
        let seen: Vec<u64> = (0..7).map(|_| track.next(2)).collect();
        assert_eq!(seen, [8, 10, 12, 0, 2, 8, 10]);
        track.seek(2);
        assert_eq!([track.next(2), track.next(2)], [2, 8]);
        assert!(Track::new(&region, 7, Divisor::new(1)).is_none());
    }
}
