//! Answer of a comparison: what changed from A to B, in a sentence, and what the runs said against themselves.

use super::{Comparison, Outcome, RUNS_FOR_A_VERDICT, listed};

impl Comparison {
    /// `B is worse than A in response and service.`; the gates' outcomes where there are some.
    pub fn answer(&self) -> String {
        if !self.gates.is_empty() {
            let gates = self
                .gates
                .iter()
                .map(|g| format!("{}: {}", g.gate, g.outcome));
            return format!("{}.", gates.collect::<Vec<_>>().join("; "));
        }
        let [better, worse] = [Outcome::Better, Outcome::Worse].map(|o| self.metrics_with(o));
        let changed = match (better.is_empty(), worse.is_empty()) {
            (true, true) => self.unchanged(),
            (false, true) => format!("B is better than A in {}", listed(&better)),
            (true, false) => format!("B is worse than A in {}", listed(&worse)),
            (false, false) => format!(
                "B is better than A in {}, and worse in {}",
                listed(&better),
                listed(&worse)
            ),
        };
        format!("{changed}.")
    }

    /// Findings that a larger part of one side's runs has than of the other's: `PL125 (A in 2 of 5, B in 4 of 5)`; `None` where there are none.
    pub fn unequal_findings(&self) -> Option<String> {
        let of_steps = self.steps.iter().flat_map(|step| &step.remarks);
        let mut rules: Vec<String> = Vec::new();
        for remark in of_steps.chain(&self.remarks) {
            let rule = remark.text.split(':').next().unwrap_or_default();
            let is_rule = rule
                .strip_prefix("PL")
                .is_some_and(|n| n.parse::<u16>().is_ok());
            if is_rule && remark.runs_a * remark.of_b != remark.runs_b * remark.of_a {
                let [a, b] = [(remark.runs_a, remark.of_a), (remark.runs_b, remark.of_b)]
                    .map(|(runs, of)| format!("{runs} of {of}"));
                rules.push(format!("{rule} (A in {a}, B in {b})"));
            }
        }
        rules.sort_unstable();
        rules.dedup();
        (!rules.is_empty()).then(|| rules.join(", "))
    }

    /// Names of the metrics that came out so, with the step where that isn't every step.
    fn metrics_with(&self, outcome: Outcome) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for metric in self.steps.iter().flat_map(|step| &step.metrics) {
            let name = metric.metric.name();
            let has = |step: &&super::StepComparison| {
                let mut metrics = step.metrics.iter();
                metrics.any(|m| m.metric == metric.metric && m.outcome == outcome)
            };
            let steps = self.steps.iter().filter(has).count();
            let told = match steps == self.steps.len() {
                true => name.to_string(),
                false => format!("{name} ({steps} of {} steps)", self.steps.len()),
            };
            if steps > 0 && !names.contains(&told) {
                names.push(told);
            }
        }
        names
    }

    fn unchanged(&self) -> String {
        let outcomes = self
            .steps
            .iter()
            .flat_map(|step| &step.metrics)
            .map(|m| m.outcome);
        let outcomes: Vec<Outcome> = outcomes.collect();
        let any = |outcome| outcomes.contains(&outcome);
        match () {
            () if any(Outcome::NotAlike) => "No verdict: the sides did not measure the same",
            () if any(Outcome::SameRun) => "No verdict: one run is on both sides",
            () if any(Outcome::InvalidRun) => "No verdict: a run is invalid",
            () if any(Outcome::Negligible) => {
                let metrics = listed(&self.metrics_with(Outcome::Negligible));
                return format!("B differs from A in {metrics}, by less than 2 % as estimated");
            }
            () if any(Outcome::NoDifference) => "No difference between A and B was shown",
            () => {
                return format!("No verdict: it takes {RUNS_FOR_A_VERDICT} runs of each side");
            }
        }
        .to_string()
    }
}
