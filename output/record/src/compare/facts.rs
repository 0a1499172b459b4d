//! What differs between the sides besides the results.

use super::step::StepSides;
use super::{RunFigures, offered};
use serde::Serialize;
use std::collections::{HashMap, HashSet};

/// A fact of build, host or target that is not the same in all runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FactDifference {
    /// The fact: `kernel`, `target 1: scheduler`.
    pub name: String,
    /// Values on side A, each once; empty text where a run has none.
    pub a: Vec<String>,
    /// Values on side B.
    pub b: Vec<String>,
}

/// A fact of what was measured that is not the same in all runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MeasuredDifference {
    /// The fact and its values.
    #[serde(flatten)]
    pub fact: FactDifference,
    /// The steps that it is of; none where it is of the runs as a whole.
    pub steps: Vec<String>,
}

/// Something that should be the same in all runs of a comparison.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fact {
    /// Name of the fact.
    pub name: String,
    /// Value of the fact, by which runs are told apart.
    pub exact: String,
    /// Value of the fact, for people.
    pub shown: String,
}

impl Fact {
    /// A value that reads as it is.
    pub fn plain(name: impl Into<String>, value: impl Into<String>) -> Self {
        let value = value.into();
        Fact {
            name: name.into(),
            shown: value.clone(),
            exact: value,
        }
    }
}

/// All facts that are not the same in the two lists of runs, in the runs' order. Where `known_only`, a fact that some run
/// does not have is not compared: another version may not have written it.
fn differences(a: &[&[Fact]], b: &[&[Fact]], known_only: bool) -> Vec<FactDifference> {
    let (by_a, by_b) = (by_name(a), by_name(b));
    let mut seen = HashSet::new();
    let all = a.iter().chain(b).flat_map(|facts| facts.iter());
    all.map(|fact| fact.name.as_str())
        .filter(|name| seen.insert(*name))
        .filter_map(|name| {
            let (a, b) = (named(&by_a, name), named(&by_b, name));
            difference(name, &a, &b, known_only)
        })
        .collect()
}

type ByName<'f> = HashMap<&'f str, &'f Fact>;

fn by_name<'f>(side: &[&'f [Fact]]) -> Vec<ByName<'f>> {
    let of = |facts: &&'f [Fact]| facts.iter().map(|f| (f.name.as_str(), f)).collect();
    side.iter().map(of).collect()
}

/// One fact of each run.
fn named<'f>(side: &[ByName<'f>], name: &str) -> Vec<Option<&'f Fact>> {
    side.iter().map(|facts| facts.get(name).copied()).collect()
}

fn difference(
    name: &str,
    a: &[Option<&Fact>],
    b: &[Option<&Fact>],
    known_only: bool,
) -> Option<FactDifference> {
    let mut both = a.iter().chain(b);
    if known_only && both.clone().any(Option::is_none) {
        return None;
    }
    let exact = |fact: &Option<&Fact>| fact.map_or(String::new(), |f| f.exact.clone());
    let first = exact(both.next()?);
    both.any(|fact| exact(fact) != first)
        .then(|| FactDifference {
            name: name.to_string(),
            a: shown(a),
            b: shown(b),
        })
}

fn shown(side: &[Option<&Fact>]) -> Vec<String> {
    let of = |fact: &Option<&Fact>| fact.map(|f| f.shown.clone()).unwrap_or_default();
    let mut values: Vec<String> = side.iter().map(of).collect();
    values.sort();
    values.dedup();
    values
}

/// Differences of build, host and target: a comparison may be about that.
pub(super) fn of_environment(a: &[RunFigures], b: &[RunFigures]) -> Vec<FactDifference> {
    of_places(&each(a, |run| &run.facts), &each(b, |run| &run.facts))
}

/// Differences between places.
pub(super) fn of_places(a: &[&[Fact]], b: &[&[Fact]]) -> Vec<FactDifference> {
    differences(a, b, false)
}

/// Differences of the measurement itself: of the runs, and of each step that both sides have.
pub(super) fn of_measurement(
    a: &[RunFigures],
    b: &[RunFigures],
    steps: &[&StepSides],
) -> Vec<MeasuredDifference> {
    let known_only = several_versions(a, b);
    let (of_a, of_b) = (each(a, |run| &run.measured), each(b, |run| &run.measured));
    let mut all: Vec<MeasuredDifference> = differences(&of_a, &of_b, known_only)
        .into_iter()
        .map(|fact| MeasuredDifference {
            fact,
            steps: vec![],
        })
        .collect();
    for step in steps {
        let (a, b) = (step.of_a(), step.of_b());
        let asked =
            [&a, &b].map(|side| side.iter().map(|s| s.asked.as_slice()).collect::<Vec<_>>());
        let mut found = differences(&asked[0], &asked[1], known_only);
        found.extend(offered::difference(&a, &b));
        for fact in found {
            let same = |d: &&mut MeasuredDifference| d.fact == fact && !d.steps.is_empty();
            match all.iter_mut().find(same) {
                Some(known) => known.steps.push(step.name.clone()),
                None => all.push(MeasuredDifference {
                    fact,
                    steps: vec![step.name.clone()],
                }),
            }
        }
    }
    all
}

/// A list of facts of each run.
fn each(runs: &[RunFigures], facts: fn(&RunFigures) -> &Vec<Fact>) -> Vec<&[Fact]> {
    runs.iter().map(|run| facts(run).as_slice()).collect()
}

/// True where the runs were made by more than one version of the program.
fn several_versions(a: &[RunFigures], b: &[RunFigures]) -> bool {
    let mut versions = a.iter().chain(b).map(|run| run.version.as_str());
    let first = versions.next();
    versions.any(|version| Some(version) != first)
}
