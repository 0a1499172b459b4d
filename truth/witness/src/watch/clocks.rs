//! Clocks compared: four of them show whether the wall clock was set, the host slept, or the clock that times I/O runs at another speed.
//!
//! Three are read from the kernel itself. The fourth is the monotonic clock as the C library gives it, which a preloaded library
//! (libfaketime) may have replaced; the engine times its I/O with that one.

use crate::Root;
use plimsoll_evidence::witnessed::ClockSteps;
use rustix::time::{ClockId, clock_gettime};
use std::time::Instant;

/// Largest rate at which the kernel slews a clock (adjtimex(2)): 500 ppm. A clock that moved further was set.
const SLEWED: f64 = 500e-6;
/// Attempts at one reading of the clocks, so that nothing comes between them.
const TRIES: usize = 3;

/// Looks at the clocks.
#[derive(Debug)]
pub(super) struct ClocksSampler {
    began: Instant,
    /// `None` under a captured tree: clocks are this host's.
    last: Option<Reading>,
}

/// The clocks at one instant, ns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Reading {
    monotonic: i64,
    real: i64,
    boot: i64,
    /// Since the first look, by the clock that times I/O.
    timing: i64,
    /// Duration of the reading: the clocks were read no closer together than this.
    within: i64,
}

impl ClocksSampler {
    pub fn new(root: &Root) -> Self {
        let began = Instant::now();
        ClocksSampler {
            began,
            last: root.is_system().then(|| read(began)),
        }
    }

    pub fn look(&mut self) -> Option<ClockSteps> {
        let last = self.last.as_mut()?;
        let before = std::mem::replace(last, read(self.began));
        Some(between(&before, last))
    }
}

fn read(began: Instant) -> Reading {
    let once = |_| {
        let monotonic = ns(ClockId::Monotonic);
        let (real, boot) = (ns(ClockId::Realtime), ns(ClockId::Boottime));
        let timing = i64::try_from(began.elapsed().as_nanos()).unwrap_or(i64::MAX);
        let within = ns(ClockId::Monotonic) - monotonic;
        Reading {
            monotonic,
            real,
            boot,
            timing,
            within,
        }
    };
    let best = (0..TRIES).map(once).min_by_key(|reading| reading.within);
    best.unwrap_or_else(|| once(0))
}

fn between(before: &Reading, now: &Reading) -> ClockSteps {
    let unsure = before.within + now.within;
    let passed = now.monotonic - before.monotonic;
    let stepped = (now.real - now.monotonic) - (before.real - before.monotonic);
    let slept = (now.boot - now.monotonic) - (before.boot - before.monotonic);
    let slewed = (passed as f64 * SLEWED) as i64;
    // Sleep goes by on the wall clock and not on the monotonic one.
    let stepped = stepped - slept;
    let is_step = stepped.saturating_abs() > slewed + unsure;
    let gained = (now.timing - before.timing) - passed;
    ClockSteps {
        stepped_ns: if is_step { stepped } else { 0 },
        suspended_ns: if slept > unsure { slept as u64 } else { 0 },
        gained_ns: if gained.saturating_abs() > unsure {
            gained
        } else {
            0
        },
    }
}

fn ns(clock: ClockId) -> i64 {
    let time = clock_gettime(clock);
    time.tv_sec
        .saturating_mul(1_000_000_000)
        .saturating_add(time.tv_nsec)
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: i64 = 1_000_000_000;

    /// At 1 s on the monotonic clock.
    const FIRST: Reading = Reading {
        monotonic: S,
        real: 1_700_000_000 * S,
        boot: S,
        timing: 0,
        within: 200,
    };

    /// `passed` later on the monotonic clock, and so much more on the others.
    fn later(passed: i64, real: i64, boot: i64) -> ClockSteps {
        let now = Reading {
            monotonic: FIRST.monotonic + passed,
            real: FIRST.real + passed + real,
            boot: FIRST.boot + passed + boot,
            timing: passed,
            within: 300,
        };
        between(&FIRST, &now)
    }

    fn seen(stepped_ns: i64, suspended_ns: u64) -> ClockSteps {
        ClockSteps {
            stepped_ns,
            suspended_ns,
            gained_ns: 0,
        }
    }

    #[test]
    fn what_slewing_and_reading_explain_is_no_step() {
        assert_eq!(later(10 * S, 5_000_000, 400), seen(0, 0));
        assert_eq!(later(10 * S, -5_000_000, -400), seen(0, 0));
        assert_eq!(later(10 * S, 5_000_501, 0), seen(5_000_501, 0));
    }

    #[test]
    fn a_clock_that_was_set_is_told_in_both_directions() {
        assert_eq!(later(S, 3_600 * S, 0), seen(3_600 * S, 0));
        assert_eq!(later(S, -2 * S, 0), seen(-2 * S, 0));
    }

    #[test]
    fn a_suspended_host_has_not_set_its_clock() {
        assert_eq!(later(S, 60 * S, 60 * S), seen(0, 60 * S as u64));
        assert_eq!(later(S, 61 * S, 60 * S), seen(S, 60 * S as u64));
    }

    #[test]
    fn a_clock_at_another_speed_is_told_from_what_reading_takes() {
        let gained = |timing: i64| {
            let now = Reading {
                monotonic: FIRST.monotonic + 5 * S,
                real: FIRST.real + 5 * S,
                boot: FIRST.boot + 5 * S,
                timing,
                within: 300,
            };
            between(&FIRST, &now)
        };
        let of = |gained_ns| ClockSteps {
            gained_ns,
            ..ClockSteps::default()
        };
        assert_eq!(gained(5 * S + 500), of(0));
        assert_eq!(gained(10 * S), of(5 * S));
        assert_eq!(gained(4 * S), of(-S));
    }

    #[test]
    fn the_clocks_of_this_host_are_read_as_one() {
        let reading = read(Instant::now());
        assert!(reading.boot >= reading.monotonic && reading.within >= 0);
    }
}
