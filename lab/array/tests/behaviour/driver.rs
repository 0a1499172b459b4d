//! Load on an array in virtual time: a closed loop and an open one.

use plimsoll_array::{Array, Io, IoKind, Status};
use plimsoll_content::{Identity, mix64};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

pub const SECOND: u64 = 1_000_000_000;
pub const KIB: u64 = 1 << 10;
pub const MIB: u64 = 1 << 20;
pub const GIB: u64 = 1 << 30;

/// A sequence of random numbers that its seed determines.
#[derive(Clone)]
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Random(mix64(seed))
    }

    pub fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix64(self.0)
    }

    pub fn below(&mut self, n: u64) -> u64 {
        ((u128::from(self.word()) * u128::from(n)) >> 64) as u64
    }

    pub fn unit(&mut self) -> f64 {
        (self.word() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// True in `share` of the cases.
    pub fn chance(&mut self, share: f64) -> bool {
        self.unit() < share
    }
}

/// What to ask next.
pub struct Ask {
    pub lun: u32,
    pub op: IoKind,
    pub offset: u64,
    pub len: u32,
    pub blocks: Vec<Identity>,
}

impl Ask {
    pub fn new(op: IoKind, lun: u32, offset: u64, len: u32) -> Self {
        Ask {
            lun,
            op,
            offset,
            len,
            blocks: Vec::new(),
        }
    }
}

/// Data like no other number's, that does not compress.
pub fn chunk(n: u64) -> Identity {
    Identity::Data {
        fingerprint: mix64(n),
        compressed: 4096,
    }
}

/// What a load saw after its warm-up.
#[derive(Debug, Clone, Copy, Default)]
pub struct LoadSeen {
    pub iops: f64,
    /// From the start of a request to its answer, microseconds.
    pub mean_us: f64,
    pub read_us: f64,
    pub write_us: f64,
    /// Requests of an open loop that found no free slot, as a share.
    pub late: f64,
    /// Requests that were not answered with [`Status::Done`].
    pub failed: u64,
    /// The longest request.
    pub worst_us: f64,
}

/// Adds up.
struct Tally {
    from: u64,
    done: u64,
    sums: [(u64, f64); 2],
    issued: u64,
    late: u64,
    failed: u64,
    worst: u64,
}

impl Tally {
    fn new(from: u64) -> Self {
        Tally {
            from,
            done: 0,
            sums: [(0, 0.0); 2],
            issued: 0,
            late: 0,
            failed: 0,
            worst: 0,
        }
    }

    fn seen(&self, until: u64) -> LoadSeen {
        let us = |ns: f64, count: u64| ns / 1e3 / count.max(1) as f64;
        let [reads, writes] = self.sums;
        LoadSeen {
            iops: self.done as f64 * SECOND as f64 / (until - self.from) as f64,
            mean_us: us(reads.1 + writes.1, reads.0 + writes.0),
            read_us: us(reads.1, reads.0),
            write_us: us(writes.1, writes.0),
            late: self.late as f64 / self.issued.max(1) as f64,
            failed: self.failed,
            worst_us: self.worst as f64 / 1e3,
        }
    }
}

/// An array under load; time goes on from one load to the next.
pub struct Stage {
    pub array: Array,
    pub now: u64,
    pub random: Random,
    paths: u32,
    next_path: u32,
}

impl Stage {
    pub fn new(array: Array) -> Self {
        let paths = array.front_end().paths().len() as u32;
        Stage {
            array,
            now: 0,
            random: Random::new(1),
            paths,
            next_path: 0,
        }
    }

    pub fn seeded(mut self, seed: u64) -> Self {
        self.random = Random::new(seed);
        self
    }

    /// Issues one request now, over the next path that takes it, as a multipath device does; when it's answered.
    fn issue(&mut self, ask: &Ask, tally: &mut Tally) -> u64 {
        let mut tries = 0..self.paths;
        let completion = loop {
            let path = self.next_path;
            self.next_path = (path + 1) % self.paths;
            let io = Io {
                lun: ask.lun,
                path,
                op: ask.op,
                offset: ask.offset,
                len: ask.len,
                blocks: &ask.blocks,
            };
            tries.next();
            let completion = self.array.submit(self.now, &io);
            if completion.status != Status::PathDown || tries.is_empty() {
                break completion;
            }
        };
        if self.now >= tally.from {
            tally.issued += 1;
            if completion.status == Status::Done {
                let kind = &mut tally.sums[usize::from(ask.op != IoKind::Read)];
                kind.0 += 1;
                kind.1 += (completion.at_ns - self.now) as f64;
                tally.worst = tally.worst.max(completion.at_ns - self.now);
            } else {
                tally.failed += 1;
            }
        }
        completion.at_ns
    }

    /// `depth` slots, each of which asks again when it's answered; for `warm_up` unseen, and then for `seconds`.
    pub fn closed(
        &mut self,
        depth: usize,
        warm_up: f64,
        seconds: f64,
        mut ask: impl FnMut(&mut Random) -> Ask,
    ) -> LoadSeen {
        let from = self.now + (warm_up * SECOND as f64) as u64;
        let until = from + (seconds * SECOND as f64) as u64;
        let mut tally = Tally::new(from);
        let mut slots: BinaryHeap<_> = (0..depth).map(|s| Reverse((self.now, s, false))).collect();
        while let Some(Reverse((at, slot, answered))) = slots.pop() {
            if at >= until {
                break;
            }
            self.now = at;
            tally.done += u64::from(answered && at >= from);
            let next = ask(&mut self.random);
            let at = self.issue(&next, &mut tally);
            slots.push(Reverse((at, slot, true)));
        }
        self.now = until;
        tally.seen(until)
    }

    /// Requests at random times at a mean `rate`, while one of `slots` is free.
    pub fn open(
        &mut self,
        rate: f64,
        slots: usize,
        warm_up: f64,
        seconds: f64,
        mut ask: impl FnMut(&mut Random) -> Ask,
    ) -> LoadSeen {
        let from = self.now + (warm_up * SECOND as f64) as u64;
        let until = from + (seconds * SECOND as f64) as u64;
        let mut tally = Tally::new(from);
        let mut out = BinaryHeap::new();
        let mut due = self.now as f64;
        loop {
            due -= (1.0 - self.random.unit()).ln() * 1e9 / rate;
            let mut start = due as u64;
            while out.peek().is_some_and(|d: &Reverse<u64>| d.0 <= start) {
                tally.done += u64::from(out.pop().is_some_and(|d| d.0 >= from));
            }
            if out.len() == slots {
                let free = out.pop().map_or(start, |d| d.0);
                tally.late += u64::from(start >= from);
                tally.done += u64::from((from..until).contains(&free));
                start = free;
            }
            if start >= until {
                break;
            }
            self.now = self.now.max(start);
            let next = ask(&mut self.random);
            out.push(Reverse(self.issue(&next, &mut tally)));
        }
        self.now = until;
        tally.seen(until)
    }
}

/// Asserts that a value is within a share of what is expected.
#[track_caller]
pub fn assert_near(what: &str, got: f64, expected: f64, share: f64) {
    assert!(
        (got / expected - 1.0).abs() <= share,
        "{what}: {got:.3}, expected {expected:.3} within {:.1} %",
        share * 100.0
    );
}
