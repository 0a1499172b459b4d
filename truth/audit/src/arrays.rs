//! What arrays told, as the rules look for it.

use crate::{
    NoAnswer, NotApplicable, NotObservable, RuleAnswer, RuleFinding, RunView, clean_unless,
    findings,
};
use plimsoll_evidence::{ArrayEvidence, Bucket, StepEvidence, shares};
use plimsoll_measure::Op;

/// The arrays of the steps that are results; else why there is nothing to look at.
pub fn of<'a>(view: &RunView<'a>) -> Result<Vec<(&'a StepEvidence, &'a ArrayEvidence)>, NoAnswer> {
    match view.results().next().is_none() && view.measured().next().is_some() {
        true => Err(NotApplicable),
        false => among(view, view.results()),
    }
}

fn among<'a>(
    view: &RunView<'a>,
    steps: impl Iterator<Item = &'a StepEvidence>,
) -> Result<Vec<(&'a StepEvidence, &'a ArrayEvidence)>, NoAnswer> {
    let all = steps.flat_map(|s| s.arrays.iter().map(move |a| (s, a)));
    let all: Vec<_> = all.collect();
    let real = view.environment.targets.iter().any(|t| t.kind != "null");
    match (all.is_empty(), real) {
        (false, _) => Ok(all),
        (true, false) => Err(NotApplicable),
        (true, true) => Err(NotObservable(
            "the array's own counters: no metrics endpoint was named, or it told nothing",
        )),
    }
}

/// The arrays that tell something of this; else why there is nothing to look at: a simulated array tells all that it has, and
/// of a real one nobody knows whether it has `what`.
pub fn telling<'a>(
    view: &RunView<'a>,
    what: &'static str,
    tells: impl Fn(&ArrayEvidence) -> bool,
) -> Result<Vec<(&'a StepEvidence, &'a ArrayEvidence)>, NoAnswer> {
    telling_among(of(view)?, what, tells)
}

/// Arrays of all measured steps, probes too, that tell something of this.
pub fn telling_ever<'a>(
    view: &RunView<'a>,
    what: &'static str,
    tells: impl Fn(&ArrayEvidence) -> bool,
) -> Result<Vec<(&'a StepEvidence, &'a ArrayEvidence)>, NoAnswer> {
    telling_among(among(view, view.measured())?, what, tells)
}

fn telling_among<'a>(
    all: Vec<(&'a StepEvidence, &'a ArrayEvidence)>,
    what: &'static str,
    tells: impl Fn(&ArrayEvidence) -> bool,
) -> Result<Vec<(&'a StepEvidence, &'a ArrayEvidence)>, NoAnswer> {
    let silent = all.iter().any(|(_, a)| a.scale.is_none() && !tells(a));
    let reported: Vec<_> = all.into_iter().filter(|(_, a)| tells(a)).collect();
    match (reported.is_empty(), silent) {
        (false, _) => Ok(reported),
        (true, true) => Err(NotObservable(what)),
        (true, false) => Err(NotApplicable),
    }
}

/// An answer from the places of reads or writes. Where a real array was asked for some and did not say what became of them, it
/// may have been anything, so that is never clean.
pub fn of_places(
    view: &RunView<'_>,
    ops: &[Op],
    seen: impl Iterator<Item = RuleFinding>,
) -> RuleAnswer {
    let untold = |(step, array): (&StepEvidence, &ArrayEvidence)| {
        let silent = |op: &Op| match op {
            Op::Read => array.read_source.is_empty(),
            _ => array.write_destination.is_empty(),
        };
        let did = |op: &&Op| step.ops.iter().any(|o| o.op == **op && o.ios > 0);
        array.scale.is_none() && ops.iter().filter(did).any(silent)
    };
    let all = of(view).unwrap_or_default();
    clean_unless(
        findings(seen),
        all.into_iter().any(untold),
        "where the array found what was read and put what was written: it does not tell",
    )
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
