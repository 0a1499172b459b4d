use crate::{PlanView, RuleAnswer, RuleFinding, StepAt, applies, findings, some_of};
use plimsoll_evidence::Quantity;
use plimsoll_plan::{Step, TargetId};
use plimsoll_printable::human;

rule! {
    34 "many-outstanding" Plan(check) [NOTE, SUSPECT, SUSPECT, SUSPECT, NOTE] pitfalls [33] {
        summary: "There are more I/Os in flight than any storage works on at once.",
        why: "What is beyond the depth at which the storage is full waits in a queue, of the host or of a port. It adds to \
            the response time and to nothing else: with N in flight and a ceiling of X the mean response is N/X, whatever \
            the storage needs.",
        threshold: "1,024 I/Os in flight or more in a closed loop, on one target or on several that have 512 or more each. Slots of \
            workloads with a rate of their own are free most of the time, and don't count.",
        source: "Little's law. A port queue of an array holds 1,024 to 4,096, an NVMe queue 1,024, a SCSI LUN 32 to 256. A \
            published run with 512 in flight at 130,000/s reports 3.9 ms, all of it its own queue.",
        example: "4,096 in flight on a LUN that carries 100,000/s: the mean response is 41 ms, on flash that needs 0.2 ms.",
        remedy: "Find the least depth that carries nearly the most with `plimsoll saturate`, and take the latency from points \
            of a curve below the maximum.",
    }
    fires: |p| crate::known::step_of(p).depths[0].slots = 4096,
    clean: |p| crate::known::step_of(p).depths[0].slots = 256,
}

fn check(view: &PlanView<'_>) -> RuleAnswer {
    let closed = |at: &StepAt<'_>| at.is_closed() && at.question().is_none();
    let steps = some_of(view.steps().filter(closed))?;
    applies(view.streams().next().is_some())?;
    findings(steps.filter_map(|at| {
        let targets = at.step.depths.iter().map(|d| d.target);
        let depths = targets.map(|target| (target, always_busy(at.step, target)));
        let deep: Vec<_> = depths.filter(|(_, depth)| *depth >= DEEP).collect();
        let depth: u64 = deep.iter().map(|(_, depth)| depth).sum();
        let (target, _) = *deep.iter().max_by_key(|(_, depth)| *depth).filter(|_| depth >= MANY)?;
        let message = format!(
            "Run {} keeps {} I/Os in flight on {}: most of its response time will be its own queue.",
            at.step.run,
            human::count(depth),
            match deep.len() {
                1 => "a target".to_string(),
                n => format!("{n} targets"),
            }
        );
        Some(RuleFinding::new(message).at(at.depth_written(view, target)).judged("depth", Quantity::Count(depth), MANY as f64))
    }))
}

/// Slots of a target that a closed loop keeps busy: those that it shares, and its own.
fn always_busy(step: &Step, target: TargetId) -> u64 {
    let streams = || {
        step.streams
            .iter()
            .filter(|s| s.target == target && s.fixed_rate.is_none())
    };
    let shared = step.depths.iter().filter(|d| d.target == target);
    let shared = shared
        .map(|d| d.slots)
        .filter(|_| streams().any(|s| s.depth.is_none()));
    shared
        .chain(streams().filter_map(|s| s.depth))
        .map(u64::from)
        .sum()
}

const MANY: u64 = 1024;
/// Targets with fewer each may be devices of their own that need them.
const DEEP: u64 = 512;

#[test]
fn what_is_in_flight_counts_over_all_targets_that_have_many() {
    let of = |slots: [u32; 2]| {
        let mut plan = crate::known::plan();
        let target = plan.targets[0].clone();
        plan.targets.push(target);
        let mut second = crate::known::stream();
        second.target = TargetId(1);
        crate::known::step_of(&mut plan).streams.push(second);
        let depth =
            |(target, slots)| plimsoll_plan::Depth::new(plimsoll_plan::TargetId(target), slots);
        crate::known::step_of(&mut plan).depths = (0..).zip(slots).map(depth).collect();
        crate::known::fires(check(&PlanView::new(&plan, None)))
    };
    assert_eq!(
        [of([512, 512]), of([512, 256]), of([900, 200])],
        [true, false, false]
    );
}

#[test]
fn free_slots_of_a_workload_with_a_rate_of_its_own_are_not_in_flight() {
    // 4,096 slots for 3,000/s, beside a closed loop of 8 of its own; then of 2,000 of its own, and then of the shared ones.
    let of = |depth: Option<u32>| {
        let mut plan = crate::known::plan();
        let step = crate::known::step_of(&mut plan);
        step.depths[0].slots = 4096;
        step.streams[0].fixed_rate = Some(plimsoll_plan::Rate(3_000.0));
        let mut backup = step.streams[0].clone();
        (backup.fixed_rate, backup.depth) = (None, depth);
        step.streams.push(backup);
        crate::known::fires(check(&PlanView::new(&plan, None)))
    };
    assert_eq!(
        [of(Some(8)), of(Some(2_000)), of(None)],
        [false, true, true]
    );
}
