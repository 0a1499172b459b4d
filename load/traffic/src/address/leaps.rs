//! Orders that leap: backwards, from zone to zone, and runs from places that are drawn.

use super::distribution::Draw;
use super::grid::Grid;
use super::shape::Shape;
use super::track::Track;
use crate::generator::Generator;

/// Each I/O begins a step before the end of the one before, the first at the range's start; from there it goes on at the end.
#[derive(Debug, Clone)]
pub(crate) struct Backward {
    start: u64,
    end: u64,
    step: u64,
    /// Where the last one ended, bytes from the start; `None` before the first.
    last: Option<u64>,
}

impl Backward {
    pub(crate) fn new(shape: &Shape, step: u64) -> Self {
        let run = shape.aligned().runs[0];
        Backward {
            start: run.start,
            end: run.end,
            step,
            last: None,
        }
    }

    #[inline]
    pub(crate) fn next(&mut self, length: u64) -> u64 {
        let whole = self.end - self.start;
        let from_end = whole.saturating_sub(self.step);
        let at = match self.last {
            None => 0,
            Some(last) => last.checked_sub(self.step).unwrap_or(from_end),
        };
        let at = at.min(whole.saturating_sub(length));
        self.last = Some(at + length);
        self.start + at
    }
}

/// So many bytes of one zone, then of the next; behind the last comes the first.
#[derive(Debug, Clone)]
pub(crate) struct Zones {
    start: u64,
    end: u64,
    /// The first address that may be used: a device's first block is not.
    first: u64,
    size: u64,
    range: u64,
    skip: u64,
    /// Places of a zone are multiples of it; `None`: its I/Os follow each other.
    drawn: Option<u64>,
    zone: u64,
    done: u64,
    position: u64,
}

impl Zones {
    /// `size` bytes of each zone of `range` bytes, `skip` bytes apart.
    pub(crate) fn new(shape: &Shape, size: u64, range: u64, skip: u64, random: bool) -> Self {
        let run = shape.region.runs[0];
        let first = shape.aligned().runs[0].start;
        Zones {
            start: run.start,
            end: run.end,
            first,
            size: size.max(1),
            range: range.max(1),
            skip,
            drawn: random.then_some(shape.align.unwrap_or(shape.largest).max(1)),
            zone: run.start,
            done: 0,
            position: first,
        }
    }

    #[inline]
    pub(crate) fn next(&mut self, length: u64, generator: &mut Generator) -> u64 {
        if self.done >= self.size {
            let next = self
                .zone
                .saturating_add(self.range)
                .saturating_add(self.skip);
            self.enter(if next < self.end { next } else { self.start });
        }
        let mut at = self.place(length, generator);
        if at.saturating_add(length) > self.end {
            self.enter(self.start);
            at = self.place(length, generator);
        }
        self.done += length;
        self.position = at + length;
        at
    }

    fn enter(&mut self, zone: u64) {
        self.zone = zone;
        self.done = 0;
        self.position = zone.max(self.first);
    }

    fn place(&self, length: u64, generator: &mut Generator) -> u64 {
        let Some(step) = self.drawn else {
            return self.position;
        };
        let from = self.zone.max(self.first);
        let end = self.zone.saturating_add(self.range).min(self.end);
        let places = end.saturating_sub(from.saturating_add(length)) / step + 1;
        from + generator.below(places) * step
    }
}

/// A place that is drawn, and so many I/Os from there on; or so many on it.
#[derive(Debug, Clone)]
pub(crate) struct Runs {
    track: Track,
    places: Box<[(Grid, Draw)]>,
    ios: u32,
    left: u32,
    repeat: bool,
    at: u64,
}

impl Runs {
    pub(crate) fn new(track: Track, places: Box<[(Grid, Draw)]>, ios: u32, repeat: bool) -> Self {
        Runs {
            track,
            places,
            ios: ios.max(1),
            left: 0,
            repeat,
            at: 0,
        }
    }

    #[inline]
    pub(crate) fn next(
        &mut self,
        class: usize,
        length: u64,
        write: bool,
        generator: &mut Generator,
    ) -> u64 {
        let begins = self.left == 0;
        if begins {
            self.left = self.ios;
            let (grid, draw) = &self.places[class];
            self.track.seek(grid.offset(draw.draw(generator, write)));
        }
        self.left -= 1;
        if begins || !self.repeat {
            self.at = self.track.next(length);
        }
        self.at
    }
}

#[cfg(test)]
mod tests {
    use crate::StreamSource;
    use plimsoll_plan::{AddressSpec, Bytes, Mix, Pattern, RangeSpec, SizeSpec, Stream, TargetId};

    const BLOCK: u64 = 4096;

    /// The first addresses of a pattern, in blocks.
    fn blocks(pattern: Pattern, range: RangeSpec, device: bool, count: usize) -> Vec<u64> {
        let address = AddressSpec {
            range,
            ..AddressSpec::whole(pattern)
        };
        let size = SizeSpec::Fixed(Bytes(BLOCK));
        let stream = Stream::new("w", TargetId(0), Mix::READS, size, address);
        let mut source =
            StreamSource::new(&stream, 16 * BLOCK, 512, None, device, 3, 0, 1).expect("a stream");
        let ios = std::iter::from_fn(|| source.next()).take(count);
        ios.map(|io| io.offset / BLOCK).collect()
    }

    #[test]
    fn backwards_begins_at_the_start_and_goes_on_at_the_end() {
        let back = |step| Pattern::Backward {
            step: Bytes(step * BLOCK),
        };
        // As fio goes with rw=read:-8k and -12k on 64k.
        let seen = blocks(back(2), RangeSpec::Whole, false, 8);
        assert_eq!(seen, [0, 14, 13, 12, 11, 10, 9, 8]);
        let seen = blocks(back(3), RangeSpec::Whole, false, 9);
        assert_eq!(seen, [0, 13, 11, 9, 7, 5, 3, 1, 13]);
        // A device's first block is never touched, and a range never left.
        let seen = blocks(back(2), RangeSpec::Whole, true, 40);
        assert!(seen.iter().all(|b| (1..16).contains(b)), "{seen:?}");
        let part = RangeSpec::Bytes(Bytes(4 * BLOCK), Bytes(8 * BLOCK));
        let seen = blocks(back(2), part, false, 7);
        assert_eq!(seen, [4, 6, 5, 4, 6, 5, 4]);
    }

    fn zones(size: u64, range: u64, skip: u64, random: bool) -> Pattern {
        Pattern::Zones {
            size: Bytes(size * BLOCK),
            range: Bytes(range * BLOCK),
            skip: Bytes(skip * BLOCK),
            random,
        }
    }

    #[test]
    fn zones_are_left_after_their_bytes_and_come_round() {
        let seen = blocks(zones(2, 2, 3, false), RangeSpec::Whole, false, 10);
        assert_eq!(seen, [0, 1, 5, 6, 10, 11, 15, 0, 1, 5]);
        let seen = blocks(zones(2, 2, 3, false), RangeSpec::Whole, true, 6);
        assert_eq!(seen, [1, 2, 5, 6, 10, 11]);
        let seen = blocks(zones(3, 2, 2, true), RangeSpec::Whole, false, 300);
        for (number, run) in seen.chunks(3).enumerate() {
            let zone = number as u64 % 4 * 4;
            assert!(run.iter().all(|b| (zone..zone + 2).contains(b)), "{seen:?}");
        }
        assert!(
            (0..16).filter(|b| seen.contains(b)).count() == 8,
            "{seen:?}"
        );
    }

    #[test]
    fn runs_follow_each_other_from_places_that_are_drawn() {
        let runs = |repeat| Pattern::Runs { ios: 4, repeat };
        let seen = blocks(runs(true), RangeSpec::Whole, false, 400);
        assert!(seen.chunks(4).all(|run| run.iter().all(|b| *b == run[0])));
        let seen = blocks(runs(false), RangeSpec::Whole, false, 400);
        let follows = |run: &[u64]| run.windows(2).all(|w| w[1] == (w[0] + 1) % 16);
        assert!(seen.chunks(4).all(follows), "{seen:?}");
        let mut starts: Vec<u64> = seen.chunks(4).map(|run| run[0]).collect();
        starts.sort_unstable();
        starts.dedup();
        assert!(starts.len() > 10, "{starts:?}");
    }
}
