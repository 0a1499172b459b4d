//! The time, in ns since the engine's epoch.
//!
//! The TSC where the kernel itself trusts it (clocksource tsc, constant and nonstop), calibrated against
//! CLOCK_MONOTONIC for 100 ms and re-anchored each interval; else clock_gettime.

use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// A source of time. Never goes backwards.
pub trait Clock {
    /// Now, ns.
    fn now_ns(&mut self) -> u64;

    /// Corrects the rate against the reference; called once an interval.
    fn anchor(&mut self) {}
}

/// Ticks of the TSC between two readings of CLOCK_MONOTONIC, as ns = ticks * mult / 2^32.
#[derive(Debug, Clone, Copy)]
struct Calibration {
    first_tsc: u64,
    first_mono_ns: u64,
    mult: u64,
}

/// The process's clock: one epoch for all workers.
#[derive(Debug, Clone)]
pub struct RealClock {
    calibration: Option<Calibration>,
    base_tsc: u64,
    base_ns: u64,
    mult: u64,
    epoch_ns: u64,
}

const MULT_SHIFT: u32 = 32;

fn monotonic_ns() -> u64 {
    let mut t = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: `t` is a valid timespec for the call's duration; CLOCK_MONOTONIC always exists.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut t) };
    t.tv_sec as u64 * 1_000_000_000 + t.tv_nsec as u64
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn tsc() -> u64 {
    // SAFETY: every x86-64 CPU has RDTSC; reading it has no effect on memory.
    unsafe { std::arch::x86_64::_rdtsc() }
}

#[cfg(not(target_arch = "x86_64"))]
fn tsc() -> u64 {
    0
}

/// Reason why the TSC is not used; `None` where it may be.
pub fn tsc_refusal() -> Option<String> {
    if !cfg!(target_arch = "x86_64") {
        return Some("this CPU has no TSC".into());
    }
    let source =
        std::fs::read_to_string("/sys/devices/system/clocksource/clocksource0/current_clocksource")
            .unwrap_or_default();
    if source.trim().is_empty() {
        return Some("/sys does not show the kernel's clocksource".into());
    }
    if source.trim() != "tsc" {
        return Some(format!("the kernel's clocksource is {}", source.trim()));
    }
    let cpuinfo = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let flags = cpuinfo
        .lines()
        .find(|l| l.starts_with("flags"))
        .unwrap_or_default();
    for flag in ["constant_tsc", "nonstop_tsc"] {
        if !flags.split_whitespace().any(|f| f == flag) {
            return Some(format!("the CPU does not say {flag}"));
        }
    }
    None
}

/// The pair (tsc, monotonic) whose reading took least time of a few: an interrupt between the two would spoil it.
fn reading() -> (u64, u64) {
    (0..8)
        .map(|_| {
            let before = tsc();
            let mono = monotonic_ns();
            let after = tsc();
            (after - before, before + (after - before) / 2, mono)
        })
        .min()
        .map(|(_, t, m)| (t, m))
        .expect("eight readings")
}

fn calibrate() -> Option<Calibration> {
    if tsc_refusal().is_some() {
        return None;
    }
    let (first_tsc, first_mono_ns) = reading();
    let started = Instant::now();
    while started.elapsed() < Duration::from_millis(100) {
        std::thread::sleep(Duration::from_millis(20));
    }
    let (t, m) = reading();
    let mult =
        ((u128::from(m - first_mono_ns) << MULT_SHIFT) / u128::from((t - first_tsc).max(1))) as u64;
    Some(Calibration {
        first_tsc,
        first_mono_ns,
        mult,
    })
}

static CALIBRATION: OnceLock<Option<Calibration>> = OnceLock::new();

impl RealClock {
    /// A clock whose 0 is `epoch` on CLOCK_MONOTONIC. The first call in a process takes 100 ms for calibration.
    pub fn new(epoch_ns: u64) -> Self {
        let calibration = *CALIBRATION.get_or_init(calibrate);
        let mut clock = RealClock {
            calibration,
            base_tsc: 0,
            base_ns: 0,
            mult: 0,
            epoch_ns,
        };
        if let Some(c) = calibration {
            clock.mult = c.mult;
            let (t, m) = reading();
            clock.base_tsc = t;
            clock.base_ns = m.saturating_sub(epoch_ns);
        }
        clock
    }

    /// CLOCK_MONOTONIC now, ns: what epochs are given in.
    pub fn monotonic_ns() -> u64 {
        monotonic_ns()
    }

    /// `tsc` or `clock_gettime`.
    pub fn name() -> &'static str {
        if CALIBRATION.get_or_init(calibrate).is_some() {
            "tsc"
        } else {
            "clock_gettime"
        }
    }
}

impl Clock for RealClock {
    #[inline(always)]
    fn now_ns(&mut self) -> u64 {
        if self.calibration.is_some() {
            // A TSC a few ticks behind its base (another CPU's, read just before) must not wrap.
            let ticks = tsc().saturating_sub(self.base_tsc);
            self.base_ns + ((u128::from(ticks) * u128::from(self.mult)) >> MULT_SHIFT) as u64
        } else {
            monotonic_ns() - self.epoch_ns
        }
    }

    fn anchor(&mut self) {
        let Some(c) = self.calibration else { return };
        let (t, m) = reading();
        let estimate = self.base_ns
            + ((u128::from(t.saturating_sub(self.base_tsc)) * u128::from(self.mult)) >> MULT_SHIFT)
                as u64;
        let truth = m.saturating_sub(self.epoch_ns);
        let long_run = ((u128::from(m - c.first_mono_ns) << MULT_SHIFT)
            / u128::from((t - c.first_tsc).max(1))) as u64;
        self.base_tsc = t;
        self.base_ns = estimate.max(truth);
        self.mult = long_run;
        if estimate > truth {
            // Ahead: let the next second run slow by that much instead of going back.
            let excess = (estimate - truth).min(1_000_000);
            self.mult -= ((u128::from(self.mult) * u128::from(excess)) / 1_000_000_000) as u64;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_never_goes_back_across_anchors_and_agrees_with_the_kernel() {
        let mut clock = RealClock::new(monotonic_ns());
        let epoch = clock.epoch_ns;
        let mut last = 0;
        for i in 0..20_000 {
            let now = clock.now_ns();
            assert!(now >= last, "{now} < {last}");
            last = now;
            if i % 1000 == 0 {
                clock.anchor();
            }
        }
        clock.anchor();
        let ours = clock.now_ns();
        let kernel = monotonic_ns() - epoch;
        // Not a timing test: the two are read one after the other, and a preemption only makes the kernel's later.
        assert!(ours <= kernel + 100_000, "{ours} {kernel}");
    }
}
