use crate::{PlanView, RuleAnswer, RuleFinding, StepAt, applies, findings, some_of};
use plimsoll_evidence::Quantity;
use plimsoll_printable::human;

rule! {
    34 "many-outstanding" Plan(check) [NOTE, SUSPECT, SUSPECT, SUSPECT, NOTE] pitfalls [33] {
        summary: "There are more I/Os in flight than any storage works on at once.",
        why: "What is beyond the depth at which the storage is full waits in a queue, of the host or of a port. It adds to \
            the response time and to nothing else: with N in flight and a ceiling of X the mean response is N/X, whatever \
            the storage needs.",
        threshold: "1,024 I/Os in flight or more on one target in a closed loop.",
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
    findings(steps.flat_map(|at| {
        let depths = at.step.depths.iter().map(move |d| (d.target, at.step.depth_of(d.target)));
        depths
            .filter(|(_, depth)| *depth >= MANY)
            .map(|(target, depth)| {
                let message = format!(
                    "Run {} keeps {} I/Os in flight on a target: most of its response time will be its own queue.",
                    at.step.run,
                    human::count(depth)
                );
                RuleFinding::new(message).at(at.depth_written(view, target)).judged("depth", Quantity::Count(depth), MANY as f64)
            })
            .collect::<Vec<_>>()
    }))
}

const MANY: u64 = 1024;
