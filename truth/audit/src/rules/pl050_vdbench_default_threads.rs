use crate::{PlanView, RuleAnswer, RuleFinding, StreamAt, applies, findings};
use plimsoll_evidence::Quantity;

rule! {
    50 "vdbench-default-threads" Plan(check) NOTE pitfalls [32, 48] {
        summary: "A Vdbench file does not say threads=, and so has 8 a target.",
        why: "Vdbench gives each sd 8 threads where nobody says otherwise. At iorate=max that number is the result: 8 \
            divided by the service time.",
        threshold: "A Vdbench file whose sd and rd say no threads=, at iorate=max or in a curve.",
        source: "Vdbench 5.04: threads= has the default 8 for each sd.",
        example: "Two sds on flash of 0.2 ms: 80,000/s at most, though the array carries 500,000.",
        remedy: "Say threads= in the rd or the sd, or loop over it with forthreads=.",
    }
    fires: |p| vdbench(p),
    clean: |p| {
        vdbench(p);
        let span = plimsoll_diagnostic::Span::new(plimsoll_diagnostic::FileId(0), 0..1);
        p.targets[0].origins.note("threads", span);
    },
}

fn check(view: &PlanView<'_>) -> RuleAnswer {
    applies(view.is_vdbench())?;
    let is_written = |s: &StreamAt<'_>| s.written("depth").is_some();
    let closed = view.streams().filter(|s| s.at.is_closed());
    findings(closed.filter(|s| !is_written(s)).map(|s| {
        let message = format!(
            "sd={} has no threads=, so that run {} keeps {} I/Os in flight on it.",
            s.target.name,
            s.at.step.run,
            s.at.step.depth_of(s.stream.target)
        );
        RuleFinding::new(message).at(s.at.near("load")).value(
            "depth",
            Quantity::Count(s.at.step.depth_of(s.stream.target)),
        )
    }))
}

#[cfg(test)]
fn vdbench(plan: &mut plimsoll_plan::Plan) {
    plan.dialect = "vdbench".into();
}
