//! Waiting between steps.

use crate::session::{Carrier, Session};
use plimsoll_engine::Control;
use plimsoll_methods::{Activity, settled};
use plimsoll_plan::{Nanos, Step};
use plimsoll_sim::Lab;
use std::time::{Duration, Instant};

/// Time between two looks at the devices while they settle.
const LOOK: Duration = Duration::from_millis(100);
/// A device that never gets idle, because others use it, must not hold up the run.
const LIMIT: Duration = Duration::from_secs(20);

/// Lets time pass.
pub(crate) fn pause(length: Nanos, session: &mut Session) {
    match &mut session.carrier {
        Carrier::Here => sleep(length, &session.control),
        Carrier::Simulated(lab, _) => lab.pass(length),
        Carrier::Hosts(crew) => crew.pass(length, &session.control),
    }
}

/// Sleeps, unless the run is stopped.
fn sleep(length: Nanos, control: &Control) {
    let end = Instant::now() + Duration::from_nanos(length.0);
    while !control.stopped() {
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return;
        }
        std::thread::sleep(left.min(LOOK));
    }
}

/// Waits until the devices under a step's targets have come to rest: nothing in flight, and a cache that has drained.
/// Returns false where they had not within the limit.
pub(crate) fn wait(session: &mut Session, step: &Step) -> bool {
    if let Carrier::Simulated(lab, _) = &mut session.carrier {
        rest(lab);
        return true;
    }
    let devices = session.devices_of(step);
    if devices.is_empty() || session.options.no_settle {
        return true;
    }
    let start = Instant::now();
    let mut seen: Vec<Activity> = Vec::new();
    let (mut completed, _) = counters(&devices);
    let mut last = start;
    while start.elapsed() < LIMIT && !session.control.stopped() {
        std::thread::sleep(LOOK);
        let (now_completed, in_flight) = counters(&devices);
        let seconds = last.elapsed().as_secs_f64();
        last = Instant::now();
        seen.push(Activity {
            in_flight,
            rate: now_completed.saturating_sub(completed) as f64 / seconds,
        });
        completed = now_completed;
        if settled(&seen) {
            return true;
        }
    }
    session.control.stopped()
}

/// Lets as much time pass as a device takes to be found at rest that is. A step leaves nothing in flight in the lab.
fn rest(lab: &mut Lab) {
    let mut seen: Vec<Activity> = Vec::new();
    while !settled(&seen) {
        lab.pass(Nanos(LOOK.as_nanos() as u64));
        seen.push(Activity {
            in_flight: 0,
            rate: 0.0,
        });
    }
}

/// I/Os completed so far and in flight now, all devices together, from /sys/class/block/X/stat (fields 1, 5 and 9 of
/// Documentation/block/stat.rst).
fn counters(devices: &[String]) -> (u64, u64) {
    let mut sum = (0, 0);
    for device in devices {
        let path = format!("/sys/class/block/{device}/stat");
        let text = std::fs::read_to_string(path).unwrap_or_default();
        let fields: Vec<u64> = text
            .split_whitespace()
            .filter_map(|f| f.parse().ok())
            .collect();
        if let [reads, _, _, _, writes, _, _, _, in_flight, ..] = fields[..] {
            sum.0 += reads + writes;
            sum.1 += in_flight;
        }
    }
    sum
}
