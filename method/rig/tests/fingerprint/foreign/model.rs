//! A storage array by other hands: a closed loop on stations that serve in the order of arrival, with a cache in front of
//! the media, a write buffer that drains, and owners by any rule. It shares no code with the lab, and answers with nothing
//! but how many I/Os came back and how long they took.

use super::cache::Cache;
use super::{Dealing, Shape};
use crate::drawn::Draw;
use plimsoll_plan::{ContentSpec, Pattern, RangeSpec, SizeSpec, Step, Stream};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

/// Kind of content of a written block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Unique,
    Zeros,
    Duplicate,
    Compressible,
}

/// Result of a step.
#[derive(Debug, Clone, Copy)]
pub struct Came {
    pub rate: f64,
    pub service_ns: f64,
}

#[derive(Debug)]
pub struct Model {
    pub shape: Shape,
    now: u64,
    cores: Vec<u64>,
    next_core: usize,
    media: Vec<u64>,
    paths: Vec<u64>,
    next_path: usize,
    cache: Option<Cache>,
    /// Bytes in the write buffer, and when they were counted.
    buffered: (f64, u64),
    /// Of what was written and is not like other data.
    kinds: HashMap<u64, Kind>,
    /// End of the last read: what reads ahead has the next.
    last_end: u64,
    draw: Draw,
}

/// Course of a stream: where its next I/O goes.
pub struct Course<'s> {
    stream: &'s Stream,
    from: u64,
    to: u64,
    size: u64,
    at: u64,
    /// Blocks that are still to come before any comes again.
    left: Vec<u64>,
}

impl Course<'_> {
    pub fn new(stream: &Stream, whole: u64) -> Course<'_> {
        let (from, to) = match stream.address.range {
            RangeSpec::Bytes(from, to) => (from.0, to.0),
            _ => (0, whole),
        };
        let SizeSpec::Fixed(size) = stream.size else {
            panic!("one size")
        };
        assert!(
            to <= whole && from + size.0 <= to,
            "{from} to {to} of {whole}"
        );
        Course {
            stream,
            from,
            to,
            size: size.0,
            at: from,
            left: Vec::new(),
        }
    }

    /// The bytes of each I/O.
    pub fn size(&self) -> u64 {
        self.size
    }

    pub fn next(&mut self, draw: &mut Draw) -> u64 {
        let step = match &self.stream.address.pattern {
            Pattern::Random { coverage: true, .. } => {
                if self.left.is_empty() {
                    self.left = (0..(self.to - self.from) / self.size).collect();
                }
                let any = draw.below(self.left.len() as u64) as usize;
                return self.from + self.left.swap_remove(any) * self.size;
            }
            Pattern::Random { .. } => {
                return self.from + draw.below((self.to - self.from) / self.size) * self.size;
            }
            Pattern::Stride { min, .. } => self.size + min.0,
            _ => self.size,
        };
        let at = self.at;
        self.at += step;
        if self.at + self.size > self.to {
            self.at = self.from;
        }
        at
    }
}

impl Model {
    pub fn new(shape: Shape, seed: u64) -> Self {
        let cache = shape.cache.as_ref();
        Model {
            now: 0,
            cores: vec![0; shape.owners as usize],
            next_core: 0,
            media: vec![0; shape.media],
            paths: vec![0; shape.paths.len()],
            next_path: 0,
            cache: cache.map(|c| Cache::new(c.policy, (c.bytes / c.line) as usize, seed)),
            buffered: (0.0, 0),
            kinds: HashMap::new(),
            last_end: u64::MAX,
            draw: Draw::new(seed ^ 0xF0E1),
            shape,
        }
    }

    /// Runs a step.
    pub fn run(&mut self, step: &Step) -> Came {
        let begin = self.now;
        let from = begin + step.warmup.0;
        let end = from + step.elapsed.0;
        let streams = step.streams.iter();
        let mut courses: Vec<Course> = streams.map(|s| Course::new(s, self.shape.size)).collect();
        let mut out: BinaryHeap<Reverse<(u64, u64)>> = BinaryHeap::new();
        let slots: u32 = step.depths.iter().map(|d| d.slots).sum();
        let mut turn = 0;
        let mut issue = |model: &mut Model, now: u64| {
            let course = &mut courses[turn];
            turn = (turn + 1) % step.streams.len();
            let at = course.next(&mut model.draw);
            let done = model.submit(now, course.stream, at, course.size);
            Reverse((done, now))
        };
        for _ in 0..slots {
            out.push(issue(self, begin));
        }
        let (mut count, mut sum) = (0_u64, 0.0);
        while let Some(Reverse((done, came))) = out.pop() {
            if done > end {
                break;
            }
            if done > from {
                count += 1;
                sum += (done - came) as f64;
            }
            out.push(issue(self, done));
        }
        // What is out when the time is over comes back before the next step.
        self.now = out.into_iter().map(|r| r.0.0).max().unwrap_or(end).max(end);
        Came {
            rate: count as f64 / (step.elapsed.0 as f64 / 1e9),
            service_ns: sum / count.max(1) as f64,
        }
    }

    /// Time at which an I/O that comes now is answered.
    fn submit(&mut self, now: u64, stream: &Stream, at: u64, size: u64) -> u64 {
        let path = match stream.target.0 {
            0 => {
                self.next_path = (self.next_path + 1) % self.paths.len();
                self.next_path
            }
            one => one as usize - 1,
        };
        let way = self.shape.paths[path];
        let carry = way.command_ns + size as f64 * way.ns_per_byte;
        let front = take(&mut self.paths[path], now, carry);
        let inside = match stream.mix.write > 0.0 {
            true => self.write(now, &stream.content, at, size),
            false => self.read(now, at, size),
        };
        front.max(inside) + (self.shape.fixed_ns + way.extra_ns) as u64
    }

    fn read(&mut self, now: u64, at: u64, size: u64) -> u64 {
        let ahead = self.shape.ahead && at == self.last_end;
        self.last_end = at + size;
        let kind = self.kinds.get(&(at / 4096)).copied();
        let noted = matches!(kind, Some(Kind::Zeros)) && self.shape.zeros.is_some();
        let hit = self.look_up(at, size) || ahead || noted;
        let factor = match kind {
            Some(Kind::Compressible) => self.shape.compressed_read,
            _ => 1.0,
        };
        let above = self.shape.cache.is_some_and(|c| c.above);
        let cpu = match hit && above {
            true => now,
            false => self.work(now, at, size, factor),
        };
        if hit {
            return cpu + self.shape.cache.map_or(5_000, |c| c.hit_ns as u64);
        }
        // One after the other; who else waits at the media came before.
        cpu + (self.fetch(now, at, size, self.shape.media_ns) - now)
    }

    fn write(&mut self, now: u64, content: &ContentSpec, at: u64, size: u64) -> u64 {
        let kind = self.kind(content, at, size);
        let factor = self.shape.write_factor
            * match kind {
                Kind::Unique => 1.0,
                Kind::Zeros => self.shape.zeros.map_or(1.0, |t| t.factor),
                Kind::Duplicate => self.shape.duplicates.map_or(1.0, |t| t.factor),
                Kind::Compressible => self.shape.compressible.map_or(1.0, |t| t.factor),
            };
        for block in at / 4096..(at + size) / 4096 {
            match kind {
                Kind::Unique => self.kinds.remove(&block),
                _ => self.kinds.insert(block, kind),
            };
        }
        if let (Some(cache), Some(c)) = (&mut self.cache, self.shape.cache) {
            for line in at / c.line..(at + size).div_ceil(c.line) {
                match c.allocates {
                    true => drop(cache.touch(line)),
                    false => cache.forget(line),
                }
            }
        }
        let cpu = self.work(now, at, size, factor);
        let Some(journal) = self.shape.journal else {
            let stored = match kind {
                Kind::Zeros | Kind::Duplicate => return cpu,
                _ => self.fetch(now, at, size, 2.0 * self.shape.media_ns),
            };
            return cpu.max(stored);
        };
        let (fill, then) = self.buffered;
        let drained = (now - then) as f64 * journal.drain_per_ns;
        let new = match kind {
            Kind::Zeros | Kind::Duplicate => 0.0,
            _ => size as f64,
        };
        let fill = (fill - drained).max(0.0) + new;
        self.buffered = (fill, now);
        let excess = (fill - journal.bytes as f64).max(0.0);
        cpu.max(now + (excess / journal.drain_per_ns) as u64)
    }

    /// Kind of data that the array takes the content for: by its grain, and by what it looks for at all.
    fn kind(&self, content: &ContentSpec, at: u64, size: u64) -> Kind {
        let of = |grain: Option<super::Treated>, unit: u64| {
            grain.is_some_and(|t| {
                size >= t.grain && at.is_multiple_of(t.grain) && unit.is_multiple_of(t.grain)
            })
        };
        match content {
            ContentSpec::Zeros if of(self.shape.zeros, size) => Kind::Zeros,
            ContentSpec::Zeros if of(self.shape.duplicates, size) => Kind::Duplicate,
            ContentSpec::Zeros if of(self.shape.compressible, size) => Kind::Compressible,
            ContentSpec::Reducible {
                dedupe: Some(d), ..
            } if of(self.shape.duplicates, d.unit.0) => Kind::Duplicate,
            ContentSpec::Reducible { compress, .. }
                if *compress > 1.0 && of(self.shape.compressible, size) =>
            {
                Kind::Compressible
            }
            _ => Kind::Unique,
        }
    }

    fn look_up(&mut self, at: u64, size: u64) -> bool {
        let (Some(cache), Some(c)) = (&mut self.cache, self.shape.cache) else {
            return false;
        };
        let lines = at / c.line..(at + size).div_ceil(c.line);
        // Each is touched, also behind one that was not there.
        lines.filter(|line| !cache.touch(*line)).count() == 0
    }

    /// Processor time: the owner's part at the owner, the rest at the cores in turn.
    fn work(&mut self, now: u64, at: u64, size: u64, factor: f64) -> u64 {
        let unit = self.shape.unit;
        let pieces = match unit {
            0 => size as f64 / 4096.0,
            _ => ((at + size).div_ceil(unit) - at / unit) as f64 * (unit as f64 / 4096.0).min(1.0),
        };
        let cost = self.shape.cost_ns * factor * (0.5 + 0.5 * pieces);
        let owner = self.shape.owner(at);
        let bound = cost * self.shape.share / self.shape.speeds[owner];
        let first = take(&mut self.cores[owner], now, bound);
        self.next_core = (self.next_core + 1) % self.cores.len();
        let core = self.next_core;
        first.max(take(
            &mut self.cores[core],
            now,
            cost * (1.0 - self.shape.share),
        ))
    }

    /// The media, in parts of at most 64 KiB at once.
    fn fetch(&mut self, now: u64, at: u64, size: u64, ns: f64) -> u64 {
        let mut last = now;
        for part in at / 65536..(at + size).div_ceil(65536) {
            let place = match size < 65536 {
                true => at / 4096,
                false => part,
            };
            let hash = super::mix(place ^ 0x51);
            let slow = (super::mix(at >> 20) % 1000) as f64 / 1000.0 < self.shape.slow_share;
            let ns = if slow { ns + self.shape.slow_ns } else { ns };
            let server = (hash % self.media.len() as u64) as usize;
            last = last.max(take(&mut self.media[server], now, ns));
        }
        last
    }
}

impl Shape {
    /// Owner of an address.
    pub fn owner(&self, at: u64) -> usize {
        let slice = (at + self.begins_at) / self.slice;
        (match &self.dealing {
            Dealing::Turns => slice % self.owners,
            Dealing::Hash => super::mix(slice) % self.owners,
            Dealing::Pattern(pattern) => pattern[(slice % pattern.len() as u64) as usize],
            Dealing::Multiplied => (((slice * 2_654_435_761) & 0xFFFF_FFFF) * self.owners) >> 32,
            Dealing::Groups { each, run } => {
                let group = slice / run % (self.owners / each);
                group * each + slice % each
            }
            Dealing::Rotated => {
                let (row, at) = (slice / (self.owners - 1), slice % (self.owners - 1));
                let parity = self.owners - 1 - row % self.owners;
                at + u64::from(at >= parity)
            }
        }) as usize
    }
}

/// A station serves in order; when it has done this.
fn take(free_at: &mut u64, now: u64, ns: f64) -> u64 {
    *free_at = (*free_at).max(now) + ns as u64;
    *free_at
}
