//! Limits that somebody set: in the definition, and in control groups.

use super::{LimitView, Looked, blocks, host, ramp};
use crate::io_limits::{self, ABOVE, IoLimit};
use plimsoll_evidence::{LimitCause, Quantity, StepEvidence, Witnessed};
use plimsoll_printable::human;

/// A rate is at its limit from here on. The kernel gives out its budget in slices, so it is met within a few percent.
const AT: f64 = 0.9;
/// Where I/Os are held before the device, a limit may be what holds them from here on: in a closed loop the kernel's timer gave
/// 57 % to 80 % of what was allowed.
const NEAR: f64 = 0.4;
/// They are held where so much of what is in flight has not reached the device.
const HELD: f64 = 0.7;

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
        let value = |name: &str| cap.values.iter().find(|v| v.name == name);
        let of_bytes = value("of").is_some_and(|v| v.quantity == Quantity::Text("bytes".into()));
        let most = match value("most").map(|v| &v.quantity) {
            Some(Quantity::PerSecond(most)) if of_bytes => {
                format!(" of {}/s", human::bytes(*most as u64))
            }
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
    // Of each device's the one that was used most.
    let mut near: Vec<IoLimit<'_>> = Vec::new();
    let mut limits = io_limits::of(view.step, seen, &view.environment.targets);
    limits.retain(|l| l.sure && (NEAR..=ABOVE).contains(&l.used));
    limits.sort_by(|a, b| b.used.total_cmp(&a.used));
    for limit in limits {
        if !near.iter().any(|l| l.device == limit.device) {
            near.push(limit);
        }
    }
    for limit in &near {
        let share = limit.used;
        let met = ramp(share, AT, 0.97, 0.95).max(if share >= AT { 0.6 } else { 0.0 });
        // The kernel holds I/Os before the device, and lets them go by its timer: a closed loop comes to less than is allowed.
        let held = if before >= HELD {
            before.min(0.95)
        } else {
            0.0
        };
        let words = format!(
            "io.max of the control group allows {}={} on {}, and {} of it was used, while {} of what was in flight had not reached the device",
            limit.key,
            limit.most,
            limit.device,
            human::percent(share),
            human::percent(before)
        );
        looked.add(LimitCause::SetLimit, met.max(held), words);
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
