//! The limits that control groups set on devices, against what a step asked of these.

use crate::accounts::bottom;
use crate::others;
use plimsoll_evidence::{EnvironmentTarget, OpSummary, StepEvidence, Witnessed};
use plimsoll_measure::Op;

/// No more of a limit than this can be used, with what the kernel lets through in bursts. What was asked beyond it did not all
/// come to the device, or not through this limit.
pub const ABOVE: f64 = 1.1;

/// One limit.
#[derive(Debug, Clone, PartialEq)]
pub struct IoLimit<'a> {
    /// The device's name, or its number where it has none.
    pub device: &'a str,
    /// Key of the limit: `rbps`, `wbps`, `riops`, `wiops`.
    pub key: &'a str,
    /// Limit, per second.
    pub most: f64,
    /// The share of it that the I/Os of the step were which may come to the device.
    pub used: f64,
    /// True where it is known which of the step's I/Os may come to the device.
    pub sure: bool,
}

/// The limits of `io.max`'s lines: `sda rbps=2097152 wbps=max riops=max wiops=120`.
pub fn of<'a>(
    step: &StepEvidence,
    seen: &'a Witnessed,
    targets: &[EnvironmentTarget],
) -> Vec<IoLimit<'a>> {
    let lines = seen.cgroup.iter().flat_map(|c| &c.io_limits);
    let of_line = |line: &'a String| {
        let mut words = line.split_whitespace();
        let device = words.next().unwrap_or_default();
        let place = DeviceLoad::of(step, targets, device);
        words
            .filter_map(|word| {
                let (key, most) = word.split_once('=')?;
                let most = most.parse::<u64>().ok().filter(|m| *m > 0)? as f64;
                let used = others::share(place.done(step, seen, key)?, most);
                let sure = place.sure;
                Some(IoLimit {
                    device,
                    key,
                    most,
                    used,
                    sure,
                })
            })
            .collect::<Vec<_>>()
    };
    lines.flat_map(of_line).collect()
}

/// Which I/Os come to a device.
struct DeviceLoad<'a> {
    device: &'a str,
    /// Those on these targets; `None`: all of the step.
    targets: Option<Vec<u32>>,
    /// Whether others beside it take a part of them, as in a RAID.
    shared: bool,
    sure: bool,
}

impl<'a> DeviceLoad<'a> {
    fn of(step: &StepEvidence, targets: &[EnvironmentTarget], device: &'a str) -> Self {
        let has = |t: &EnvironmentTarget| t.stack.iter().any(|l| l.name == device);
        let over = || targets.iter().enumerate().filter(|(_, t)| has(t));
        let beside = |t: &EnvironmentTarget| {
            let ends = bottom(t);
            ends.len() > 1 && ends.contains(&device)
        };
        let found = over().count();
        // A number is in no stack.
        let all = found == 0 || step.streams.is_empty();
        DeviceLoad {
            device,
            targets: (!all).then(|| over().map(|(n, _)| n as u32).collect()),
            shared: over().any(|(_, t)| beside(t)),
            sure: !all || targets.len() < 2 || found == targets.len(),
        }
    }

    /// What was done each second of a kind that is limited; `None` of what is none.
    fn done(&self, step: &StepEvidence, seen: &Witnessed, key: &str) -> Option<f64> {
        let ops: Vec<&OpSummary> = match &self.targets {
            None => step.ops.iter().collect(),
            Some(targets) => {
                let here = |s: &&plimsoll_evidence::StreamSummary| {
                    s.host == 0 && targets.contains(&s.target)
                };
                let here = step.streams.iter().filter(here);
                here.flat_map(|s| &s.ops).collect()
            }
        };
        let sum = |which: &[Op], of: fn(&OpSummary) -> u64| {
            let those = ops.iter().filter(|o| which.contains(&o.op));
            others::share(those.map(|o| of(o) as f64).sum(), step.counted_s)
        };
        let device = seen.device(self.device).filter(|_| self.shared);
        let own = |of: fn(&plimsoll_evidence::witnessed::DeviceUse) -> u64| {
            device.map_or(f64::MAX, |d| others::share(of(d) as f64, seen.observed_s))
        };
        // A trim counts as one write, and its bytes as none.
        let (asked, did) = match key {
            "rbps" => (sum(&[Op::Read], |o| o.bytes), own(|d| d.read_bytes)),
            "wbps" => (sum(&[Op::Write], |o| o.bytes), own(|d| d.written_bytes)),
            "riops" => (sum(&[Op::Read], |o| o.ios), own(|d| d.reads)),
            "wiops" => (
                sum(&[Op::Write, Op::Trim], |o| o.ios),
                // Where they are not told apart, they are among the writes.
                own(|d| d.writes.saturating_add(d.discards.unwrap_or(0))),
            ),
            _ => return None,
        };
        Some(asked.min(did))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::known::{Observed, changed, on_two_disks};

    fn used(change: impl FnOnce(&mut Observed), line: &str) -> Vec<(f64, bool)> {
        let mut case = changed(change);
        case.witnessed().cgroup.get_or_insert_default().io_limits = vec![line.into()];
        let step = &case.steps[0];
        let seen = step.witnessed.as_ref().expect("seen");
        let all = of(step, seen, &case.environment.targets);
        all.into_iter().map(|l| (l.used, l.sure)).collect()
    }

    #[test]
    fn a_device_is_held_against_the_targets_that_lie_on_it() {
        // 10,000 reads a second in all, of which sdx has a quarter.
        let two = |line| used(|o| on_two_disks(o, 0.25), line);
        assert_eq!(two("sdx riops=10000"), [(0.25, true)]);
        assert_eq!(two("sdy riops=10000"), [(0.75, true)]);
        assert_eq!(two("8:16 riops=10000"), [(1.0, false)]);
        assert_eq!(used(|_| (), "8:16 riops=10000"), [(1.0, true)]);
    }

    #[test]
    fn of_a_raid_a_member_has_what_it_counted_itself() {
        let raid = |o: &mut Observed| {
            let mut member = o.layer().clone();
            member.name = "sdy".into();
            o.environment.targets[0].stack.push(member);
            o.device().reads = 3_000_000;
        };
        assert_eq!(used(raid, "sdx riops=5000"), [(1.0, true)]);
    }

    #[test]
    fn what_is_no_limit_is_none() {
        let line = "sdx riops=max rbps=0 wiops= x =7 later=9 wbps=-4";
        assert_eq!(used(|_| (), line), []);
        assert_eq!(used(|_| (), ""), []);
    }
}
