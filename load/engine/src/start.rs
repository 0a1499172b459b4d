//! When a step's I/O begins.

use crate::clock::RealClock;
use crate::control::Control;
use plimsoll_plan::Nanos;
use std::time::Duration;

/// The instant at which all workers begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Start {
    /// On the clock that it was asked for on, ns.
    pub at_ns: u64,
    /// Delay of the start past the time that was asked for.
    pub late: Nanos,
}

impl Start {
    /// Start at the asked instant, where `earliest_ns` is not past it.
    pub fn at(asked_ns: Option<u64>, earliest_ns: u64) -> Self {
        let asked_ns = asked_ns.unwrap_or(earliest_ns);
        Start {
            at_ns: asked_ns.max(earliest_ns),
            late: Nanos(earliest_ns.saturating_sub(asked_ns)),
        }
    }
}

/// How often who waits for an instant looks whether it still should.
const LOOK: Duration = Duration::from_millis(50);

/// Waits until the workers must be woken to begin at the asked instant, for which they need `delay_ns`; not where the step
/// was stopped meanwhile. The time then, on CLOCK_MONOTONIC, ns.
pub fn wait_to_open(asked_ns: Option<u64>, delay_ns: u64, control: &Control) -> u64 {
    loop {
        let now_ns = RealClock::monotonic_ns();
        // As much again, so that who wakes late here is not late there.
        let open_ns = asked_ns.unwrap_or(0).saturating_sub(2 * delay_ns);
        let left = Duration::from_nanos(open_ns.saturating_sub(now_ns));
        if left.is_zero() || control.stopped() {
            return now_ns;
        }
        std::thread::sleep(left.min(LOOK));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_past_instant_is_now_and_late_and_one_to_come_is_kept() {
        let start = |at_ns, late| Start {
            at_ns,
            late: Nanos(late),
        };
        assert_eq!(Start::at(None, 70), start(70, 0));
        assert_eq!(Start::at(Some(90), 70), start(90, 0));
        assert_eq!(Start::at(Some(70), 70), start(70, 0));
        assert_eq!(Start::at(Some(20), 70), start(70, 50));
    }

    #[test]
    fn who_was_stopped_does_not_wait() {
        let control = Control::default();
        control.stop();
        // The test would never end.
        assert!(wait_to_open(Some(u64::MAX), 0, &control) < u64::MAX);
    }
}
