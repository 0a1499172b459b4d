//! The rates that open loops were asked for. What an open loop reaches is mostly what it was asked for.

use super::{FactDifference, Metric, StepFigures};

/// Rates that lie apart by less than this part are the same load.
const ALIKE: f64 = 0.001;

/// True where all runs were asked for the same rates; closed loops are asked for none.
pub(super) fn is_alike(a: &[&StepFigures], b: &[&StepFigures]) -> bool {
    let mut all = a.iter().chain(b).map(|step| &step.offered);
    let Some(first) = all.next() else {
        return true;
    };
    all.all(|rates| {
        rates.len() == first.len()
            && rates
                .iter()
                .zip(first)
                .all(|(x, y)| (x - y).abs() <= ALIKE * x.abs().max(y.abs()))
    })
}

/// The offered rates, where they differ.
pub(super) fn difference(a: &[&StepFigures], b: &[&StepFigures]) -> Option<FactDifference> {
    (!is_alike(a, b)).then(|| FactDifference {
        name: "offered rate".into(),
        a: shown(a),
        b: shown(b),
    })
}

fn shown(side: &[&StepFigures]) -> Vec<String> {
    let mut all: Vec<&Vec<f64>> = side.iter().map(|step| &step.offered).collect();
    all.sort_by(|x, y| x.partial_cmp(y).unwrap_or(std::cmp::Ordering::Equal));
    let mut words: Vec<String> = all
        .into_iter()
        .map(|rates| match rates.as_slice() {
            [] => "none (a closed loop)".to_string(),
            rates => {
                let rates: Vec<String> = rates.iter().map(|r| Metric::Iops.show(*r)).collect();
                format!("{}/s", rates.join(" + "))
            }
        })
        .collect();
    words.dedup();
    words
}
