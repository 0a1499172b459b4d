//! Progress of a plan: the steps and the time that it counts by, before it runs and while it does.

use crate::{Item, NO_TIME_LIMIT, Nanos, Outlined, Plan, Purpose, Step};

/// Time that counts for a step's progress: warm-up and counted time. None for a fill and for a step without a time limit, which end
/// when they are through.
pub fn step_length(step: &Step) -> Nanos {
    Nanos(bounded_ns(step).unwrap_or(0))
}

/// The same; `None` where there is no time limit. Fills are not counted.
fn bounded_ns(step: &Step) -> Option<u64> {
    match step.purpose {
        Purpose::Measure if step.elapsed >= NO_TIME_LIMIT => None,
        Purpose::Measure => Some(step.warmup.0.saturating_add(step.elapsed.0)),
        Purpose::Fill => Some(0),
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

/// Time of all steps, at most; `None` where one of them has no time limit.
pub fn planned_length(plan: &Plan) -> Option<Nanos> {
    let length = |item: &Item| match item {
        Item::Step(step) => bounded_ns(step),
        Item::Curve(curve) => {
            let base = &curve.base;
            let searching = curve.search.iter().flat_map(|search| {
                let probe = |depth| bounded_ns(&search.probe(base, depth));
                search.depths().map(probe)
            });
            let points = 1 + curve.percents.len() as u64;
            let measuring = bounded_ns(base).map(|ns| ns.saturating_mul(points));
            all(searching.chain([measuring]))
        }
        Item::Method(method) => {
            let each =
                |o: &Outlined| Some(bounded_ns(&o.step)?.saturating_mul(u64::from(o.at_most)));
            all(method.outline().iter().map(each))
        }
    };
    all(plan.items.iter().map(length)).map(Nanos)
}

fn all(mut lengths: impl Iterator<Item = Option<u64>>) -> Option<u64> {
    lengths.try_fold(0, |sum: u64, ns| Some(sum.saturating_add(ns?)))
}
