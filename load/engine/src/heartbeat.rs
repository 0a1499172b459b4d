//! Sees when the process itself did not run: a thread that does nothing but wake, and looks how late it was.
//!
//! A worker cannot tell. It may have been late because its system call waited for the target, or because nobody gave it a
//! CPU. This thread asks no target for anything, so that only the second makes it late: the process was stopped, its CPUs
//! were taken, or the host stood still.

use crate::clock::RealClock;
use std::io;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

/// How often it wakes, ns.
const BEAT_NS: u64 = 20_000_000;
/// What is later than this is kept: pauses of a few hundredths of a second add up. Less is any host's everyday life, ns.
const LATE_NS: u64 = 30_000_000;

/// A time in which the process did not run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Standstill {
    /// From the step's start, ns.
    pub at_ns: u64,
    /// Length, ns; off by half a beat at most.
    pub length_ns: u64,
}

/// The beats so far.
#[derive(Debug)]
pub struct Beats {
    last_ns: u64,
    start_ns: u64,
    found: Vec<Standstill>,
}

impl Beats {
    /// From `now_ns` on, of a step that starts at `start_ns` on the same clock.
    pub fn new(now_ns: u64, start_ns: u64) -> Self {
        Beats {
            last_ns: now_ns,
            start_ns,
            found: Vec::new(),
        }
    }

    /// Notes that the worker is awake.
    pub fn beat(&mut self, now_ns: u64) {
        let from = self.last_ns.max(self.start_ns);
        let length_ns = now_ns.saturating_sub(from);
        if length_ns > BEAT_NS + LATE_NS {
            // It began at some time of the beat that was still to come: in the mean in its middle, so that no sum of many is too long.
            let half = BEAT_NS / 2;
            self.found.push(Standstill {
                at_ns: from - self.start_ns + half,
                length_ns: length_ns - half,
            });
        }
        self.last_ns = now_ns;
    }

    /// Standstills in which the beat was late, in order.
    pub fn standstills(self) -> Vec<Standstill> {
        self.found
    }
}

/// The thread.
#[derive(Debug)]
pub struct Heartbeat {
    end: Sender<()>,
    thread: JoinHandle<Vec<Standstill>>,
}

impl Heartbeat {
    /// Begins now, for a step that starts at `start_ns` on CLOCK_MONOTONIC.
    pub fn start(start_ns: u64) -> io::Result<Self> {
        let (end, over) = channel::<()>();
        let mut beats = Beats::new(RealClock::monotonic_ns(), start_ns);
        let thread = std::thread::Builder::new()
            .name("heartbeat".into())
            .spawn(move || {
                loop {
                    let waited = over.recv_timeout(Duration::from_nanos(BEAT_NS));
                    beats.beat(RealClock::monotonic_ns());
                    if waited != Err(RecvTimeoutError::Timeout) {
                        return beats.standstills();
                    }
                }
            })?;
        Ok(Heartbeat { end, thread })
    }

    /// Ends; what it saw.
    pub fn stop(self) -> Vec<Standstill> {
        drop(self.end);
        // It cannot panic; if it did, there would be nothing to tell.
        self.thread.join().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    fn seen(start_ns: u64, beats: &[u64]) -> Vec<(u64, u64)> {
        let mut seen = Beats::new(beats[0], start_ns);
        beats[1..].iter().for_each(|at| seen.beat(*at));
        let pair = |s: Standstill| (s.at_ns / MS, s.length_ns / MS);
        seen.standstills().into_iter().map(pair).collect()
    }

    #[test]
    fn a_beat_that_comes_late_shows_a_standstill() {
        let beats = [1_000, 1_020, 1_041, 4_051, 4_071].map(|ms| ms * MS);
        assert_eq!(seen(1_000 * MS, &beats), [(51, 3_000)]);
    }

    #[test]
    fn a_little_late_is_nothing() {
        let beats = [0, 20, 70, 120, 140].map(|ms| ms * MS);
        assert_eq!(seen(0, &beats), []);
    }

    #[test]
    fn what_was_before_the_start_is_not_the_steps() {
        let beats = [0, 5_000].map(|ms| ms * MS);
        assert_eq!(seen(4_960 * MS, &beats), []);
        assert_eq!(seen(4_000 * MS, &beats), [(10, 990)]);
    }

    #[test]
    fn the_sum_of_many_short_standstills_is_their_true_sum() {
        // Stopped for 400 ms after each 190 ms, which is no multiple of a beat: the last beat before it is 0 to 20 ms back.
        let (mut now, mut beats) = (0, vec![0]);
        for stop in (0..50).map(|n| 590 * n + 190) {
            while now + 20 < stop {
                now += 20;
                beats.push(now * MS);
            }
            now = stop + 400;
            beats.push(now * MS);
        }
        let all: u64 = seen(0, &beats).iter().map(|(_, length)| length).sum();
        assert!(all.abs_diff(50 * 400) < 50 * 400 / 50, "{all}");
    }
}
