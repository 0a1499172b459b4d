//! The adaptive curve: a curve whose points are chosen as it goes, in a budget of time.

use super::Outlined;
use crate::depth::{DepthSearch, set};
use crate::{Arrival, Load, Nanos, Slo, Step};
use serde::{Deserialize, Serialize};

/// All its I/O, where nobody says how long.
pub const DEFAULT_BUDGET: Nanos = Nanos::secs(180);
/// Less is too short to find anything: a dozen points, of which each needs some seconds to have a confidence.
pub const LEAST_BUDGET: Nanos = Nanos::secs(60);
/// The shortest counted time that has a confidence: batch means take 20 samples of 100 ms, and some are lost to the drain.
pub const SHORTEST_POINT: Nanos = Nanos(2_500_000_000);

/// What an adaptive curve looks for, and how long it may take. The method's one step has the mix and the size, and the
/// greatest depth that may be tried.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AdaptiveSpec {
    /// The arrivals of the points.
    pub arrival: Arrival,
    /// Response-time limits whose capacity is looked for; empty: [`crate::default_slos`].
    pub slos: Vec<Slo>,
    /// How the depth of the maximum is found; `None` where it was given.
    pub search: Option<DepthSearch>,
    /// All I/O together: warm-ups, the search and what is counted.
    pub budget: Nanos,
    /// Each point's warm-up.
    pub warmup: Nanos,
    /// Counted time of a point that only shows where to look.
    pub look: Nanos,
    /// The longest counted time of a point.
    pub longest: Nanos,
    /// Counted time that was written for a point, where the budget allows only a shorter one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub longer_asked: Option<Nanos>,
}

impl AdaptiveSpec {
    /// The curve and its one step. `base` says all but the load; its warm-up and time are the longest that a point may have.
    pub fn new(
        base: &Step,
        arrival: Arrival,
        slos: Vec<Slo>,
        budget: Option<Nanos>,
        depth_given: bool,
    ) -> (Self, Step) {
        let budget = budget.unwrap_or(DEFAULT_BUDGET);
        // Whole milliseconds, for those who read the plan.
        let part = |of: u64| Nanos(budget.0 / of / 1_000_000 * 1_000_000);
        let mut step = base.clone();
        if step.load != Load::MaxShared {
            step.load = Load::Max;
        }
        let search = (!depth_given).then(|| {
            let search = DepthSearch::of(base);
            DepthSearch {
                warmup: search.warmup.min(part(180)),
                elapsed: search.elapsed.min(part(60)),
                ..search
            }
        });
        if let Some(search) = &search {
            set(&mut step.depths, search.most);
        }
        let longest = base.elapsed.min(part(6)).max(SHORTEST_POINT);
        step.warmup = base.warmup.min(part(120));
        step.elapsed = longest;
        step.interval = base.interval.min(Nanos::secs(1));
        let spec = AdaptiveSpec {
            arrival,
            slos,
            search,
            budget,
            warmup: step.warmup,
            look: part(45).max(SHORTEST_POINT).min(longest),
            longest,
            longer_asked: None,
        };
        (spec, step)
    }

    /// Adaptive curve of which somebody wrote how long a point may be.
    pub fn asked_for(self, elapsed: Nanos) -> Self {
        AdaptiveSpec {
            longer_asked: (elapsed > self.longest).then_some(elapsed),
            ..self
        }
    }

    /// The points that fit into what the search and the maximum leave of the budget, at most.
    fn most_points(&self, before: Nanos) -> u32 {
        let each = self.warmup.0.saturating_add(SHORTEST_POINT.0);
        let left = self.budget.0.saturating_sub(before.0);
        u32::try_from(left / each.max(1)).unwrap_or(u32::MAX)
    }

    pub(super) fn outline(&self, base: &Step) -> Vec<Outlined> {
        let mut lines = Vec::new();
        if let Some(search) = &self.search {
            let probe = search.probe(base, search.most);
            lines.push(Outlined {
                name: format!("{}_(depth={}..{})", base.name, search.first, search.most),
                load: "max, at rising depths".into(),
                step: probe,
                at_most: u32::try_from(search.depths().count()).unwrap_or(u32::MAX),
                may_be_fewer: true,
            });
        }
        let mut maximum = base.clone();
        maximum.elapsed = self.look;
        lines.push(Outlined::once(&maximum, "max"));
        let before = lines.iter().map(|o| o.duration().0).sum();
        let mut point = base.clone();
        if let Some(search) = &self.search {
            set(&mut point.depths, search.point_slots(search.most));
        }
        point.elapsed = SHORTEST_POINT;
        // At most as much as the target takes, which nobody knows yet.
        point.load = Load::percent(100.0, self.arrival);
        lines.push(Outlined {
            name: format!("{} point", base.name),
            load: "rates where the curve bends".into(),
            step: point,
            at_most: self.most_points(Nanos(before)),
            may_be_fewer: true,
        });
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validate::tests::plan;

    #[test]
    fn what_is_planned_takes_no_longer_than_its_budget() {
        let base = plan().steps().next().expect("a step").clone();
        for seconds in [60, 61, 90, 180, 181, 600, 3601] {
            for depth_given in [true, false] {
                let budget = Nanos::secs(seconds);
                let arrival = Arrival::default();
                let (spec, step) =
                    AdaptiveSpec::new(&base, arrival, Vec::new(), Some(budget), depth_given);
                let lines = spec.outline(&step);
                let all: u64 = lines.iter().map(|line| line.duration().0).sum();
                assert!(all <= budget.0, "{seconds} s: {all} ns");
                assert!(lines.last().is_some_and(|line| line.at_most > 0));
            }
        }
    }
}
