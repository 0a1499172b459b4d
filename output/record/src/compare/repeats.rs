//! Which runs are repeats of each other: made again, and not the same one again.

use super::RunFigures;

/// True for two records of one run: no two runs begin in the same nanosecond. Repeats inside a record are runs.
pub(super) fn is_one_run(one: &RunFigures, other: &RunFigures) -> bool {
    one.started_unix_ns == other.started_unix_ns && one.repeat == other.repeat
}

/// True for two runs in virtual time that could only come out the same: one plan, one seed, one array. The host they ran on is
/// not looked at, for it decides nothing there. Another version may have another model of the array: then it is one run where
/// its figures are the same as well.
pub(super) fn is_replay(one: &RunFigures, other: &RunFigures) -> bool {
    let asked = |run: &RunFigures| -> Vec<_> {
        let steps = run.steps.iter();
        steps
            .map(|s| (s.asked.clone(), s.offered.clone()))
            .collect()
    };
    let of_targets = |run: &RunFigures| -> Vec<_> {
        let facts = run.facts.iter();
        facts
            .filter(|fact| fact.name.starts_with("target "))
            .cloned()
            .collect()
    };
    let values =
        |run: &RunFigures| -> Vec<_> { run.steps.iter().map(|s| s.values.clone()).collect() };
    one.simulated
        && other.simulated
        && one.seed == other.seed
        // Further repeats go on with other draws.
        && one.repeat.unwrap_or(1) == other.repeat.unwrap_or(1)
        && of_targets(one) == of_targets(other)
        && one.measured == other.measured
        && asked(one) == asked(other)
        && (one.version == other.version || values(one) == values(other))
}

/// The runs of a side, each once, and a sentence on each record that came again.
pub(super) fn distinct(runs: &[RunFigures]) -> (Vec<RunFigures>, Vec<String>) {
    let mut once: Vec<RunFigures> = Vec::new();
    let mut again: Vec<String> = Vec::new();
    for run in runs {
        let text = if once.iter().any(|other| is_one_run(run, other)) {
            format!(
                "{} is a run that is given twice; it counts once.",
                run.label
            )
        } else if let Some(other) = once.iter().find(|other| is_replay(run, other)) {
            format!(
                "{} is the same simulated run as {}, with the same seed ({}); it is no repeat and does not count.",
                run.label, other.label, run.seed
            )
        } else {
            once.push(run.clone());
            continue;
        };
        if !again.contains(&text) {
            again.push(text);
        }
    }
    (once, again)
}

/// Records of a side by name; of one that holds repeats how many: `a.plim (5 repeats)`.
pub(super) fn records(runs: &[RunFigures]) -> Vec<String> {
    let of = |sitting: &[RunFigures]| match sitting {
        [run] => run.name(),
        many => format!("{} ({} repeats)", many[0].label, many.len()),
    };
    runs.chunk_by(is_one_sitting).map(of).collect()
}

/// A sentence on a side in which one sitting counts as often as it has repeats, beside other runs.
pub(super) fn weights(side: char, runs: &[RunFigures]) -> Option<String> {
    let sittings = runs.chunk_by(is_one_sitting);
    let largest = sittings.max_by_key(|sitting| sitting.len())?;
    let (largest_count, all) = (largest.len(), runs.len());
    (largest_count > 1 && largest_count < all).then(|| {
        format!(
            "{} counts {largest_count} times among the {all} runs of {side}: repeats of one sitting are more alike than runs of several.",
            largest[0].label
        )
    })
}

fn is_one_sitting(one: &RunFigures, next: &RunFigures) -> bool {
    one.label == next.label && one.repeat.is_some() && next.repeat.is_some()
}
