//! The part of a target that a stream uses.

use crate::error::TrafficError;
use plimsoll_plan::{Bytes, RangeSpec};

/// Bytes from `start` to `end`, exclusive.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Run {
    pub(crate) start: u64,
    pub(crate) end: u64,
}

impl Run {
    pub(crate) fn len(self) -> u64 {
        self.end.saturating_sub(self.start)
    }
}

/// One or two runs of a target, in the order of use: a range that goes past the end goes on at the start. The second
/// run may be empty; neither reaches the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Region {
    pub(crate) runs: [Run; 2],
}

impl Region {
    /// The range of a target of `size` usable bytes. Borders are rounded down to whole blocks.
    pub(crate) fn new(range: RangeSpec, size: u64, block: u32) -> Result<Self, TrafficError> {
        let block = u64::from(block.max(1));
        let size = size - size % block;
        let floor = |x: u64| x - x % block;
        let error = |from, to, unit| TrafficError::Range {
            from,
            to,
            unit,
            size: Bytes(size),
        };
        match range {
            RangeSpec::Whole => Ok(Region::single(0, size)),
            RangeSpec::Percent(from, to) => {
                let inside =
                    (0.0..=100.0).contains(&from) && from < to && to <= 200.0 && to - from <= 100.0;
                if !inside {
                    return Err(error(from, to, "percent"));
                }
                let at = |percent: f64| floor(((size as f64) * (percent / 100.0)) as u64).min(size);
                if to <= 100.0 {
                    return Ok(Region::single(at(from), at(to)));
                }
                let mut region = Region::single(at(from), size);
                region.runs[1] = Run {
                    start: 0,
                    end: at(to - 100.0).min(at(from)),
                };
                Ok(region)
            }
            RangeSpec::Bytes(from, to) => {
                if from >= to || to.0 > size.next_multiple_of(block) {
                    return Err(error(from.0 as f64, to.0 as f64, "bytes"));
                }
                Ok(Region::single(floor(from.0), floor(to.0).min(size)))
            }
            RangeSpec::Clipped { from, until, ahead } => {
                let (start, end) = RangeSpec::clipped(from, until, size);
                let (start, end) = (floor(start), floor(end));
                let first = start.saturating_add(floor(ahead.0));
                if first >= end {
                    return Err(error(first as f64, end as f64, "bytes"));
                }
                let mut region = Region::single(first, end);
                region.runs[1] = Run { start, end: first };
                Ok(region)
            }
        }
    }

    pub(crate) fn single(start: u64, end: u64) -> Self {
        Region {
            runs: [Run { start, end }, Run::default()],
        }
    }

    /// Bytes of both runs.
    pub(crate) fn len(&self) -> u64 {
        self.runs[0].len() + self.runs[1].len()
    }

    /// Leaves out everything below `first`.
    pub(crate) fn without_start(mut self, first: u64) -> Self {
        for run in &mut self.runs {
            run.start = run.start.max(first).min(run.end.max(first));
            run.end = run.end.max(run.start);
        }
        self
    }

    /// The first `bytes` bytes, and the rest.
    pub(crate) fn split(self, bytes: u64) -> (Self, Self) {
        let [a, b] = self.runs;
        let in_first = bytes.min(a.len());
        let in_second = (bytes - in_first).min(b.len());
        let cut = |run: Run, at: u64| {
            let middle = run.start + at;
            (
                Run {
                    start: run.start,
                    end: middle,
                },
                Run {
                    start: middle,
                    end: run.end,
                },
            )
        };
        let ((a_front, a_back), (b_front, b_back)) = (cut(a, in_first), cut(b, in_second));
        (
            Region {
                runs: [a_front, b_front],
            },
            Region {
                runs: [a_back, b_back],
            },
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentages_bytes_and_wrapping_ranges() {
        let region = |r| Region::new(r, 1000 * 512 + 100, 512).expect("a range").runs;
        assert_eq!(
            region(RangeSpec::Whole)[0],
            Run {
                start: 0,
                end: 512_000
            }
        );
        assert_eq!(
            region(RangeSpec::Percent(10.0, 50.0))[0],
            Run {
                start: 51_200,
                end: 256_000
            }
        );
        assert_eq!(
            region(RangeSpec::Percent(90.0, 110.0)),
            [
                Run {
                    start: 460_800,
                    end: 512_000
                },
                Run {
                    start: 0,
                    end: 51_200
                }
            ]
        );
        assert_eq!(
            region(RangeSpec::Bytes(Bytes(1000), Bytes(2048)))[0],
            Run {
                start: 512,
                end: 2048
            }
        );
    }

    #[test]
    fn ranges_outside_the_target_are_refused() {
        for range in [
            RangeSpec::Percent(50.0, 50.0),
            RangeSpec::Percent(-1.0, 50.0),
            RangeSpec::Percent(50.0, 201.0),
            RangeSpec::Percent(50.0, 180.0),
            RangeSpec::Percent(f64::NAN, 50.0),
            RangeSpec::Bytes(Bytes(4096), Bytes(4096)),
            RangeSpec::Bytes(Bytes(0), Bytes(1 << 30)),
        ] {
            assert!(Region::new(range, 1 << 20, 512).is_err(), "{range:?}");
        }
    }

    #[test]
    fn a_region_splits_across_its_wrap() {
        let region = Region {
            runs: [
                Run {
                    start: 900,
                    end: 1000,
                },
                Run { start: 0, end: 100 },
            ],
        };
        let (front, back) = region.split(150);
        assert_eq!(
            front.runs,
            [
                Run {
                    start: 900,
                    end: 1000
                },
                Run { start: 0, end: 50 }
            ]
        );
        assert_eq!(
            back.runs,
            [
                Run {
                    start: 1000,
                    end: 1000
                },
                Run {
                    start: 50,
                    end: 100
                }
            ]
        );
        assert_eq!(
            region.without_start(10).runs[1],
            Run {
                start: 10,
                end: 100
            }
        );
    }
}
