//! A step's limits, of which all its workers take.
//!
//! Dealt out in equal parts, a limit would end a worker that is fast while one that is slow goes on alone with its own. So
//! what is left is one count for all. An I/O takes no atomic of it: a worker takes lots, and none that it needs longer for
//! than about a sample's time.

use plimsoll_plan::{Bytes, Step};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// What is limited: I/Os, all bytes, bytes read, bytes written.
const KINDS: usize = 4;
const READ: usize = 2;
const WRITTEN: usize = 3;

/// What is left of a step's limits to the workers of this host.
#[derive(Debug)]
pub struct Limits {
    left: [Option<Left>; KINDS],
    workers: u64,
}

/// All workers change it, so nothing else is beside it.
#[derive(Debug)]
#[repr(align(128))]
struct Left(AtomicU64);

impl Limits {
    /// Of a step whose workers on this host are `own`, after `before` others, of `of`; `None` where it has no limit. Hosts have
    /// parts of a limit by their workers, the remainder goes to the first; bytes are dealt in whole I/Os of the largest
    /// size.
    pub fn of(step: &Step, before: u64, own: u64, of: u64) -> Option<Self> {
        let part = |total: u64, unit: u64| {
            let (units, rest) = (total / unit, total % unit);
            let until = |worker: u64| units / of * worker + worker.min(units % of);
            // What is less than a unit goes to the host that has the fewest.
            let rest = if before + own == of { rest } else { 0 };
            Left(AtomicU64::new(
                (until(before + own) - until(before)) * unit + rest,
            ))
        };
        let largest = step.streams.iter().map(|s| s.largest().0).max();
        let bytes = |total: Option<Bytes>| Some(part(total?.0, largest.unwrap_or(1).max(1)));
        let l = &step.limits;
        let left = [
            l.ios.map(|ios| part(ios, 1)),
            bytes(l.bytes),
            bytes(l.read_bytes),
            bytes(l.written_bytes),
        ];
        let any = left.iter().any(Option::is_some);
        any.then_some(Limits { left, workers: own })
    }

    /// Takes `least`, or up to `most` where so much is left that the other workers could take as much twice over; always whole
    /// times `least`. 0 where there is no `least` left.
    fn take(&self, kind: usize, least: u64, most: u64) -> u64 {
        let Some(Left(left)) = &self.left[kind] else {
            return u64::MAX;
        };
        let lot = |left: u64| {
            let fair = most.min(left / (2 * self.workers.max(1)));
            if left < least {
                0
            } else {
                (fair / least * least).max(least)
            }
        };
        let less = |left: u64| left.checked_sub(lot(left));
        // `less` never fails: a lot is no more than what is left.
        let before = left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less);
        before.map_or(0, lot)
    }

    fn give_back(&self, kind: usize, amount: u64) {
        if let Some(Left(left)) = &self.left[kind] {
            left.fetch_add(amount, Ordering::Relaxed);
        }
    }
}

/// What one worker has taken of the limits.
#[derive(Debug)]
pub struct Lots {
    limits: Arc<Limits>,
    held: [u64; KINDS],
    /// Used since the last sample began: a lot is no larger, so that it lasts for no longer than what has passed of it.
    used: [u64; KINDS],
}

impl Lots {
    /// None yet.
    pub fn new(limits: Arc<Limits>) -> Self {
        Lots {
            limits,
            held: [0; KINDS],
            used: [0; KINDS],
        }
    }

    /// Takes one I/O off; false where it does not fit any more.
    #[inline]
    pub(crate) fn spend(&mut self, op: u8, length: u32) -> bool {
        let bytes = u64::from(length);
        let mut needs = [1, bytes, 0, 0];
        match op {
            0 => needs[READ] = bytes,
            1 => needs[WRITTEN] = bytes,
            _ => {}
        }
        for (kind, need) in needs.into_iter().enumerate() {
            if self.held[kind] < need && !self.fetch(kind, need) {
                return false;
            }
        }
        for (kind, need) in needs.into_iter().enumerate() {
            self.held[kind] -= need;
            self.used[kind] = self.used[kind].saturating_add(need);
        }
        true
    }

    #[cold]
    fn fetch(&mut self, kind: usize, need: u64) -> bool {
        let wants = need - self.held[kind];
        let lot = self.limits.take(kind, wants, self.used[kind]);
        self.held[kind] = self.held[kind].saturating_add(lot);
        lot > 0
    }

    /// Gives back what is held, for others or for a later time: a sample has ended, or the worker has.
    pub(crate) fn give_back(&mut self) {
        for kind in 0..KINDS {
            let held = std::mem::take(&mut self.held[kind]);
            self.limits.give_back(kind, held);
        }
        self.used = [0; KINDS];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits(ios: Option<u64>, bytes: Option<u64>, workers: u64) -> Arc<Limits> {
        let left = |n: Option<u64>| n.map(|n| Left(AtomicU64::new(n)));
        Arc::new(Limits {
            left: [left(ios), left(bytes), None, None],
            workers,
        })
    }

    fn left(limits: &Limits, kind: usize) -> u64 {
        let Some(Left(left)) = &limits.left[kind] else {
            panic!("no limit of {kind}");
        };
        left.load(Ordering::Relaxed)
    }

    #[test]
    fn lots_grow_with_what_a_worker_does_and_leave_the_others_theirs() {
        let limits = limits(Some(1000), None, 2);
        let mut lots = Lots::new(Arc::clone(&limits));
        let mut taken = Vec::new();
        let mut before = 1000;
        while lots.spend(0, 4096) {
            let now = left(&limits, 0);
            if now != before {
                taken.push(before - now);
            }
            before = now;
        }
        assert_eq!(taken.iter().sum::<u64>(), 1000);
        assert_eq!(taken[..6], [1, 1, 2, 4, 8, 16]);
        assert_eq!(taken.iter().max(), Some(&186));
        assert_eq!(taken.last(), Some(&1));
    }

    #[test]
    fn what_is_held_comes_back() {
        let limits = limits(Some(1000), Some(1 << 20), 2);
        let mut lots = Lots::new(Arc::clone(&limits));
        assert!((0..10).all(|_| lots.spend(1, 4096)));
        lots.give_back();
        assert_eq!(left(&limits, 0), 990);
        assert_eq!(left(&limits, 1), (1 << 20) - 40_960);
        // From the beginning: a worker that has become slow takes no large lot.
        assert!(lots.spend(1, 4096));
        assert_eq!(left(&limits, 0), 989);
    }

    /// Remainders that two workers hold make room for one I/O more, once the first of them has given its own back.
    #[test]
    fn of_sizes_that_differ_no_more_than_one_io_is_left_out() {
        let limits = limits(None, Some(1_000_000), 3);
        let mut all = [0; 3].map(|_| Lots::new(Arc::clone(&limits)));
        let (mut moved, mut size) = (0, 512u64);
        for round in 0.. {
            size = size * 5 % 8191 + 1;
            let lots = &mut all[round % 3];
            if !lots.spend(0, size as u32) {
                break;
            }
            moved += size;
        }
        all.iter_mut().for_each(Lots::give_back);
        assert_eq!(left(&limits, 1), 1_000_000 - moved);
        let lots = &mut all[1];
        while lots.spend(0, 512) {
            moved += 512;
        }
        assert!(1_000_000 - moved < 512, "{moved}");
    }

    #[test]
    fn threads_use_all_of_a_limit_and_no_more() {
        let limits = limits(Some(1_000_003), None, 4);
        let done: u64 = std::thread::scope(|scope| {
            let worker = || {
                let mut lots = Lots::new(Arc::clone(&limits));
                let mut done = 0;
                while lots.spend(0, 512) {
                    done += 1;
                    if done % 1000 == 0 {
                        lots.give_back();
                    }
                }
                lots.give_back();
                done
            };
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(worker)).collect();
            threads.into_iter().map(|t| t.join().expect("done")).sum()
        });
        // Who gives back what the others, that have ended, would have used, uses it itself.
        assert_eq!((done, left(&limits, 0)), (1_000_003, 0));
    }
}
