use crate::{NotObservable, PlanView, RuleAnswer, RuleFinding, StepAt, findings, some_of};
use plimsoll_evidence::Quantity;
use plimsoll_plan::{Item, Load, Statistic};
use plimsoll_printable::human;

rule! {
    38 "percentile-beyond-data" Plan(check) NOTE pitfalls [36] {
        summary: "A percentile is asked for that the I/Os of the run cannot support.",
        why: "A percentile needs I/Os beyond it. With ten beyond p99.9 its uncertainty is a factor; with one it is the \
            largest time, by another name.",
        threshold: "Fewer than 100 I/Os beyond the percentile of a limit, at the lowest rate of the plan; fewer than 10 are not \
            printed at all.",
        source: "The exact binomial interval of a quantile; below n(1-p) = 10 it is suppressed, below 100 it is wide.",
        example: "p99.9 of 100/s for 30 s: three I/Os lie beyond it.",
        remedy: "Measure longer, or ask for a percentile that the data has.",
    }
    fires: |p| case(p, 100.0),
    clean: |p| case(p, 10_000.0),
}

fn check(view: &PlanView<'_>) -> RuleAnswer {
    let asked = some_of(view.steps().filter_map(limits))?;
    let known = view.plan.steps().filter_map(|step| match step.load {
        Load::Rate { rate, .. } => Some(rate.0),
        _ => None,
    });
    let rate = known.reduce(f64::min).ok_or(NotObservable(
        "the rate is what the target gives, and not known before it runs",
    ))?;
    findings(asked.flat_map(|(at, quantiles)| {
        let ios = rate * at.step.elapsed.as_secs_f64();
        let few = quantiles
            .into_iter()
            .filter(move |q| ios * (1.0 - q) < ENOUGH);
        few.map(move |q| {
            let message = format!(
                "Run {} asks for {}, and of its {} I/Os {:.0} lie beyond it.",
                at.step.run,
                human::quantile(q),
                human::count(ios as u64),
                ios * (1.0 - q)
            );
            RuleFinding::new(message)
                .at(at.near("slos"))
                .judged("beyond", Quantity::Number(ios * (1.0 - q)), ENOUGH)
                .value("quantile", Quantity::Share(q))
        })
        .collect::<Vec<_>>()
    }))
}

/// A step, and the quantiles that limits of its response are of.
fn limits(at: StepAt<'_>) -> Option<(StepAt<'_>, Vec<f64>)> {
    let slos = match at.item {
        Item::Curve(curve) => &curve.slos,
        _ => return None,
    };
    let quantiles: Vec<f64> = slos
        .iter()
        .filter_map(|slo| match slo.statistic {
            Statistic::Quantile(q) => Some(q),
            Statistic::Mean => None,
        })
        .collect();
    (!quantiles.is_empty()).then_some((at, quantiles))
}

const ENOUGH: f64 = 100.0;

#[cfg(test)]
fn case(plan: &mut plimsoll_plan::Plan, rate: f64) {
    let mut first = crate::known::step_of(plan).clone();
    first.load = Load::rate(
        plimsoll_plan::Rate(rate),
        plimsoll_plan::Arrival::Exponential,
    );
    crate::known::curve(plan, true);
    if let Item::Curve(curve) = &mut plan.items[0] {
        curve.slos = vec!["p99.9=2ms".parse().expect("a limit")];
    }
    plan.items.insert(0, Item::Step(first));
}
