//! What holds the streams of a closed loop back: slots that think, and I/Os that wait for their time on a meter.

use super::{NEVER, StreamState, Worker};
use crate::backend::Backend;
use crate::clock::Clock;
use crate::meter::Meter;
use crate::slots::Slot;
use plimsoll_plan::Think;
use plimsoll_traffic::{Io, ThinkTimes};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io;
use std::sync::Arc;

/// How often a stream is drawn again that may not go on yet, before the first that may is taken.
const DRAWS: u32 = 16;

/// Throttles of a worker's streams.
pub struct Throttles {
    streams: Vec<StreamThrottle>,
    /// (until when, slot) of those that think.
    thinking: BinaryHeap<Reverse<(u64, u32)>>,
    /// I/Os of each slot since it thought last.
    done: Vec<u32>,
    /// When something may go on that may not yet, ns; a completion may come before.
    next_ns: u64,
}

/// Throttle of one stream.
pub struct StreamThrottle {
    think: Option<(Think, ThinkTimes)>,
    meter: Option<Arc<Meter>>,
    /// The stream's next I/O and its time on the meter, ns.
    promised: Option<(u64, Io)>,
    /// The worker's number among those that share the stream, and how many they are.
    rank: (u32, u32),
}

impl StreamThrottle {
    /// A stream that is held back by these, or by nothing. `rank` is the worker's number among those that share it, and how
    /// many they are.
    pub fn new(
        think: Option<(Think, ThinkTimes)>,
        meter: Option<Arc<Meter>>,
        rank: (u32, u32),
    ) -> Self {
        StreamThrottle {
            think,
            meter,
            promised: None,
            rank,
        }
    }
}

impl Throttles {
    /// Throttles of a worker with these streams and so many slots.
    pub fn new(streams: Vec<StreamThrottle>, slots: usize) -> Self {
        Throttles {
            streams,
            thinking: BinaryHeap::new(),
            done: vec![0; slots],
            next_ns: NEVER,
        }
    }

    /// When something may go on that may not yet, ns.
    #[inline(always)]
    pub(super) fn next_ns(&self) -> u64 {
        self.next_ns
    }

    /// An I/O of a slot has come back: whether the slot thinks now.
    fn thinks(&mut self, slot: u32, io: &Slot, now_ns: u64) -> bool {
        let hold = &mut self.streams[io.stream as usize];
        let Some((think, times)) = hold.think.as_mut().filter(|_| !io.action.is_sync()) else {
            return false;
        };
        let done = &mut self.done[slot as usize];
        *done += 1;
        if *done < think.every {
            return false;
        }
        *done = 0;
        let until_ns = now_ns.saturating_add(times.next_ns());
        self.thinking.push(Reverse((until_ns, slot)));
        true
    }

    /// The next slot that has thought long enough, and until when it has.
    fn wake(&mut self, now_ns: u64) -> Option<(u64, u32)> {
        let Reverse((until_ns, _)) = self.thinking.peek()?;
        if *until_ns > now_ns {
            return None;
        }
        self.thinking.pop().map(|Reverse(woken)| woken)
    }
}

impl<B: Backend, C: Clock> Worker<B, C> {
    /// Users who all begin at once would all come back at once, again and again: they begin one after the other, spread over
    /// a think time from `from_ns` on, the first of all at once. They are a pool's slots; those of streams that think.
    pub(super) fn spread_out(&mut self, pool: usize, from_ns: u64) {
        let Some(throttles) = &mut self.throttles else {
            return;
        };
        let pool = &mut self.pools[pool];
        if pool.share.is_some() {
            return;
        }
        let thinkers = pool.streams.iter().map(|s| &throttles.streams[*s as usize]);
        let longest = thinkers
            .filter_map(|hold| Some((hold.think.as_ref()?.0.time.0, hold.rank)))
            .max();
        let Some((think_ns, (rank, of))) = longest else {
            return;
        };
        let users = pool.free.len() as u128 * u128::from(of);
        let free = std::mem::take(&mut pool.free);
        for (at, slot) in free.into_iter().rev().enumerate() {
            let user = at as u128 * u128::from(of) + u128::from(rank);
            let pause_ns = (u128::from(think_ns) * user / users) as u64;
            let begin_ns = from_ns.saturating_add(pause_ns);
            throttles.thinking.push(Reverse((begin_ns, slot)));
        }
    }

    /// An I/O has come back: whether its slot thinks now, and is not to be put back yet.
    #[inline(always)]
    pub(super) fn thinks(&mut self, slot: u32, now_ns: u64) -> bool {
        match &mut self.throttles {
            None => false,
            Some(throttles) => throttles.thinks(slot, &self.slots[slot as usize], now_ns),
        }
    }

    /// Fills the slots that are free with what is not held back.
    pub(super) fn issue_throttled(&mut self) -> io::Result<()> {
        let Some(mut throttles) = self.throttles.take() else {
            return Ok(());
        };
        while let Some((until_ns, slot)) = throttles.wake(self.now_ns) {
            self.slots[slot as usize].intended_ns = until_ns;
            self.put_back(self.slots[slot as usize].pool, slot);
        }
        throttles.next_ns = throttles
            .thinking
            .peek()
            .map_or(NEVER, |Reverse((at, _))| *at);
        let mut filled = Ok(());
        for pool in 0..self.pools.len() {
            filled = self.fill(pool, &mut throttles);
            if filled.is_err() || self.ending.draining {
                break;
            }
        }
        self.throttles = Some(throttles);
        filled
    }

    /// One pool's part.
    fn fill(&mut self, pool: usize, throttles: &mut Throttles) -> io::Result<()> {
        while !self.pools[pool].free.is_empty() {
            let owes = self.pools[pool].syncs_owed > 0;
            let stream = match owes {
                true => None,
                false => self.next_to_go(pool, throttles),
            };
            if stream.is_none() && !owes {
                return Ok(());
            }
            let Some((slot, free_ns)) = self.take_free(pool) else {
                return Ok(());
            };
            if self.owes_sync(pool as u32, slot)? {
                continue;
            }
            let Some(stream) = stream else { return Ok(()) };
            let promised = throttles.streams[stream as usize].promised.take();
            // What waits before the stream's time waits for nothing.
            let begin_ns = self.streams[stream as usize].from_ns;
            let intended_ns = promised.map_or(begin_ns, |(at_ns, _)| at_ns).max(free_ns);
            let next = |state: &mut StreamState| match promised {
                Some((_, io)) => Some(io),
                None => state.source.next(),
            };
            if self.issue_from(slot, stream, intended_ns, intended_ns, next)? {
                continue;
            }
            self.pools[pool].retire(stream);
            self.put_back(pool as u32, slot);
            self.end_when_exhausted();
            if self.ending.draining {
                return Ok(());
            }
        }
        Ok(())
    }

    /// A free slot of a pool, and since when it could be used, ns.
    fn take_free(&mut self, pool: usize) -> Option<(u32, u64)> {
        let slot = self.pools[pool].take_unpaced(self.now_ns)?;
        if self.pools[pool].share.is_none() {
            return Some((slot, self.slots[slot as usize].intended_ns));
        }
        // The room may have been there for long; the leave to use it came now.
        self.crowd.unpaced[slot as usize] = true;
        Some((slot, self.now_ns))
    }

    /// Which of a pool's streams goes next, of those that nothing holds back.
    fn next_to_go(&mut self, pool: usize, throttles: &mut Throttles) -> Option<u32> {
        let draws = match self.pools[pool].streams.len() {
            0 => return None,
            1 => 1,
            _ => DRAWS,
        };
        for _ in 0..draws {
            let stream = self.pools[pool].next_stream()?;
            if self.may_go(stream, throttles) {
                return Some(stream);
            }
        }
        for at in 0..self.pools[pool].streams.len() {
            let stream = self.pools[pool].streams[at];
            if self.may_go(stream, throttles) {
                return Some(stream);
            }
        }
        None
    }

    /// Whether it is time for a stream's next I/O. One that has ended may go: so it is found out.
    fn may_go(&mut self, stream: u32, throttles: &mut Throttles) -> bool {
        let hold = &mut throttles.streams[stream as usize];
        let Some(meter) = &hold.meter else {
            return true;
        };
        let at_ns = match hold.promised {
            Some((at_ns, _)) => at_ns,
            None => {
                let Some(io) = self.streams[stream as usize].source.next() else {
                    return true;
                };
                let at_ns = meter.promise(io.length);
                let at_ns = self.orders.timeline.start_ns.saturating_add(at_ns);
                hold.promised = Some((at_ns, io));
                at_ns
            }
        };
        if at_ns > self.now_ns {
            throttles.next_ns = throttles.next_ns.min(at_ns);
            return false;
        }
        true
    }
}
