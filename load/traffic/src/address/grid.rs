//! The places of a region where an I/O of a size may start.

use super::region::Region;
use plimsoll_plan::spread::Places;

/// Places numbered from 0: multiples of `step` on the target where `length` bytes fit in the region.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Grid {
    /// The first place of the region's first run.
    start: u64,
    /// How many places that run has.
    in_first: u64,
    /// What to add to the numbers after those.
    start_of_second: u64,
    /// How many places there are.
    pub(crate) count: u64,
    step: u64,
}

impl Grid {
    /// The places for I/Os of at most `length` bytes at multiples of `step`. With `spare_first` the target's first
    /// place is never used.
    pub(crate) fn new(region: &Region, length: u64, step: u64, spare_first: bool) -> Self {
        let place = |run: super::region::Run| {
            let first = run.start.max(u64::from(spare_first)).next_multiple_of(step);
            let end = first.saturating_add(length);
            let count = if end <= run.end {
                (run.end - end) / step + 1
            } else {
                0
            };
            (first, count)
        };
        let (start, in_first) = place(region.runs[0]);
        let (start_of_second, in_second) = place(region.runs[1]);
        Grid {
            start,
            in_first,
            start_of_second,
            count: in_first + in_second,
            step,
        }
    }

    /// Where place `k` lies on the target; `k` is below `count`.
    #[inline(always)]
    pub(crate) fn offset(&self, k: u64) -> u64 {
        if k < self.in_first {
            self.start + k * self.step
        } else {
            self.start_of_second + (k - self.in_first) * self.step
        }
    }

    /// All of them.
    pub(crate) fn places(&self) -> Places {
        Places {
            runs: [
                (self.start, self.in_first),
                (self.start_of_second, self.count - self.in_first),
            ],
            step: self.step,
        }
    }

    /// The place at an offset that is a multiple of `step`.
    pub(crate) fn place(&self, offset: u64) -> Option<u64> {
        let in_run = |start: u64, count: u64| {
            let k = offset.checked_sub(start)? / self.step;
            (k < count).then_some(k)
        };
        in_run(self.start, self.in_first).or_else(|| {
            in_run(self.start_of_second, self.count - self.in_first).map(|k| k + self.in_first)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::region::Run;
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn places_are_aligned_inside_and_distinct(
            a in 0u64..5000, a_len in 0u64..5000, b_len in 0u64..5000, length in 1u64..700, step in 1u64..700, spare: bool
        ) {
            let region = Region {
                runs: [
                    Run { start: a + 5000, end: a + 5000 + a_len },
                    Run { start: 0, end: b_len },
                ],
            };
            let grid = Grid::new(&region, length, step, spare);
            let offsets: Vec<u64> = (0..grid.count).map(|k| grid.offset(k)).collect();
            let expected: Vec<u64> = region.runs.iter().flat_map(|r| {
                (r.start..r.end).filter(|o| o % step == 0 && o + length <= r.end && !(spare && *o == 0))
            }).collect();
            prop_assert_eq!(&offsets, &expected);
            for (k, o) in offsets.iter().enumerate() {
                prop_assert_eq!(grid.place(*o), Some(k as u64));
            }
        }
    }
}
