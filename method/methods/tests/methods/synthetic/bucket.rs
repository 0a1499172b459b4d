//! A limiter of rates: a bucket of tokens that fills at a rate, up to what may be burst. Each I/O takes one, and waits for it
//! behind those that came before. What stands between two steps is time in which it fills.

use super::SECOND_NS;
use super::queue::{Counts, Course, Io, SAMPLE_NS};
use plimsoll_draw::Draw;
use plimsoll_plan::{Load, Step};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

pub struct Bucket {
    /// Tokens a second.
    pub rate: f64,
    /// The most tokens that it holds.
    pub burst: f64,
    /// Time of an I/O that finds a token, s.
    pub alone_s: f64,
    /// Tokens at this time, ns; below 0 as many I/Os wait.
    tokens: f64,
    at: u64,
}

impl Bucket {
    /// A full one.
    pub fn new(rate: f64, burst: f64, alone_s: f64) -> Self {
        Bucket {
            rate,
            burst,
            alone_s,
            tokens: burst,
            at: 0,
        }
    }

    /// Lets time pass.
    pub fn rest(&mut self, seconds: f64) {
        self.fill(self.at + (seconds * 1e9) as u64);
    }

    fn fill(&mut self, now: u64) {
        let gained = (now - self.at) as f64 / 1e9 * self.rate;
        self.tokens = (self.tokens + gained).min(self.burst);
        self.at = now;
    }

    /// Time at which an I/O that is issued now is done.
    fn done(&mut self, now: u64) -> u64 {
        self.fill(now);
        self.tokens -= 1.0;
        let waits = (-self.tokens / self.rate).max(0.0);
        now + ((waits + self.alone_s) * 1e9) as u64
    }

    /// One step, from its warm-up until the last of its I/Os is back.
    pub fn carry_out(&mut self, step: &Step, seed: u64) -> Course {
        let begin = self.at;
        let from = step.warmup.0 / SAMPLE_NS * SAMPLE_NS;
        let to = from + step.elapsed.0 / SAMPLE_NS * SAMPLE_NS;
        let mut counts = Counts::new(from, to, ((to - from) / SAMPLE_NS) as usize);
        let mut slots: BinaryHeap<Reverse<u64>> =
            (0..step.total_depth()).map(|_| Reverse(0)).collect();
        let mut draw = Draw(seed.wrapping_mul(0x2545_f491_4f6c_dd1d));
        let (mut clock, mut last) = (0.0, 0);
        while let Some(Reverse(free)) = slots.pop() {
            let due = match &step.load {
                Load::Rate { rate, .. } => {
                    clock += draw.exponential() * SECOND_NS as f64 / rate.0;
                    clock as u64
                }
                _ => free,
            };
            if due >= to {
                break;
            }
            let issue = due.max(free);
            let done = self.done(begin + issue) - begin;
            slots.push(Reverse(done));
            last = done.max(last);
            counts.add(Io {
                due,
                issue,
                done,
                waited_for_slot: free > due,
                late_by_host: false,
                late_ns: 0,
            });
        }
        self.fill(begin + last.max(to));
        counts.finish()
    }
}
