//! The host that the load came from: its CPUs, and the generator on them.

use super::{LimitView, Looked, ramp};
use crate::blame::had_path_faults;
use crate::others;
use plimsoll_evidence::witnessed::{CpuUse, ThreadUse};
use plimsoll_evidence::{LimitCause, StepEvidence, Witnessed};
use plimsoll_printable::human;

/// All CPUs of a host count as busy from here on.
const ALL_BUSY: f64 = 0.95;

/// From here on a worker that is ready waits for a CPU: the share of its time.
const WAITS: f64 = 0.1;

/// Share of all CPUs' time in which the load's own workers ran, where all are busy, however many workers share them: below the first the
/// CPUs explain nothing by it, and from the second on the third.
const OWN: (f64, f64, f64) = (0.7, 0.95, 0.75);

/// A thread counts as a whole CPU's work from here on: the share of the time in which it ran or was ready to.
const WHOLE: f64 = 0.95;

/// A CPU counts as taken away from here on: the share of its time that the hypervisor gave to others.
const STOLEN: f64 = 0.1;

/// Looks at the host.
pub fn look(view: &LimitView<'_>) -> Looked {
    let mut looked = Looked::default();
    outside(view, &mut looked);
    lateness(view.step, &mut looked);
    match &view.step.witnessed {
        Some(seen) => cpus(seen, &mut looked),
        None if view.environment.simulated => {}
        None => looked
            .unseen
            .extend([LimitCause::HostCpu, LimitCause::OneCpu]),
    }
    looked
}

/// What the array did not have. In virtual time nothing is between it and the generator but the host, unless something was done to the
/// paths meanwhile.
fn outside(view: &LimitView<'_>, looked: &mut Looked) {
    let step = view.step;
    let [array] = step.arrays.as_slice() else {
        return;
    };
    // A filer, too, has calls before its array has them.
    if !step.actions.is_empty() || had_path_faults(step) || array.filer.is_some() {
        return;
    }
    let Some(inside) = array.mean_ns().filter(|_| view.environment.simulated) else {
        return;
    };
    let all = step.service_mean_ns.mean;
    let seen = format!(
        "{} had an I/O for {} of the {} that it took, the rest went by before it got there",
        array.name,
        human::time(inside),
        human::time(all)
    );
    // A thousandth is the histogram's rounding.
    let share = 1.0 - inside / all.max(f64::MIN_POSITIVE);
    if share > 0.001 {
        looked.add(LimitCause::HostCpu, share, seen);
    }
}

/// What was due went out late because the generator did not run.
fn lateness(step: &StepEvidence, looked: &mut Looked) {
    let late: u64 = step.late_by_host.iter().map(|s| s.ios).sum();
    let share = late as f64 / step.ios.max(1) as f64;
    let held: u64 = step.late_by_host.iter().map(|s| s.length_ns).sum();
    let time = held as f64 / 1e9 / step.counted_s;
    // Only in its stretches could it be the limit.
    looked.add(
        LimitCause::Lateness,
        share.min(time),
        format!(
            "{} of the I/Os went out late",
            human::percent(share.min(1.0))
        ),
    );
}

/// Busy share of all CPUs of the host, 0..=1.
pub fn busy(seen: &Witnessed) -> f64 {
    let all: f64 = seen.cpus.iter().map(|c| c.all_s).sum();
    let busy: f64 = seen.cpus.iter().map(|c| c.busy_s + c.steal_s).sum();
    if all > 0.0 { busy / all } else { 0.0 }
}

/// True where the kernel's own threads on the way to a device may lack a CPU, which nothing tells.
pub fn is_full(seen: &Witnessed) -> bool {
    busy(seen) >= ALL_BUSY
}

/// Threads that were ready and had no CPU, or that used a whole one.
fn cpus(seen: &Witnessed, looked: &mut Looked) {
    if seen.observed_s <= 0.0 || seen.cpus.is_empty() {
        looked
            .unseen
            .extend([LimitCause::HostCpu, LimitCause::OneCpu]);
        return;
    }
    let host = busy(seen);
    stolen(seen, looked);
    if seen.threads.is_empty() {
        looked.unseen.push(LimitCause::OneCpu);
        return;
    }
    let mean = |of: fn(&ThreadUse) -> f64| {
        let sum: f64 = seen.threads.iter().map(of).sum();
        sum / seen.threads.len() as f64 / seen.observed_s
    };
    let ran = mean(|t| t.ran_s);
    // A thread that its group's quota keeps from running counts as waiting, and no CPU would help it.
    let quota = throttled(seen).unwrap_or(0.0);
    let waited = (mean(|t| t.waited_s) - quota).max(0.0);
    let percent = human::percent;
    let full = host >= ALL_BUSY;
    let (cause, from, words) = match full {
        true => (
            LimitCause::HostCpu,
            0.5,
            format!(
                "all CPUs were busy ({}), and the workers ran for {} of the time and waited for a CPU for {}",
                percent(host.min(1.0)),
                percent(ran.min(1.0)),
                percent(waited.min(1.0))
            ),
        ),
        false => (
            LimitCause::OneCpu,
            0.6,
            format!(
                "{} ran for {} of the time, and waited for a CPU for {}, while the host's CPUs were {} busy",
                match seen.threads.len() {
                    1 => "the one worker".to_string(),
                    n => format!("each of {n} workers"),
                },
                percent(ran.min(1.0)),
                percent(waited.min(1.0)),
                percent(host)
            ),
        ),
    };
    let mut share = ramp(ran + waited, from, WHOLE, 0.9);
    if full {
        let all: f64 = seen.cpus.iter().map(|c| c.all_s).sum();
        let own: f64 = seen.threads.iter().map(|t| t.ran_s).sum();
        share = share.max(ramp(others::share(own, all), OWN.0, OWN.1, OWN.2));
    }
    // A group's quota, too, keeps threads from their CPUs.
    match waited >= WAITS && seen.cgroup.is_none() {
        true => looked.add_possible(
            cause,
            share,
            words,
            "a quota of a control group would look the same",
        ),
        false => looked.add(cause, share, words),
    }
}

/// The share of the time for which the control group's quota kept the workers from running; `None` where no group is seen. The
/// kernel adds it up over the CPUs on which somebody wanted to run.
pub fn throttled(seen: &Witnessed) -> Option<f64> {
    let group = seen.cgroup.as_ref()?;
    let at_once = seen.threads.len().min(seen.cpus.len()).max(1) as f64;
    Some((group.throttled_s / seen.observed_s / at_once).clamp(0.0, 1.0))
}

/// A CPU that the hypervisor took away.
fn stolen(seen: &Witnessed, looked: &mut Looked) {
    let share = |c: &CpuUse| match c.all_s > 0.0 {
        true => c.steal_s / c.all_s,
        false => 0.0,
    };
    let most = seen.cpus.iter().map(share).enumerate();
    let Some((number, most)) = most.max_by(|a, b| a.1.total_cmp(&b.1)) else {
        return;
    };
    // Who had to wait for it is not told: what was to be done on that CPU is as likely this load's as anywhere.
    let wanted = |c: &CpuUse| c.busy_s + c.steal_s;
    let all: f64 = seen.cpus.iter().map(wanted).sum();
    let there = others::share(wanted(&seen.cpus[number]), all);
    if most >= STOLEN {
        let words = format!(
            "the hypervisor took {} of CPU {number}, on which {} of all CPUs' work was to be done",
            human::percent(most),
            human::percent(there)
        );
        looked.add(LimitCause::OneCpu, most * there, words);
    }
}
