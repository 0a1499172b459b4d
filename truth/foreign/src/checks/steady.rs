//! Whether the counted time had one level.

use super::{Check, CheckAnswer, Hit, answer, collapse, doubt};
use crate::model::{ForeignResult, Run};
use plimsoll_evidence::{Quantity, Severity};
use plimsoll_measure::steady;

/// One level, or none.
pub const CHECK: Check = Check {
    rules: &[411],
    look,
};

/// Of the samples.
const MAX_SCATTER: f64 = 0.30;

fn look(result: &ForeignResult) -> CheckAnswer {
    let (mut seen, mut unsteady, mut scatter) = (0, Vec::new(), Vec::new());
    for run in &result.runs {
        let fifths = fifths(run);
        let samples = run
            .whole()
            .and_then(|r| r.samples)
            .filter(|s| s.count >= 10);
        seen += usize::from(fifths.is_some() || samples.is_some());
        // A collapse is worse and says the same.
        if collapse::fell(run) {
            continue;
        }
        let place = run.whole().map_or(run.at, |r| r.at);
        if let Some(window) = fifths
            .and_then(|f| steady::snia_window(&f))
            .filter(|w| !w.steady)
        {
            unsteady.push(Hit::new(
                run,
                place,
                window.range,
                [
                    ("range", Quantity::Share(window.range)),
                    ("rise", Quantity::Share(window.rise)),
                ],
            ));
        } else if let Some(s) = samples.filter(|s| s.sd > MAX_SCATTER * s.mean) {
            scatter.push(Hit::new(
                run,
                place,
                s.sd / s.mean,
                [
                    ("scatter", Quantity::Share(s.sd / s.mean)),
                    ("mean", Quantity::PerSecond(s.mean)),
                    ("min", Quantity::PerSecond(s.min)),
                ],
            ));
        }
    }
    answer(
        seen,
        "five counted intervals, or samples of the rate",
        [
            doubt(411, "unsteady", Severity::Suspect, unsteady),
            doubt(411, "samples-scatter", Severity::Suspect, scatter),
        ],
    )
}

/// Means of five equal parts of the counted intervals.
fn fifths(run: &Run) -> Option<Vec<f64>> {
    let rates: Option<Vec<f64>> = run.counted().iter().map(|r| r.iops()).collect();
    let rates = rates.filter(|r| r.len() >= steady::WINDOW_ROUNDS)?;
    let width = rates.len() / steady::WINDOW_ROUNDS;
    // What doesn't divide is left out at the beginning.
    let start = rates.len() - width * steady::WINDOW_ROUNDS;
    let parts = rates[start..].chunks_exact(width);
    Some(
        parts
            .map(|p| p.iter().sum::<f64>() / width as f64)
            .collect(),
    )
}
