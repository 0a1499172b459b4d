//! The claim by which a plan's results are judged, where none is made.

use crate::{Claim, Item, Nanos, Plan, Purpose, Step};

/// The counted time from which on a run stands for more than a burst.
pub const SUSTAINED_FROM: Nanos = Nanos::secs(60);
/// The counted time below which a run stands for nothing: it measures its own beginning.
const LEAST_OF_ANY: Nanos = Nanos::secs(5);

impl Plan {
    /// Claim by which the results are judged: the one that was made, else what the length of the longest step supports.
    pub fn judged_for(&self) -> Claim {
        let length = |step: &Step| match step.purpose {
            Purpose::Measure => step.elapsed,
            Purpose::Fill => Nanos(0),
        };
        let longest = self.items.iter().map(|item| match item {
            Item::Step(step) => length(step),
            Item::Curve(curve) => length(&curve.base),
            Item::Method(method) => {
                let all = method.outline();
                let all = all.iter().map(|o| length(&o.step));
                all.max().unwrap_or(Nanos(0))
            }
        });
        let longest = longest.max().unwrap_or(Nanos(0));
        self.claim.unwrap_or(Claim::of_length(longest))
    }
}

impl Claim {
    /// Claim that a result of this length supports, where none is made.
    pub fn of_length(longest: Nanos) -> Self {
        match longest < SUSTAINED_FROM {
            true => Claim::Burst,
            false => Claim::Sustained,
        }
    }

    /// The least counted time that this claim needs, where it needs one.
    pub fn least(self) -> Option<Nanos> {
        match self {
            Claim::Sustained => Some(SUSTAINED_FROM),
            Claim::Burst | Claim::Device => Some(LEAST_OF_ANY),
            Claim::Cached | Claim::Host => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Load;

    fn plan(lengths: &[u64]) -> Plan {
        let step = |s: &u64| {
            let elapsed = Nanos::secs(*s);
            Item::Step(Step::new("s", Vec::new(), Vec::new(), Load::Max, elapsed))
        };
        Plan::new(Vec::new(), lengths.iter().map(step).collect())
    }

    #[test]
    fn the_longest_step_says_what_the_results_stand_for() {
        assert_eq!(plan(&[30, 59]).judged_for(), Claim::Burst);
        assert_eq!(plan(&[30, 60]).judged_for(), Claim::Sustained);
    }

    #[test]
    fn a_fill_of_an_hour_makes_no_run_longer_and_a_claim_that_was_made_holds() {
        let mut plan = plan(&[3600, 5]);
        let Item::Step(fill) = &mut plan.items[0] else {
            unreachable!("it is a step");
        };
        fill.purpose = Purpose::Fill;
        assert_eq!(plan.judged_for(), Claim::Burst);
        plan.claim = Some(Claim::Device);
        assert_eq!(plan.judged_for(), Claim::Device);
    }
}
