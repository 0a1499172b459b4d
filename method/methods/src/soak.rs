//! The soak: one load for a long time, and whether it was carried all the while.

use crate::curve::Next;
use crate::method::{Method, ran_its_time};
use plimsoll_evidence::{Figure, MethodVerdict, Quantity, StepEvidence, Verdict};
use plimsoll_plan::{SoakSpec, Step};

/// The state machine of a soak.
#[derive(Debug, Clone, PartialEq)]
pub struct Soak {
    steps: Vec<Step>,
    spec: SoakSpec,
}

impl Soak {
    /// A soak of these steps, one after the other.
    pub fn new(steps: &[Step], spec: &SoakSpec) -> Self {
        Soak {
            steps: steps.to_vec(),
            spec: spec.clone(),
        }
    }
}

impl Method for Soak {
    fn next(&self, completed: &[&StepEvidence]) -> Next {
        let last = completed.last();
        match self.steps.get(completed.len()) {
            Some(step) if last.is_none_or(|s| ran_its_time(s)) => {
                Next::Step(Box::new(step.clone()))
            }
            _ => Next::Done(last.map(|step| Verdict::Method(verdict(&self.spec, step)))),
        }
    }
}

fn verdict(_: &SoakSpec, step: &StepEvidence) -> MethodVerdict {
    MethodVerdict {
        method: "soak".into(),
        run: step.run.clone(),
        class: "carried".into(),
        decided: ran_its_time(step),
        sentence: format!("{:.0} I/Os per second.", step.rate.mean),
        figures: vec![Figure::new(
            "sustained_rate",
            "sustained rate",
            Quantity::PerSecond(step.rate.mean),
        )],
        tables: Vec::new(),
        charts: Vec::new(),
        findings: Vec::new(),
    }
}
