//! What differs between the sides besides what was measured.

use super::RunFigures;
use serde::Serialize;

/// A fact of host or target that is not the same in all runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FactDifference {
    /// The fact: `kernel`, `sd1: vdb scheduler`.
    pub name: String,
    /// Its values on side A, each once; empty text where a run has none.
    pub a: Vec<String>,
    /// Its values on side B.
    pub b: Vec<String>,
}

/// All facts that are not the same in all runs, in the runs' order.
pub(super) fn differences(a: &[RunFigures], b: &[RunFigures]) -> Vec<FactDifference> {
    let mut names: Vec<&String> = Vec::new();
    for (name, _) in a.iter().chain(b).flat_map(|run| &run.facts) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
        .into_iter()
        .map(|name| FactDifference {
            name: name.clone(),
            a: values(a, name),
            b: values(b, name),
        })
        .filter(|d| d.a != d.b || d.a.len() > 1)
        .collect()
}

fn values(runs: &[RunFigures], name: &str) -> Vec<String> {
    let mut values: Vec<String> = runs
        .iter()
        .map(|run| {
            let fact = run.facts.iter().find(|(n, _)| n == name);
            fact.map(|(_, value)| value.clone()).unwrap_or_default()
        })
        .collect();
    values.sort();
    values.dedup();
    values
}
