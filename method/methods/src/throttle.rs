//! What a throttled closed loop says of itself: whether it was the cap that held it back, and how long nothing may come.

use plimsoll_evidence::{Finding, Quantity, Severity, StepEvidence};
use plimsoll_plan::{Step, Stream};

/// A most per second is reached where no more than this share of it is missing,
const MISSING: f64 = 0.01;
/// but for as many I/Os as the edges of the counted time may cost.
const EDGES: f64 = 2.0;

/// True where anything holds the step's streams back.
pub fn is_throttled(step: &Step) -> bool {
    step.streams.iter().any(|s| !s.throttle.is_none())
}

/// The longest that a stream may do nothing by its throttle, in the mean, s: its slots think, or its I/Os wait for their time.
pub fn pause_s(step: &Step) -> f64 {
    let pause = |s: &Stream| {
        let throttle = &s.throttle;
        let think = throttle.think.map_or(0.0, |t| t.time.as_secs_f64());
        let rate = throttle.max_rate.map_or(0.0, |r| 1.0 / r.0);
        let bandwidth = throttle.max_bandwidth;
        let bandwidth = bandwidth.map_or(0.0, |b| s.largest().0 as f64 / b.0 as f64);
        think + rate.max(bandwidth)
    };
    step.streams.iter().map(pause).fold(0.0, f64::max)
}

/// One workload's most per second, on all its targets together, and what it came to.
struct Cap<'s> {
    workload: &'s str,
    of_bytes: bool,
    most: f64,
    came_to: f64,
    /// On each of its targets.
    reached: bool,
    thinks: bool,
}

/// Of each workload with a most per second, whether it was reached: else something other than the cap held it back.
pub fn caps(step: &Step, evidence: &StepEvidence) -> Vec<Finding> {
    let mut caps: Vec<Cap<'_>> = Vec::new();
    for (stream, did) in step.streams.iter().zip(&evidence.streams) {
        // A stream with a window has time of its own.
        let seconds = did.counted_s.unwrap_or(evidence.counted_s);
        if seconds <= 0.0 {
            continue;
        }
        let throttle = &stream.throttle;
        let (of_bytes, most, done, each) = match (throttle.max_rate, throttle.max_bandwidth) {
            (Some(rate), _) => (false, rate.0, did.ios as f64, 1.0),
            (None, Some(bytes)) => (
                true,
                bytes.0 as f64,
                // A cap holds trims back as well.
                did.ops.iter().map(|o| o.bytes as f64).sum(),
                stream.largest().0 as f64,
            ),
            (None, None) => continue,
        };
        // An I/O that failed was asked for as well.
        let done = done + did.errors as f64 * each;
        let reached = done >= (1.0 - MISSING) * most * seconds - EDGES * each;
        let came_to = done / seconds;
        let thinks = throttle.think.is_some();
        let same = |c: &&mut Cap<'_>| c.workload == stream.workload && c.of_bytes == of_bytes;
        match caps.iter_mut().find(same) {
            Some(cap) => {
                cap.most += most;
                cap.came_to += came_to;
                cap.reached &= reached;
            }
            None => caps.push(Cap {
                workload: &stream.workload,
                of_bytes,
                most,
                came_to,
                reached,
                thinks,
            }),
        }
    }
    caps.iter()
        .map(|cap| finding(cap, evidence.number))
        .collect()
}

fn finding(cap: &Cap<'_>, step: u32) -> Finding {
    let text = |text: &str| Quantity::Text(text.to_string());
    let rule = match cap.reached {
        true => "cap-reached",
        false => "cap-not-reached",
    };
    let values = [
        ("workload", text(cap.workload)),
        ("of", text(if cap.of_bytes { "bytes" } else { "ios" })),
        ("most", Quantity::PerSecond(cap.most)),
        ("came_to", Quantity::PerSecond(cap.came_to)),
        ("thinks", text(if cap.thinks { "yes" } else { "no" })),
    ];
    Finding::of_step(step, rule, Severity::Note, values)
}
