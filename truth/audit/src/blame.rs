//! Why a rate fell, as far as a run shows it: the host is blamed only where it was seen to be in the way.

use crate::course::{Part, StepCourse};
use crate::others::share;
use plimsoll_evidence::{StepEvidence, TargetPaths, Witnessed};
use plimsoll_printable::human;

/// Blame for a fall of the rate.
#[derive(Debug, Clone, PartialEq)]
pub enum Blame {
    /// The host, and what shows it.
    Host(String),
    /// The disks below the targets, or what is behind them, took longer.
    Devices(String),
    /// Nobody, by what was seen.
    NotAttributable,
}

impl Blame {
    /// Sentence that says who is to blame.
    pub fn sentence(&self) -> String {
        match self {
            Blame::Host(why) | Blame::Devices(why) => why.clone(),
            Blame::NotAttributable => {
                "The cause is not attributable: nothing that was seen changed with it.".into()
            }
        }
    }

    /// In a word.
    pub fn word(&self) -> &'static str {
        match self {
            Blame::Host(_) => "host",
            Blame::Devices(_) => "devices",
            Blame::NotAttributable => "not attributable",
        }
    }
}

/// By so much of the time a share has to have grown.
const GREW: f64 = 0.05;
/// A time that grew by no more is flat.
const FLAT: f64 = 1.2;

/// Blame for the fall of a closed loop's rate from that of the first parts to that of the second. `disks` are those at the bottom of the
/// stacks.
pub fn of_fall(step: &StepEvidence, first: &[Part], second: &[Part], disks: &[&str]) -> Blame {
    let both = |of: &dyn Fn(&Part) -> Option<f64>| {
        StepCourse::mean(first, of).zip(StepCourse::mean(second, of))
    };
    let grew = |of: &dyn Fn(&Part) -> Option<f64>| {
        both(of).filter(|(before, after)| after - before > GREW)
    };
    let blame = |what: &str, (before, after): (f64, f64)| {
        Blame::Host(format!(
            "The host was in the way: {what} {} of the time, and {} before.",
            human::percent(after),
            human::percent(before)
        ))
    };
    if let Some(shares) = grew(&|part| part.steal) {
        return blame("its hypervisor took", shares);
    }
    if let Some(shares) = grew(&|part| throttled(part.witnessed.as_ref()?)) {
        return blame(
            "its control group kept the workers from running for",
            shares,
        );
    }
    if let Some(shares) = grew(&|part| waited(part.witnessed.as_ref()?)) {
        return blame("the workers waited for a CPU for", shares);
    }
    let rate = |parts: &[Part]| StepCourse::mean(parts, |p| Some(p.rate())).unwrap_or(0.0);
    let (rate_before, rate_after) = (rate(first), rate(second));
    if rate_after <= 0.0 {
        // What the disks did then was others'.
        return Blame::NotAttributable;
    }
    if let Some(seen) = outside_array(step, rate_before, rate_after) {
        return Blame::Host(seen);
    }
    let fell = share(rate_before, rate_after);
    match (in_disks(first, disks), in_disks(second, disks)) {
        (Some(before), Some(after)) if after <= FLAT * before => Blame::Host(format!(
            "The disks took as long for a request as before ({}, and {}): what fell is above them, in the host.",
            human::time(after),
            human::time(before)
        )),
        // All of what the rate lost, or nearly so.
        (Some(before), Some(after)) if after * FLAT >= fell * before => Blame::Devices(format!(
            "The disks took {} for a request, and {} before: it is them, or what is behind them. Why is not attributable.",
            human::time(after),
            human::time(before)
        )),
        _ => Blame::NotAttributable,
    }
}

/// What shows that the fall is outside of the simulated arrays, between which and the generator is nothing but the host: by Little's law
/// an I/O now takes longer outside of them than all of it took before.
fn outside_array(step: &StepEvidence, rate_before: f64, rate_after: f64) -> Option<String> {
    if had_path_faults(step) {
        return None;
    }
    let each: Option<Vec<f64>> = step.arrays.iter().map(|a| a.longest_ns).collect();
    let inside = each?.into_iter().reduce(f64::max)?;
    let before = share(step.depth_mean * 1e9, rate_before);
    let after = share(step.depth_mean * 1e9, rate_after);
    (after - inside >= before).then(|| {
        format!(
            "An I/O took {} before the fall and {} since, of which the array had it for {} at most in any interval: what fell is above it, \
             in the host.",
            human::time(before),
            human::time(after),
            human::time(inside)
        )
    })
}

/// True where a path changed, or requests were sent anew: then time passed on the paths.
pub fn had_path_faults(step: &StepEvidence) -> bool {
    let was_lost = |t: &TargetPaths| !t.events.is_empty() || t.paths.iter().any(|p| p.reissued > 0);
    step.paths.iter().any(was_lost)
}

/// The share of the time that the workers were kept from running by a control group.
fn throttled(seen: &Witnessed) -> Option<f64> {
    let group = seen.cgroup.as_ref()?;
    let workers = seen.threads.len().max(1) as f64;
    Some(share(group.throttled_s, seen.observed_s * workers))
}

/// The share of the time that the workers waited for a CPU.
fn waited(seen: &Witnessed) -> Option<f64> {
    let all: f64 = seen.threads.iter().map(|t| t.waited_s).sum();
    let time = seen.observed_s * seen.threads.len() as f64;
    (time > 0.0).then(|| all / time)
}

/// Mean time of a request in the disks, ns.
fn in_disks(parts: &[Part], disks: &[&str]) -> Option<f64> {
    let seen = parts.iter().filter_map(|p| p.witnessed.as_ref());
    let uses = seen
        .flat_map(|w| &w.devices)
        .filter(|d| disks.contains(&d.name.as_str()));
    let (ms, ios) = uses.fold((0.0, 0.0), |(ms, ios), d| {
        let spent = d.read_ms.saturating_add(d.write_ms) as f64;
        (ms + spent, ios + d.ios() as f64)
    });
    (ios > 0.0 && ms > 0.0).then(|| ms * 1e6 / ios)
}

#[cfg(test)]
mod tests {
    use super::*;
    use plimsoll_evidence::witnessed::DeviceUse;

    /// Ten seconds of so many I/Os, in which the disk did so many for everyone, at so many ms each.
    fn part(ios: u64, of_all: u64, ms: u64) -> Part {
        Part {
            length_ns: 10_000_000_000,
            ios,
            witnessed: Some(Witnessed {
                observed_s: 10.0,
                devices: vec![DeviceUse {
                    name: "sda".into(),
                    reads: of_all,
                    read_ms: of_all * ms,
                    ..DeviceUse::default()
                }],
                ..Witnessed::default()
            }),
            ..Part::default()
        }
    }

    #[test]
    fn while_nothing_is_done_what_disks_do_for_others_tells_nothing() {
        let step = StepEvidence::new(1, "x");
        let before = [part(10_000, 10_000, 1)];
        for (of_all, ms) in [(50, 1), (50, 2), (50, 9)] {
            let blame = of_fall(&step, &before, &[part(0, of_all, ms)], &["sda"]);
            assert!(
                matches!(blame, Blame::NotAttributable),
                "{ms} ms: {}",
                blame.sentence()
            );
        }
        let slow = of_fall(&step, &before, &[part(5_000, 5_000, 2)], &["sda"]);
        assert!(matches!(slow, Blame::Devices(_)), "{}", slow.sentence());
    }

    /// 10 in flight at 1,000/s take 10 ms, and at 400/s 25 ms: outside of an array that had them for 15 ms are as many as all were before.
    #[test]
    fn the_host_has_what_no_array_can_have_had() {
        let blamed = |longest_ns: f64| {
            let array = plimsoll_evidence::ArrayEvidence {
                longest_ns: Some(longest_ns),
                ..Default::default()
            };
            let step = StepEvidence {
                depth_mean: 10.0,
                arrays: vec![array],
                ..StepEvidence::new(1, "x")
            };
            of_fall(
                &step,
                &[part(10_000, 10_000, 1)],
                &[part(4_000, 4_000, 1)],
                &[],
            )
        };
        assert!(matches!(blamed(14e6), Blame::Host(_)));
        assert_eq!(blamed(16e6), Blame::NotAttributable);
    }
}
