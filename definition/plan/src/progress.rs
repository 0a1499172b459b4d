//! Progress of a plan: the steps and the time that it counts by, before it runs and while it does.

use crate::{Item, Nanos, Outlined, Plan, Purpose, Step};

/// Time that counts for a step's progress: warm-up and counted time. None for a fill, which ends when it is through.
pub fn step_length(step: &Step) -> Nanos {
    match step.purpose {
        Purpose::Measure => Nanos(step.warmup.0.saturating_add(step.elapsed.0)),
        Purpose::Fill => Nanos(0),
    }
}

/// Number of steps; `None` where a method finds out as it goes. No plan counts the fills that its targets turn out to need.
pub fn planned_steps(plan: &Plan) -> Option<u32> {
    let steps: usize = plan
        .items
        .iter()
        .map(|item| match item {
            Item::Step(_) => 1,
            Item::Curve(curve) => 1 + curve.percents.len(),
            Item::Method(method) => method.outline().iter().map(|o| o.at_most as usize).sum(),
        })
        .sum();
    let searches = |item: &Item| match item {
        Item::Step(_) => false,
        Item::Curve(curve) => curve.search.is_some(),
        Item::Method(method) => method.outline().iter().any(|o| o.may_be_fewer),
    };
    if plan.items.iter().any(searches) {
        return None;
    }
    u32::try_from(steps).ok()
}

/// Time of all steps, at most.
pub fn planned_length(plan: &Plan) -> Nanos {
    let lengths = plan.items.iter().map(|item| match item {
        Item::Step(step) => step_length(step).0,
        Item::Curve(curve) => {
            let base = &curve.base;
            let searching = curve.search.iter().flat_map(|search| {
                let probe = |depth| step_length(&search.probe(base, depth)).0;
                search.depths().map(probe)
            });
            let points = 1 + curve.percents.len() as u64;
            let measuring = step_length(base).0.saturating_mul(points);
            searching.fold(measuring, u64::saturating_add)
        }
        Item::Method(method) => {
            let each = |o: &Outlined| step_length(&o.step).0.saturating_mul(u64::from(o.at_most));
            let outline = method.outline();
            outline.iter().map(each).fold(0, u64::saturating_add)
        }
    });
    Nanos(lengths.fold(0, u64::saturating_add))
}
