//! How much of a stream's most per second has been promised, whichever worker asks.

use plimsoll_plan::{Step, Throttle, Window};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Meter that all workers have in common of a stream that has a most per second.
///
/// Each I/O has its time on one schedule from the start of the step, or of the stream's window: the time in which what was
/// promised before it is done at exactly the most. No I/O goes out before its time, so no time since then has more than the
/// most, and one I/O. One that goes out later moves no other: the stream catches up, with no more I/Os in flight than it has
/// slots. fio's `rate` and `rate_iops` do the same; so the same settings come to the same number of I/Os.
#[derive(Debug)]
pub struct Meter {
    /// I/Os, or bytes.
    promised: AtomicU64,
    /// When the stream begins, ns from the step's start.
    from_ns: u64,
    per_second: f64,
    /// Whether bytes are counted.
    of_bytes: bool,
}

impl Meter {
    /// Meter of a stream that is held back so and begins with its window; `None` where it may go as fast as it can.
    pub fn of(throttle: &Throttle, window: Window) -> Option<Self> {
        let (per_second, of_bytes) = match (throttle.max_rate, throttle.max_bandwidth) {
            (Some(rate), _) => (rate.0, false),
            (None, Some(bytes)) => (bytes.0 as f64, true),
            (None, None) => return None,
        };
        Some(Meter {
            promised: AtomicU64::new(0),
            from_ns: window.from.0,
            per_second,
            of_bytes,
        })
    }

    /// Time at which an I/O of `length` bytes may go out that comes after all that were promised, ns from the step's start.
    pub fn promise(&self, length: u32) -> u64 {
        let amount = if self.of_bytes { u64::from(length) } else { 1 };
        let before = self.promised.fetch_add(amount, Ordering::Relaxed);
        // Rounded up: no I/O is early.
        let into_ns = (before as f64 * 1e9 / self.per_second).ceil() as u64;
        self.from_ns.saturating_add(into_ns)
    }
}

/// Meters of a step's streams.
pub fn meters(step: &Step) -> Vec<Option<Arc<Meter>>> {
    let meters = step.streams.iter();
    let meters = meters.map(|s| Meter::of(&s.throttle, s.window));
    meters.map(|meter| meter.map(Arc::new)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use plimsoll_plan::{Bytes, Nanos, Rate};

    #[test]
    fn each_io_has_the_time_that_those_before_it_take() {
        let rate = Throttle::rate(Rate(3.0));
        let meter = Meter::of(&rate, Window::default()).expect("a meter");
        let times = [0; 4].map(|_| meter.promise(4096));
        assert_eq!(times, [0, 333_333_334, 666_666_667, 1_000_000_000]);
        let bytes = Throttle::bandwidth(Bytes(1 << 20));
        let window = Window {
            from: Nanos(7),
            until: None,
            ..Window::default()
        };
        let meter = Meter::of(&bytes, window).expect("a meter");
        let times = [1 << 19, 1 << 18, 1 << 20, 1].map(|length| meter.promise(length));
        assert_eq!(times, [7, 500_000_007, 750_000_007, 1_750_000_007]);
        assert!(Meter::of(&Throttle::default(), window).is_none());
    }
}
