//! Limits that somebody set: in the definition, and in control groups.

use super::{LimitView, Looked, blocks, host, ramp};
use plimsoll_evidence::{LimitCause, Quantity, StepEvidence, Witnessed};
use plimsoll_printable::human;

/// A rate is at its limit from here on. The kernel gives out its budget in slices, so it is met within a few percent.
const AT: f64 = 0.9;
/// Where I/Os are held before the device, a limit may be what holds them from here on: in a closed loop the kernel's timer gave
/// 57 % to 80 % of what was allowed.
const NEAR: f64 = 0.4;
/// They are held where so much of what is in flight has not reached the device.
const HELD: f64 = 0.7;
/// And no further above it than this: else something else was measured.
const ABOVE: f64 = 1.1;

/// Looks for limits that were set.
pub fn look(view: &LimitView<'_>) -> Looked {
    let mut looked = Looked::default();
    definition(view.step, &mut looked);
    match view.step.witnessed.as_ref() {
        Some(seen) => control_group(view, seen, &mut looked),
        None if view.environment.simulated => {}
        None => looked.unseen.push(LimitCause::SetLimit),
    }
    looked
}

/// What the definition itself holds back.
fn definition(step: &StepEvidence, looked: &mut Looked) {
    let idle = 1.0 - step.depth_mean / step.slots.max(1) as f64;
    if let Some(cap) = step.findings.iter().find(|f| f.rule == "cap-reached") {
        let most = cap.values.iter().find(|v| v.name == "most");
        let most = match most.map(|v| &v.quantity) {
            Some(Quantity::PerSecond(most)) => format!(" of {}/s", human::rate(*most)),
            _ => String::new(),
        };
        // It was reached: whatever else is busy, there was room beyond it.
        let seen = format!("the definition's own cap{most} was reached");
        looked.add(LimitCause::SetLimit, idle.max(0.95), seen);
    } else if step.load.contains("think ") {
        let seen = format!(
            "slots thought for {} of the time, as the definition says",
            human::percent(idle)
        );
        looked.add(LimitCause::SetLimit, idle, seen);
    }
}

/// What the control group of this process, or one above it, holds back.
fn control_group(view: &LimitView<'_>, seen: &Witnessed, looked: &mut Looked) {
    let Some(group) = &seen.cgroup else {
        looked.unseen.push(LimitCause::SetLimit);
        return;
    };
    let before = blocks::in_the_device(view).map_or(0.0, |inside| (1.0 - inside).max(0.0));
    for line in &group.io_limits {
        if let Some((share, words)) = near_limit(view.step, line) {
            let met = ramp(share, AT, 0.97, 0.95).max(if share >= AT { 0.6 } else { 0.0 });
            // The kernel holds I/Os before the device, and lets them go by its timer: a closed loop comes to less than is allowed.
            let held = if before >= HELD {
                before.min(0.95)
            } else {
                0.0
            };
            let words = format!(
                "{words}, while {} of what was in flight had not reached the device",
                human::percent(before)
            );
            looked.add(LimitCause::SetLimit, met.max(held), words);
        }
    }
    if let Some(cpus) = group.cpu_limit
        && let Some(held) = host::throttled(seen).filter(|_| seen.observed_s > 0.0)
    {
        let words = format!(
            "the control group may use {cpus} CPUs (cpu.max), and was kept from running {} times, {} of the time",
            human::count(group.throttled_periods),
            human::percent(held)
        );
        looked.add(LimitCause::SetLimit, held, words);
    }
}

/// The share of one of a line's limits that was used, where that is near it: `8:0 rbps=1048576 wbps=max riops=max wiops=max`.
fn near_limit(step: &StepEvidence, line: &str) -> Option<(f64, String)> {
    let seconds = step.counted_s;
    let sum = |writes: bool, of: fn(&plimsoll_evidence::OpSummary) -> u64| {
        let is_write = |op| op != plimsoll_measure::Op::Read;
        let those = step.ops.iter().filter(|o| is_write(o.op) == writes);
        those.map(of).sum::<u64>() as f64 / seconds
    };
    let mut words = line.split_whitespace();
    let device = words.next()?;
    words
        .filter_map(|word| {
            let (key, value) = word.split_once('=')?;
            let most: f64 = value.parse().ok().filter(|m: &f64| *m > 0.0)?;
            let did = match key {
                "rbps" => sum(false, |o| o.bytes),
                "wbps" => sum(true, |o| o.bytes),
                "riops" => sum(false, |o| o.ios),
                "wiops" => sum(true, |o| o.ios),
                _ => return None,
            };
            let share = did / most;
            let met = (NEAR..=ABOVE).contains(&share);
            let words = format!(
                "io.max of the control group allows {key}={value} on {device}, and {} of it was used",
                human::percent(share)
            );
            met.then_some((share, words))
        })
        .max_by(|a, b| a.0.total_cmp(&b.0))
}
