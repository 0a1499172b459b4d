use crate::{Dialect, PlanView, RuleAnswer, RuleFinding, StepAt, applies, findings, some_of};
use plimsoll_evidence::Quantity;
use plimsoll_plan::{Item, Pattern, Plan, Step, TargetId};
use plimsoll_printable::human;

rule! {
    33 "few-outstanding" Plan(check) NOTE pitfalls [32] {
        summary: "There are too few I/Os in flight to show what the storage carries.",
        why: "By Little's law a closed loop of N I/Os in flight gets N divided by the service time, and never more. With few \
            of them the result is the latency, turned upside down: the storage waits for the generator.",
        threshold: "Fewer than 8 I/Os in flight on a target whose maximum is asked for.",
        source: "Little's law, N = X R. Flash answers in about 0.1 ms, so that 4 in flight get at most 40,000/s; an array over \
            a network in 0.5 ms: 8,000/s.",
        example: "depth = 1 on flash of 0.1 ms: 10,000 I/Os per second, whatever the device could do.",
        remedy: "Give more (`depth`), leave it out in a curve so that it is looked for, or use `plimsoll saturate`. As a test \
            of latency at this depth it is sound.",
    }
    fires: |p| crate::known::step_of(p).depths[0].slots = 2,
    clean: |p| crate::known::step_of(p).depths[0].slots = 16,
}

fn check(view: &PlanView<'_>) -> RuleAnswer {
    let closed =
        |at: &StepAt<'_>| at.is_closed() && searched(at).is_none() && at.question().is_none();
    let steps = some_of(view.steps().filter(closed))?;
    applies(view.streams().next().is_some())?;
    findings(steps.flat_map(|at| {
        let places = places(view.plan, at.step);
        let several = places.len() > 1;
        let few = places
            .into_iter()
            .filter(|(_, depth)| *depth < FEW && !sequential(&at));
        few.map(|(target, depth)| {
            let step = view.steps_run.iter().find(|s| s.name == at.step.name && s.ios > 0);
            let measured = step.map(|s| s.service_mean_ns.mean).filter(|ns| *ns > 0.0);
            let each = measured.map_or("0.1 ms each, as flash takes".into(), |ns| {
                format!("{} each, as was measured", human::time_in_text(ns))
            });
            let most = depth as f64 / measured.map_or(FLASH_S, |ns| ns / 1e9);
            let message = format!(
                "Run {} keeps {depth} I/O{} in flight{}: at {each}, that is {}/s at most. It is the depth that is measured, not what the target carries.",
                at.step.run,
                if depth == 1 { "" } else { "s" },
                match several {
                    true => format!(" on {}", view.plan.target(target).name),
                    false => String::new(),
                },
                human::rate(most)
            );
            let clones = "Give it more clones (numjobs=), each of which has names of its own. As a test of latency at this depth it is sound.";
            let by_clones = at.is_in_rounds() && Dialect::of(view.plan) == Dialect::Fio;
            RuleFinding::new(message)
                .remedy(by_clones.then_some(clones))
                .at(at.depth_written(view, target))
                .judged("depth", Quantity::Count(depth), FEW as f64)
                .value("most", Quantity::PerSecond(most))
        })
        .collect::<Vec<_>>()
    }))
}

/// The files and devices of a step, each by the first target that it is, and what all its targets have in flight: jobs that use
/// parts of one device are targets of their own.
fn places(plan: &Plan, step: &Step) -> Vec<(TargetId, u64)> {
    let mut places: Vec<(TargetId, u64)> = Vec::new();
    for depth in &step.depths {
        let here = &plan.target(depth.target).location;
        let slots = step.depth_of(depth.target);
        match places
            .iter_mut()
            .find(|(first, _)| plan.target(*first).location == *here)
        {
            Some((_, all)) => *all += slots,
            None => places.push((depth.target, slots)),
        }
    }
    places
}

/// Whether all of it is sequential: read-ahead and write-behind then have more in flight than the host.
fn sequential(at: &StepAt<'_>) -> bool {
    let is = |s: &plimsoll_plan::Stream| !matches!(s.address.pattern, Pattern::Random { .. });
    at.step.streams.iter().all(is)
}

fn searched(at: &StepAt<'_>) -> Option<plimsoll_plan::DepthSearch> {
    match at.item {
        Item::Curve(curve) => curve.search,
        _ => None,
    }
}

const FEW: u64 = 8;
/// What flash takes for a small read, s.
const FLASH_S: f64 = 1e-4;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PlanView;

    #[test]
    fn targets_that_are_one_device_have_their_slots_together() {
        // The same device twice, as jobs with an fsync and without have it: 6 and 2 slots.
        let with = |slots: [u32; 2], same: bool| {
            let mut plan = crate::known::plan();
            let mut other = plan.targets[0].clone();
            if !same {
                other.location = plimsoll_plan::Location::parse("/dev/other").expect("a path");
            }
            plan.targets.push(other);
            let id = TargetId(plan.targets.len() as u32 - 1);
            let step = crate::known::step_of(&mut plan);
            let stream = plimsoll_plan::Stream {
                target: id,
                ..step.streams[0].clone()
            };
            step.streams.push(stream);
            step.depths = vec![
                plimsoll_plan::Depth::new(TargetId(0), slots[0]),
                plimsoll_plan::Depth::new(id, slots[1]),
            ];
            check(&PlanView::new(&plan, None))
        };
        assert_eq!(with([6, 2], true), Ok(vec![]));
        assert!(matches!(with([6, 1], true), Ok(found) if found.len() == 1));
        assert!(matches!(with([6, 2], false), Ok(found) if found.len() == 2));
    }
}
