//! Items of the shelf: the facts and figures that it keeps of each record.

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
        let step = |step: &StepFigures| Step {
            name: step.name.clone(),
            asked: fingerprint(&run.measured, step),
            discounted: run.invalid || step.invalid || step.cut_short,
            values: values(step),
            limits: step
                .limits
                .iter()
                .map(|(metric, ns)| (metric.name().to_owned(), *ns))
                .collect(),
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
