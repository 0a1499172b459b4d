//! A stripe over solid disks behind a controller with little memory: it holds what it read ahead of a sequence, and answers
//! writes from a fixed part of it until that is full. No work is anybody's but the disks', and nothing is cached that was read.

use super::model::{Came, Course};
use crate::drawn::Draw;
use plimsoll_plan::Step;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Stripe over the disks.
#[derive(Debug, Clone, Copy)]
pub struct Stripe {
    pub size: u64,
    pub disks: u64,
    /// Bytes that a disk has in a piece.
    pub chunk: u64,
    /// A disk's time for a read or write, ns, and for each byte of it.
    pub access_ns: f64,
    pub byte_ns: f64,
    /// The controller's time for an I/O, which nobody waits for.
    pub fixed_ns: u64,
    /// Bytes that it reads on after four reads in order, each to be read once; 0: none.
    pub ahead: u64,
    /// Bytes of writes that it holds.
    pub holds: u64,
    pub noise: f64,
}

/// The stripe at work.
#[derive(Debug)]
pub struct Disks {
    stripe: Stripe,
    now: u64,
    /// Time from which each disk is free.
    free: Vec<u64>,
    /// End of the last read, and the number of reads in order.
    last_end: u64,
    in_order: u32,
    /// Read-ahead: from where, until where, and from when on.
    ahead: (u64, u64, u64),
    /// Time at which each held write is on its disk, and its bytes.
    held: BinaryHeap<Reverse<(u64, u64)>>,
    held_bytes: u64,
    draw: Draw,
}

impl Disks {
    pub fn new(stripe: Stripe, seed: u64) -> Self {
        Disks {
            free: vec![0; stripe.disks as usize],
            stripe,
            now: 0,
            last_end: u64::MAX,
            in_order: 0,
            ahead: (0, 0, 0),
            held: BinaryHeap::new(),
            held_bytes: 0,
            draw: Draw::new(seed ^ 0xD15C),
        }
    }

    /// Runs a step: so many in flight, each stream in turn.
    pub fn run(&mut self, step: &Step) -> Came {
        let (begin, slots) = (self.now, step.depths.iter().map(|d| d.slots).sum::<u32>());
        let (from, end) = (
            begin + step.warmup.0,
            begin + step.warmup.0 + step.elapsed.0,
        );
        let size = self.stripe.size;
        let mut courses: Vec<Course> = step.streams.iter().map(|s| Course::new(s, size)).collect();
        let mut out = BinaryHeap::new();
        let (mut issued, mut count, mut sum) = (0, 0_u64, 0.0);
        let mut now = begin;
        loop {
            if out.len() < slots as usize {
                let course = &mut courses[issued % step.streams.len()];
                issued += 1;
                let (at, bytes) = (course.next(&mut self.draw), course.size());
                let done = match step.writes() {
                    true => self.write(now, at, bytes),
                    false => self.read(now, at, bytes),
                };
                out.push(Reverse((done + self.stripe.fixed_ns, now)));
                continue;
            }
            let Some(Reverse((done, came))) = out.pop() else {
                break;
            };
            now = done;
            if done > end {
                out.push(Reverse((done, came)));
                break;
            }
            if done > from {
                count += 1;
                sum += (done - came) as f64;
            }
        }
        self.now = out.into_iter().map(|r| r.0.0).fold(end, u64::max);
        Came {
            rate: count as f64 / (step.elapsed.0 as f64 / 1e9),
            service_ns: sum / count.max(1) as f64,
        }
    }

    /// The disks' work for a piece of the target, disk by disk.
    fn disks(&mut self, now: u64, at: u64, bytes: u64) -> u64 {
        let (mut at, end, mut last) = (at, at + bytes, now);
        while at < end {
            let next = ((at / self.stripe.chunk + 1) * self.stripe.chunk).min(end);
            let disk = (at / self.stripe.chunk % self.stripe.disks) as usize;
            let ns = self.stripe.access_ns + (next - at) as f64 * self.stripe.byte_ns;
            self.free[disk] = self.free[disk].max(now) + ns as u64;
            last = last.max(self.free[disk]);
            at = next;
        }
        last
    }

    fn read(&mut self, now: u64, at: u64, bytes: u64) -> u64 {
        self.in_order = match at == self.last_end {
            true => self.in_order + 1,
            false => 0,
        };
        self.last_end = at + bytes;
        let (from, to, ready) = self.ahead;
        if from <= at && at + bytes <= to {
            self.ahead.0 = at + bytes;
            return ready.max(now);
        }
        let done = self.disks(now, at, bytes);
        if self.in_order >= 3 && self.stripe.ahead > 0 {
            let from = at + bytes;
            let to = (from + self.stripe.ahead).min(self.stripe.size);
            let ready = self.disks(now, from, to - from);
            self.ahead = (from, to, ready);
        }
        done
    }

    fn write(&mut self, now: u64, at: u64, bytes: u64) -> u64 {
        let mut when = now;
        while let Some(Reverse((done, gone))) = self.held.peek().copied() {
            if done > when && self.held_bytes + bytes <= self.stripe.holds {
                break;
            }
            when = when.max(done);
            self.held.pop();
            self.held_bytes -= gone;
        }
        let done = self.disks(now, at, bytes);
        self.held.push(Reverse((done, bytes)));
        self.held_bytes += bytes;
        when
    }
}
