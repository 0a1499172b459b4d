use crate::{RuleAnswer, RuleFinding, RunView, applies, findings};
use plimsoll_evidence::Quantity;
use plimsoll_plan::Purpose;

rule! {
    100 "nothing-measured" Run(check) SUSPECT pitfalls [46] {
        summary: "Nothing was measured.",
        why: "Where no step is, no rule has anything to look at. That nothing is found then says nothing of a result.",
        threshold: "No step that is no fill, where the plan has one or is not known.",
        source: "Follows from what an audit is: rules that look at numbers.",
        example: "A record whose run ended before its first step did.",
        remedy: "Run it again, and to its end.",
    }
    fires: |o| o.steps.clear(),
    clean: |_| {},
}

fn check(view: &RunView<'_>) -> RuleAnswer {
    let fills_only = |plan: &plimsoll_plan::Plan| {
        let mut steps = plan.steps().peekable();
        steps.peek().is_some() && steps.all(|s| s.purpose == Purpose::Fill)
    };
    applies(!view.plan.is_some_and(fills_only))?;
    let nothing = view.steps.iter().all(|s| s.fill);
    findings(nothing.then(|| {
        RuleFinding::new("No step was measured: there is nothing to judge.").judged(
            "steps",
            Quantity::Count(0),
            1.0,
        )
    }))
}
