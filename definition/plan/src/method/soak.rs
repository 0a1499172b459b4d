//! The soak: one load for a long time.

use super::Outlined;
use super::precondition::{Precondition, pass};
use crate::load::load_words;
use crate::{Limits, Load, Nanos, Pattern, Purpose, Step};
use serde::{Deserialize, Serialize};

/// A constant load until its time is up, or until the targets were overwritten so many times.
///
/// Of the method's steps the last is the soak as a whole; before it stands a pass over all targets where it begins with some.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SoakSpec {
    /// How many times all of the targets is written; `None`: the step's time alone ends it.
    pub overwrites: Option<f64>,
    /// What is done first.
    #[serde(default)]
    pub precondition: Precondition,
    /// The soak is made of parts of at most this length, one after the other without a pause: where it is killed, only the
    /// last part is lost.
    pub part: Nanos,
}

/// How long a soak is unless it says so, where it is not to end by overwrites.
pub const SOAK_TIME: Nanos = Nanos::secs(18 * 3600);
/// How long a soak that ends by overwrites goes on at most, unless it says so.
pub const OVERWRITES_TIME: Nanos = Nanos::secs(7 * 86_400);
/// The longest part of a soak unless it says so.
pub const SOAK_PART: Nanos = Nanos::secs(1800);
/// Rounds of the workload-dependent preconditioning at most (SNIA PTS 2.0).
pub const ROUNDS_MAX: u32 = 25;
/// The length of such a round (the same) where the soak is long enough for them.
const ROUND: Nanos = Nanos::secs(60);

impl SoakSpec {
    /// The steps of a soak: that which measures, and before it what fills.
    pub fn steps(&self, step: &Step) -> Vec<Step> {
        let mut soak = step.clone();
        soak.limits.overwrites = self.overwrites;
        let filling = (self.precondition.passes() > 0).then(|| pass(std::slice::from_ref(step)));
        filling.flatten().into_iter().chain([soak]).collect()
    }

    /// How long each part is, and how many there are at most.
    pub fn parts(&self, soak: &Step) -> (Nanos, u32) {
        let interval = soak.interval.0.max(1);
        if !divides(soak) || self.part.0 == 0 || soak.elapsed <= self.part {
            return (soak.elapsed, 1);
        }
        let count = soak.elapsed.0.div_ceil(self.part.0);
        // Whole intervals; the last part may be shorter.
        let length = soak.elapsed.0.div_ceil(count).div_ceil(interval) * interval;
        let count = soak.elapsed.0.div_ceil(length);
        (Nanos(length), u32::try_from(count).unwrap_or(u32::MAX))
    }

    /// A part by its number, from 1, to be run after so many parts; `overwritten` is what the parts before it wrote, in
    /// sizes of all targets.
    pub fn part(&self, soak: &Step, number: u32, overwritten: f64) -> Step {
        let (length, count) = self.parts(soak);
        let before = length.0.saturating_mul(u64::from(number - 1));
        let mut part = soak.clone();
        part.elapsed = Nanos(length.0.min(soak.elapsed.0.saturating_sub(before)).max(1));
        part.interval = soak.interval.min(part.elapsed);
        if count > 1 {
            part.name = format!("{}_part{number}", soak.name);
        }
        if number > 1 {
            part.warmup = Nanos(0);
            part.pause = Nanos(0);
            part.start_commands.clear();
        }
        part.limits.overwrites = self.overwrites.map(|all| (all - overwritten).max(0.0));
        part
    }

    /// A round of the load before it counts, by its number.
    pub fn round(&self, soak: &Step, number: u32) -> Step {
        let tenth = Nanos((soak.elapsed.0 / 10).max(1));
        let elapsed = ROUND.min(tenth);
        Step {
            name: format!("{}_wdpc{number}", soak.name),
            elapsed,
            interval: soak.interval.min(elapsed),
            warmup: Nanos(0),
            pause: Nanos(0),
            limits: Limits::default(),
            start_commands: Vec::new(),
            end_commands: Vec::new(),
            actions: Vec::new(),
            ..soak.clone()
        }
    }

    pub(super) fn outline(&self, steps: &[Step]) -> Vec<Outlined> {
        let Some((soak, before)) = steps.split_last() else {
            return Vec::new();
        };
        let mut lines: Vec<Outlined> = Vec::new();
        for filling in before {
            lines.push(Outlined {
                at_most: self.precondition.passes(),
                ..Outlined::once(filling, "all of it, in order")
            });
        }
        if self.precondition.has_rounds() {
            let round = self.round(soak, 1);
            lines.push(Outlined {
                name: format!("{}_wdpc", soak.name),
                at_most: ROUNDS_MAX,
                may_be_fewer: true,
                ..Outlined::once(&round, load_words(&soak.load))
            });
        }
        let (length, count) = self.parts(soak);
        let mut part = soak.clone();
        part.elapsed = length;
        if count > 1 {
            // The first alone has one.
            part.warmup = Nanos(0);
        }
        lines.push(Outlined {
            at_most: count,
            may_be_fewer: self.overwrites.is_some() && count > 1,
            ..Outlined::once(&part, load_words(&soak.load))
        });
        lines
    }
}

/// Whether a soak in parts is the same as one in one piece: the next part's addresses go on as if nothing had been, and what is
/// said of the step as a whole is true of each part.
fn divides(soak: &Step) -> bool {
    let uniform = |pattern: &Pattern| *pattern == Pattern::RANDOM;
    let steady = matches!(soak.load, Load::Max | Load::MaxShared | Load::Rate { .. });
    let unlimited = Limits {
        overwrites: None,
        ..soak.limits
    } == Limits::default();
    // Times of actions and windows count from the beginning of their step.
    let alike = |s: &crate::Stream| {
        uniform(&s.address.pattern) && s.address.hits.is_none() && s.window.is_whole()
    };
    steady
        && unlimited
        && soak.actions.is_empty()
        && soak.end_commands.is_empty()
        && soak.purpose == Purpose::Measure
        && soak.streams.iter().all(alike)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Bytes, Distribution, Plan};

    fn soak(seconds: u64) -> Step {
        let plan: Plan = crate::validate::tests::plan();
        let mut step = plan.steps().next().expect("a step").clone();
        step.elapsed = Nanos::secs(seconds);
        step.warmup = Nanos::secs(5);
        step.interval = Nanos::secs(1);
        step.streams[0].address.pattern = Pattern::RANDOM;
        step
    }

    #[test]
    fn what_has_times_of_its_own_is_no_soak_in_parts() {
        let plain = soak(3600);
        assert!(divides(&plain));
        let mut windowed = plain.clone();
        windowed.streams[0].window.from = Nanos::secs(600);
        assert!(!divides(&windowed));
        let mut acted = plain.clone();
        acted.actions.push(crate::TimedAction {
            at: Nanos::secs(600),
            action: crate::Action::Fault("cache-loss".into()),
            puts_back: false,
        });
        assert!(!divides(&acted));
        assert!(spec(60).round(&acted, 1).actions.is_empty());
    }

    fn spec(part_s: u64) -> SoakSpec {
        SoakSpec {
            overwrites: None,
            precondition: Precondition::None,
            part: Nanos::secs(part_s),
        }
    }

    #[test]
    fn parts_are_about_equal_and_make_up_the_whole() {
        for (all, part, expected) in [
            (18 * 3600, 1800, (1800, 36)),
            (1801, 1800, (901, 2)),
            (100, 30, (25, 4)),
            (10, 30, (10, 1)),
        ] {
            let (soak, spec) = (soak(all), spec(part));
            let (length, count) = spec.parts(&soak);
            assert_eq!((length, count), (Nanos::secs(expected.0), expected.1));
            let sum: u64 = (1..=count)
                .map(|n| spec.part(&soak, n, 0.0).elapsed.0)
                .sum();
            assert_eq!(sum, soak.elapsed.0);
        }
        let second = spec(30).part(&soak(100), 2, 0.0);
        assert_eq!(second.warmup, Nanos(0));
        assert_eq!(spec(30).part(&soak(100), 1, 0.0).warmup, Nanos::secs(5));
    }

    #[test]
    fn what_parts_would_change_is_in_one_piece() {
        let changed: [fn(&mut Step); 4] = [
            |s| s.streams[0].address.pattern = Pattern::random(Distribution::Zipf(1.1)),
            |s| s.limits.bytes = Some(Bytes(1 << 30)),
            |s| s.load = Load::schedule(vec![], crate::Arrival::Even),
            |s| {
                s.end_commands.push(crate::Command {
                    line: "true".into(),
                    output: "log".into(),
                });
            },
        ];
        for change in changed {
            let mut soak = soak(3600);
            change(&mut soak);
            assert_eq!(spec(60).parts(&soak), (Nanos::secs(3600), 1), "{soak:?}");
        }
    }

    #[test]
    fn overwrites_become_bytes_and_the_least_limit_holds() {
        let limits = |overwrites, written: Option<u64>| Limits {
            overwrites,
            written_bytes: written.map(Bytes),
            ..Limits::default()
        };
        assert_eq!(
            limits(Some(2.5), None).resolved(1000),
            limits(None, Some(2500))
        );
        assert_eq!(
            limits(Some(2.5), Some(7)).resolved(1000),
            limits(None, Some(7))
        );
        assert_eq!(limits(None, None).resolved(1000), Limits::default());
        assert_eq!(
            limits(Some(f64::MAX), None).resolved(1000),
            limits(None, Some(u64::MAX))
        );
    }
}
