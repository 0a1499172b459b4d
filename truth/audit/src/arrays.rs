//! What arrays told, as the rules look for it.

use crate::{Answer, RunView};
use plimsoll_evidence::{ArrayEvidence, Bucket, StepEvidence, shares};

/// The arrays of the measured steps; else why there is nothing to look at.
pub fn of<'a>(view: &RunView<'a>) -> Result<Vec<(&'a StepEvidence, &'a ArrayEvidence)>, Answer> {
    let all = view
        .measured()
        .flat_map(|s| s.arrays.iter().map(move |a| (s, a)));
    let all: Vec<_> = all.collect();
    let real = view.environment.targets.iter().any(|t| t.kind != "null");
    match (all.is_empty(), real) {
        (false, _) => Ok(all),
        (true, false) => Err(Answer::NotApplicable),
        (true, true) => Err(Answer::NotObservable(
            "the array's own counters: the targets tell nothing of themselves",
        )),
    }
}

/// The share of chunks that were at any of these places.
pub fn share(buckets: &[Bucket], places: &[&str]) -> f64 {
    let found = shares(buckets).into_iter();
    found
        .filter(|(place, _)| places.contains(place))
        .map(|(_, share)| share)
        .sum()
}

#[cfg(test)]
pub fn buckets(list: &[(&str, u64)]) -> Vec<Bucket> {
    let bucket = |(place, chunks): &(&str, u64)| Bucket {
        place: (*place).into(),
        chunks: *chunks,
    };
    list.iter().map(bucket).collect()
}

/// Puts an array below the sound run, and changes it.
#[cfg(test)]
pub fn with(o: &mut crate::known::Observed, change: impl FnOnce(&mut ArrayEvidence)) {
    let mut array = ArrayEvidence {
        name: "array".into(),
        observed_s: 600.0,
        ..ArrayEvidence::default()
    };
    change(&mut array);
    o.step().arrays = vec![array];
}
