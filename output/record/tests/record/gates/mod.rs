//! Gates on runs whose truth is known.

mod alike;
mod coverage;
mod family;
mod sides;
mod truth;

use plimsoll_evidence::Estimate;
use plimsoll_record::RunStatus;
use plimsoll_record::compare::{
    Comparison, Fact, GateOutcome, GateStep, Metric, RunFigures, StepFigures, Terms,
    compare_figures,
};

/// A side's runs of the step `rd1`, whose rates are given. `first` numbers the runs, so that no two are the same.
pub fn runs(first: i64, iops: &[f64]) -> Vec<RunFigures> {
    let run = |(index, iops): (usize, &f64)| {
        let number = first + index as i64;
        RunFigures {
            repeat: None,
            left_out: vec![],
            label: format!("{number}.plim"),
            started_unix_ns: number,
            status: RunStatus::Completed,
            version: "1".into(),
            seed: number as u64,
            simulated: false,
            facts: vec![],
            measured: vec![],
            invalid: false,
            notes: vec![],
            steps: vec![step("rd1", *iops)],
        }
    };
    iops.iter().enumerate().map(run).collect()
}

/// A closed loop that reached a rate.
pub fn step(name: &str, iops: f64) -> StepFigures {
    StepFigures {
        name: name.into(),
        values: [(Metric::Iops, Estimate::bare(iops))].into(),
        ..StepFigures::default()
    }
}

/// A run's step of the name `rd1`.
pub fn rd1(run: &mut RunFigures) -> &mut StepFigures {
    run.steps.iter_mut().find(|s| s.name == "rd1").unwrap()
}

pub fn fact(name: &str, value: &str) -> Fact {
    Fact {
        name: name.into(),
        exact: value.into(),
        shown: value.into(),
    }
}

pub fn terms(rules: &[&str]) -> Terms {
    Terms {
        rules: rules.iter().map(|r| r.parse().unwrap()).collect(),
        ..Terms::default()
    }
}

pub fn judged(a: &[RunFigures], b: &[RunFigures], rules: &[&str]) -> Comparison {
    compare_figures(a, b, &terms(rules))
}

/// Result of a gate on rates alone.
pub fn gate(a: &[f64], b: &[f64], rule: &str) -> GateStep {
    judged(&runs(0, a), &runs(100, b), &[rule]).gates[0].steps[0].clone()
}

/// Outcome of the gates on runs together.
pub fn outcome(a: &[RunFigures], b: &[RunFigures], rule: &str) -> GateOutcome {
    judged(a, b, &[rule]).outcome().unwrap()
}

/// Five steady runs of each side.
pub fn steady() -> (Vec<RunFigures>, Vec<RunFigures>) {
    let rates = [100.0, 101.0, 99.0, 100.5, 99.5];
    (runs(0, &rates), runs(100, &rates))
}
