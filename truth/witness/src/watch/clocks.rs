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
