//! A plan of all hosts as a plan of each, which has nothing in it of the others.

use crate::divide::{Undividable, divide};
use crate::{CurveSpec, HostId, Item, MethodSpec, Plan, Step};

impl Plan {
    /// What each host has of the plan, in the hosts' order: its own paths, and its own part of each step. One that has no part in
    /// anything has a plan without items.
    ///
    /// Whoever asks for the steps has the methods; so what remains of a method in which a host takes part now and then is those
    /// steps alone.
    ///
    /// # Errors
    /// What cannot be said of each host alone.
    pub fn divided(&self) -> Result<Vec<Plan>, Undividable> {
        let mut plans: Vec<Plan> = self.hosts.ids().map(|h| self.of_host(h)).collect();
        plans.iter_mut().for_each(|plan| plan.items.clear());
        for item in &self.items {
            let steps = item.steps().iter().map(|step| divide(self, step));
            let steps = steps.collect::<Result<Vec<_>, _>>()?;
            for (host, plan) in plans.iter_mut().enumerate() {
                let own = steps.iter().filter_map(|parts| parts[host].clone());
                plan.items.extend(items(item, own.collect()));
            }
        }
        Ok(plans)
    }

    /// The hosts that have a part in any of the plan's steps.
    ///
    /// # Errors
    /// What cannot be said of each host alone.
    pub fn hosts_with_a_part(&self) -> Result<Vec<HostId>, Undividable> {
        let plans = self.divided()?;
        let all = self.hosts.ids().zip(plans);
        Ok(all
            .filter(|(_, plan)| !plan.items.is_empty())
            .map(|(host, _)| host)
            .collect())
    }
}

/// An item with a host's own steps in it.
fn items(item: &Item, own: Vec<Step>) -> Vec<Item> {
    match item {
        Item::Curve(curve) => own
            .into_iter()
            .map(|base| {
                Item::Curve(CurveSpec {
                    base,
                    ..curve.clone()
                })
            })
            .collect(),
        Item::Method(method) if own.len() == method.steps.len() => {
            vec![Item::Method(MethodSpec {
                steps: own,
                ..method.clone()
            })]
        }
        Item::Step(_) | Item::Method(_) => own.into_iter().map(Item::Step).collect(),
    }
}
