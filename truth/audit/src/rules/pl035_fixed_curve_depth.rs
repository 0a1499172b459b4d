use crate::{PlanView, RuleAnswer, RuleFinding, StepAt, applies, findings};
use plimsoll_evidence::Quantity;
use plimsoll_plan::Item;

rule! {
    35 "fixed-curve-depth" Plan(check) NOTE pitfalls [32] {
        summary: "A curve's maximum is taken at a depth that somebody chose.",
        why: "The points of a curve are percentages of its maximum. Where the depth is too small, the maximum is none, and \
            all points lie too low; where it is too large, the highest points stand at the ceiling.",
        threshold: "A curve whose depth was given.",
        source: "A published curve ran threads=256 on two targets and put its points up to 98 % of what 512 in flight gave; \
            they carried 355 to 504 in flight.",
        example: "depth = 16 on an array that needs 256: the curve ends at a tenth of what it carries, and looks perfect.",
        remedy: "Leave the depth out, and the curve looks for it.",
    }
    fires: |p| crate::known::curve(p, false),
    clean: |p| crate::known::curve(p, true),
}

fn check(view: &PlanView<'_>) -> RuleAnswer {
    let curves: Vec<StepAt<'_>> = view
        .steps()
        .filter(|at| matches!(at.item, Item::Curve(_)))
        .collect();
    applies(!curves.is_empty() && view.streams().next().is_some())?;
    findings(curves.iter().filter_map(|at| {
        let Item::Curve(curve) = at.item else {
            return None;
        };
        let message = format!(
            "The curve {} has {} slots for its maximum, as many as were asked for.",
            at.step.run,
            at.step.total_depth()
        );
        let first = at.step.depths.first()?.target;
        curve.search.is_none().then(|| {
            RuleFinding::new(message)
                .at(at.depth_written(view, first))
                .value("depth", Quantity::Count(at.step.total_depth()))
        })
    }))
}
