use crate::{PlanView, RuleAnswer, RuleFinding, applies, findings, some_of};
use plimsoll_evidence::Quantity;
use plimsoll_plan::Item;

rule! {
    54 "vdbench-low-curve-points" Plan(check) NOTE pitfalls [48] {
        summary: "Points of a Vdbench curve are low percentages, which rounding brings together.",
        why: "Vdbench rounds the rate of a point up to a multiple of 100 above 1,000. On slow storage low percentages become \
            one rate, and the curve has fewer points than it seems.",
        threshold: "Points of less than 5 % in a curve of a Vdbench file.",
        source: "Vdbench 5.04: the target of a point is the percentage of the maximum, rounded up to a multiple of 100 above \
            1,000.",
        example: "curve=(1,2,3) at a maximum of 4,000: 40, 80 and 120/s; at 10,000: 100, 200 and 300.",
        remedy: "Ask for points of 5 % and more, or run `plimsoll curve --adaptive`.",
    }
    fires: |p| curve(p, 1),
    clean: |p| curve(p, 60),
}

fn check(view: &PlanView<'_>) -> RuleAnswer {
    let curves = some_of(view.steps().filter_map(|at| match at.item {
        Item::Curve(curve) => Some((at, curve)),
        _ => None,
    }))?;
    applies(view.is_vdbench())?;
    let low = |curve: &plimsoll_plan::CurveSpec| {
        curve.percents.iter().copied().filter(|p| *p < LOW).min()
    };
    findings(curves.filter_map(|(at, curve)| {
        let percent = low(curve)?;
        let message = format!("The curve {} has a point of {percent}%.", at.step.run);
        Some(RuleFinding::new(message).at(at.near("percents")).judged(
            "point",
            Quantity::Share(f64::from(percent) / 100.0),
            f64::from(LOW) / 100.0,
        ))
    }))
}

const LOW: u32 = 5;

#[cfg(test)]
fn curve(plan: &mut plimsoll_plan::Plan, percent: u32) {
    plan.dialect = "vdbench".into();
    crate::known::curve(plan, false);
    if let Item::Curve(curve) = &mut plan.items[0] {
        curve.percents.push(percent);
    }
}
