use crate::{RuleAnswer, RuleFinding, RunView, applies, findings};
use plimsoll_evidence::{Quantity, StepEvidence};
use plimsoll_measure::batch::student_t_95;
use plimsoll_plan::{Item, Plan, Step, name_without_repeat};
use plimsoll_printable::human;

rule! {
    118 "best-of-several" Run(check) NOTE pitfalls [63] {
        summary: "The same was measured several times: the best of them is not the result.",
        why: "Of several runs of the same thing the best is the luckiest: its distance from the mean is chance, and grows with their \
            number. Whoever shows it alone shows the chance.",
        threshold: "Three plain steps or more that ask for exactly the same.",
        source: "The expected largest of n normal values lies 1.16 standard deviations above their mean for n = 5 and 1.54 for n = 10 \
            (order statistics); the 95 % interval of the mean is Student's.",
        example: "Five runs at 51,000, 52,000, 49,000, 58,000 and 50,000/s: the best says 58,000, the mean 52,000 ± 4,500.",
        remedy: "Quote the mean of all with its interval.",
    }
    fires: |o| repeated(o, true),
    clean: |o| repeated(o, false),
}

fn check(view: &RunView<'_>) -> RuleAnswer {
    let plan = view.recorded_plan()?;
    let plain = |item: &&Item| matches!(item, Item::Step(_));
    // Repeats of one run have an answer, the mean of all: what is alike within a round has none.
    let round = plan.round();
    let plan = round.as_ref().map_or(plan, |(round, _)| round);
    applies(plan.items.iter().filter(plain).count() >= SEVERAL)?;
    let groups: Vec<Vec<&StepEvidence>> = alike(plan)
        .into_iter()
        .map(|names| {
            let of_group = |s: &&StepEvidence| {
                let name = name_without_repeat(&s.name, &s.run);
                names.contains(&name.as_str())
            };
            view.measured().filter(of_group).collect()
        })
        .filter(|group: &Vec<&StepEvidence>| group.len() >= SEVERAL)
        .collect();
    findings(groups.iter().map(|group| seen(group)))
}

fn seen(group: &[&StepEvidence]) -> RuleFinding {
    let count = group.len() as f64;
    let rates = || group.iter().map(|s| s.rate.mean);
    let mean = rates().sum::<f64>() / count;
    let variance = rates().map(|r| (r - mean).powi(2)).sum::<f64>() / (count - 1.0);
    let half = student_t_95(group.len() - 1) * (variance / count).sqrt();
    let best = rates().fold(0.0, f64::max);
    let over = if mean > 0.0 { best / mean - 1.0 } else { 0.0 };
    let message = format!(
        "The same was measured {} times: the best, {}/s, is {} above the mean of all, which is {} ± {}/s.",
        group.len(),
        human::rate(best),
        human::percent(over),
        human::rate(mean),
        human::rate(half)
    );
    RuleFinding::new(message)
        .step(group[0].number)
        .judged("times", Quantity::Count(group.len() as u64), SEVERAL as f64)
        .value("best", Quantity::PerSecond(best))
        .value("mean_rate", Quantity::PerSecond(mean))
        .value("over", Quantity::Share(over))
}

/// The names of plain steps that ask for the same, by group.
fn alike(plan: &Plan) -> Vec<Vec<&str>> {
    let mut groups: Vec<(Step, Vec<&str>)> = Vec::new();
    for item in &plan.items {
        let Item::Step(step) = item else { continue };
        let asked = Step {
            name: String::new(),
            run: String::new(),
            loops: Vec::new(),
            origins: plimsoll_plan::Origins::default(),
            ..step.clone()
        };
        match groups.iter_mut().find(|(other, _)| *other == asked) {
            Some((_, names)) => names.push(&step.name),
            None => groups.push((asked, vec![&step.name])),
        }
    }
    groups.into_iter().map(|(_, names)| names).collect()
}

const SEVERAL: usize = 3;

#[cfg(test)]
fn repeated(o: &mut crate::known::Observed, same: bool) {
    let (step, evidence) = (
        crate::known::step_of(&mut o.plan).clone(),
        o.steps[0].clone(),
    );
    for n in 2..=3u32 {
        let mut again = Step {
            name: format!("r{n}"),
            ..step.clone()
        };
        again.depths[0].slots += if same { 0 } else { n };
        o.plan.items.push(Item::Step(again));
        o.steps.push(StepEvidence {
            number: n,
            name: format!("r{n}"),
            ..evidence.clone()
        });
    }
}
