//! Items of the shelf: the facts and figures that it keeps of each record.

use plimsoll_live::{Limit, asked_limits};
use plimsoll_printable::printable;
use plimsoll_record::compare::{Fact, Metric, RunFigures, StepFigures};
use plimsoll_record::{Record, RecordError};
use plimsoll_report::catalogue::Entry;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::path::Path;

/// Steps of a record that are kept; a curve has fewer.
const STEPS: usize = 64;

/// A record, as it is listed, searched and followed.
#[derive(Debug, Clone)]
pub(crate) struct Item {
    pub entry: Entry,
    /// Name of the test: the title, else the method and its targets.
    pub test: String,
    pub started_unix_ns: i64,
    pub steps: Vec<Step>,
}

/// Figures of a step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Step {
    pub name: String,
    /// Fingerprint of what was asked of it: only steps of one fingerprint are held against each other, as `compare` does.
    pub asked: String,
    /// True where it was ended early, or a rule found it or its run invalid.
    pub discounted: bool,
    /// Mean and half of the 95 % interval, by the metric's name.
    pub values: BTreeMap<String, (f64, Option<f64>)>,
    /// Limits of response time that were asked of it, ns, by the metric's name.
    pub limits: BTreeMap<String, f64>,
}

impl Item {
    pub(crate) fn of(record: &Record) -> Result<Self, RecordError> {
        let (entry, run) = (Entry::of(record)?, RunFigures::of(record)?);
        let title = entry.title.as_deref().map(str::trim);
        let test = match title.filter(|t| !t.is_empty()) {
            Some(title) => title.to_owned(),
            None => format!("{} of {}", entry.method, entry.targets.join(", ")),
        };
        let asked = asked_limits(record.plan_json());
        let step = |step: &StepFigures| Step {
            name: step.name.clone(),
            asked: fingerprint(&run.measured, step),
            discounted: run.invalid || step.invalid || step.cut_short,
            values: values(step),
            limits: limits(&asked, &step.name),
        };
        let steps = run.steps.iter().take(STEPS).map(step).collect();
        Ok(Item {
            entry,
            test,
            started_unix_ns: run.started_unix_ns,
            steps,
        })
    }
}

fn values(step: &StepFigures) -> BTreeMap<String, (f64, Option<f64>)> {
    let known = |(metric, estimate): (&Metric, &plimsoll_evidence::Estimate)| {
        let half = estimate.half_width.filter(|half| half.is_finite());
        (metric.name().to_owned(), (estimate.mean, half))
    };
    step.values.iter().map(known).collect()
}

/// The limits of a step, the tightest of each metric. A step is called after its run: after `a_b` rather than after `a`.
fn limits(asked: &[(String, Vec<Limit>)], step: &str) -> BTreeMap<String, f64> {
    let is_of = |run: &str| {
        step.strip_prefix(run)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('_'))
    };
    let runs = asked.iter().filter(|(run, _)| is_of(run));
    let Some(longest) = runs.clone().map(|(run, _)| run.len()).max() else {
        return BTreeMap::new();
    };
    let mut limits = BTreeMap::new();
    let own = runs.filter(|(run, _)| run.len() == longest);
    for limit in own.flat_map(|(_, limits)| limits) {
        let name = match limit.statistic.as_str() {
            "mean" => Metric::ResponseMean.name(),
            other => other,
        };
        let ns = limit.us * 1e3;
        let tightest = limits.entry(name.to_owned()).or_insert(ns);
        *tightest = ns.min(*tightest);
    }
    limits
}

fn fingerprint(measured: &[Fact], step: &StepFigures) -> String {
    let mut digest = Sha256::new();
    for fact in measured.iter().chain(&step.asked) {
        for part in [&fact.name, &fact.exact] {
            digest.update(part.len().to_le_bytes());
            digest.update(part);
        }
    }
    for rate in &step.offered {
        digest.update(rate.to_le_bytes());
    }
    hex(&digest.finalize(), 8)
}

/// The name of a record in addresses: of its path below the folder, so that it outlives the index.
pub(crate) fn id(path: &Path) -> String {
    hex(&Sha256::digest(path.as_os_str().as_encoded_bytes()), 12)
}

pub(crate) fn hex(bytes: &[u8], most: usize) -> String {
    let shown = bytes.iter().take(most);
    shown.map(|byte| format!("{byte:02x}")).collect()
}

/// A path for people.
pub(crate) fn shown(path: &Path) -> String {
    printable(&path.display().to_string()).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_has_the_tightest_limits_of_the_run_it_is_called_after() {
        let limit = |statistic: &str, us: f64| Limit {
            statistic: statistic.to_owned(),
            us,
            asked: true,
        };
        let asked = [
            (
                "a".to_owned(),
                vec![limit("p99", 900.0), limit("mean", 500.0)],
            ),
            ("a".to_owned(), vec![limit("p99", 700.0)]),
            ("a_b".to_owned(), vec![]),
        ];
        let of = |step: &str| limits(&asked, step);
        let own = BTreeMap::from([("p99", 7e5), (Metric::ResponseMean.name(), 5e5)]);
        let own: BTreeMap<String, f64> = own.into_iter().map(|(k, v)| (k.to_owned(), v)).collect();
        assert_eq!(of("a"), own);
        assert_eq!(of("a_100"), own);
        for none in ["a_b", "a_b_100", "ab", "c"] {
            assert_eq!(of(none), BTreeMap::new(), "{none}");
        }
    }
}
