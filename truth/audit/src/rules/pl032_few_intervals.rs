use crate::{PlanView, RuleAnswer, RuleFinding, StepAt, findings, some_of};
use plimsoll_evidence::Quantity;

rule! {
    32 "few-intervals" Plan(check) NOTE pitfalls [36, 46] {
        summary: "The counted time has few intervals.",
        why: "Whether a rate was steady, and how sure it is, can only be seen in parts of it. A handful of intervals shows \
            neither a trend nor a stall.",
        threshold: "Fewer than 5 counted intervals.",
        source: "SNIA PTS looks at windows of five; batch means want 20 batches, which Plimsoll takes from samples of 100 ms.",
        example: "A run of 30 s with interval = \"10s\" has three points: any two of them make a trend.",
        remedy: "Use shorter intervals (`interval`) or measure longer.",
    }
    fires: |p| crate::known::step_of(p).interval = plimsoll_plan::Nanos::secs(300),
    clean: |p| crate::known::step_of(p).interval = plimsoll_plan::Nanos::secs(10),
}

fn check(view: &PlanView<'_>) -> RuleAnswer {
    let plain = |at: &StepAt<'_>| at.question().is_none();
    let steps = some_of(view.steps().filter(plain))?;
    findings(steps.filter_map(|at| {
        let intervals = at.step.elapsed.0 / at.step.interval.0.max(1);
        (intervals < ENOUGH).then(|| {
            let message = format!(
                "Run {} has {intervals} counted interval{}.",
                at.step.run,
                if intervals == 1 { "" } else { "s" }
            );
            RuleFinding::new(message).at(at.near("interval")).judged(
                "intervals",
                Quantity::Count(intervals),
                ENOUGH as f64,
            )
        })
    }))
}

const ENOUGH: u64 = 5;
