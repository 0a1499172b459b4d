//! The disturbance: a constant load, something that happens to the target, and how long anybody notices.

use super::Outlined;
use crate::depth::CLOSED_SLOTS;
use crate::load::load_words;
use crate::{Load, Nanos, Step};
use serde::{Deserialize, Serialize};

/// Disturbance of one load, several times the same.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DisturbSpec {
    /// How often.
    pub times: u32,
    /// The load of a short step before the first time, of whose rate the load is a percentage; `None` where the rate was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub maximum: Option<Load>,
}

impl DisturbSpec {
    /// How often where nobody says.
    pub const TIMES: u32 = 3;
    /// The percentage of the short maximum that is asked for where no rate is given: a target that has lost half of its paths
    /// or controllers can still carry it.
    pub const PERCENT: f64 = 50.0;
    /// The longest interval: what is to be seen may be over within a second.
    pub const INTERVAL: Nanos = Nanos(100_000_000);
    /// How long it goes on after the last action where nobody says.
    pub const AFTER: Nanos = Nanos::secs(30);
    /// The longest that the short maximum is counted.
    const MAXIMUM: Nanos = Nanos::secs(10);

    /// The step that finds the rate out; `None` where it was given.
    pub fn maximum_of(&self, base: &Step) -> Option<Step> {
        let load = self.maximum.clone()?;
        let elapsed = base.elapsed.min(Self::MAXIMUM);
        let mut step = Step {
            name: format!("{}_(max)", base.name),
            load,
            elapsed,
            warmup: base.warmup.min(Nanos::secs(5)),
            interval: Nanos::secs(1).min(elapsed),
            actions: Vec::new(),
            ..base.clone()
        };
        for depth in &mut step.depths {
            depth.slots = depth.slots.min(CLOSED_SLOTS);
        }
        Some(step)
    }

    pub(super) fn outline(&self, steps: &[Step]) -> Vec<Outlined> {
        let Some(base) = steps.first() else {
            return Vec::new();
        };
        let maximum = self.maximum_of(base);
        let maximum = maximum.map(|m| Outlined::once(&m, load_words(&m.load)));
        let load = match (&base.load, &maximum) {
            (Load::PercentOfLast { percent, .. }, Some(_)) => {
                format!("{percent}% of the short maximum")
            }
            (load, _) => load_words(load),
        };
        let disturbed = Outlined {
            at_most: self.times,
            ..Outlined::once(base, load)
        };
        maximum.into_iter().chain([disturbed]).collect()
    }
}
