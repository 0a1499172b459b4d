//! Whether the wall clock was set and the host slept, from three clocks.

use crate::Root;
use plimsoll_evidence::witnessed::ClockSteps;
use rustix::time::{ClockId, clock_gettime};

/// How far the kernel lets a clock be slewed, of the time that passes (adjtimex(2)): 500 ppm. What is more was set.
const SLEWED: f64 = 500e-6;
/// How often the clocks are read for one reading in which nothing came between.
const TRIES: usize = 3;

/// Looks at the clocks.
#[derive(Debug)]
pub(super) struct ClocksSampler {
    /// `None` under a captured tree: clocks are this host's.
    last: Option<Reading>,
}

/// The clocks at one instant, ns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Reading {
    monotonic: i64,
    real: i64,
    boot: i64,
    /// How long the reading took: no two of them are nearer to the same instant.
    within: i64,
}

impl ClocksSampler {
    pub fn new(root: &Root) -> Self {
        ClocksSampler {
            last: root.is_system().then(read),
        }
    }

    pub fn look(&mut self) -> Option<ClockSteps> {
        let last = self.last.as_mut()?;
        let before = std::mem::replace(last, read());
        Some(between(&before, last))
    }
}

fn read() -> Reading {
    let once = |_| {
        let monotonic = ns(ClockId::Monotonic);
        let (real, boot) = (ns(ClockId::Realtime), ns(ClockId::Boottime));
        let within = ns(ClockId::Monotonic) - monotonic;
        Reading {
            monotonic,
            real,
            boot,
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
    ClockSteps {
        stepped_ns: if is_step { stepped } else { 0 },
        suspended_ns: if slept > unsure { slept as u64 } else { 0 },
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
        within: 200,
    };

    /// `passed` later on the monotonic clock, and so much more on the others.
    fn later(passed: i64, real: i64, boot: i64) -> ClockSteps {
        let now = Reading {
            monotonic: FIRST.monotonic + passed,
            real: FIRST.real + passed + real,
            boot: FIRST.boot + passed + boot,
            within: 300,
        };
        between(&FIRST, &now)
    }

    fn seen(stepped_ns: i64, suspended_ns: u64) -> ClockSteps {
        ClockSteps {
            stepped_ns,
            suspended_ns,
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
    fn the_clocks_of_this_host_are_read_as_one() {
        let reading = read();
        assert!(reading.boot >= reading.monotonic && reading.within >= 0);
    }
}
