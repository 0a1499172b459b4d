//! Whether the counted time had one level.

use super::{Check, CheckAnswer, Hit, answer, collapse, doubt};
use crate::model::{ForeignResult, Row, Run, Samples, Tool};
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
    let (mut seen, mut unsteady, mut scatter, mut deviate) =
        (0, Vec::new(), Vec::new(), Vec::new());
    let mut unattained = Vec::new();
    for run in &result.runs {
        let fifths = fifths(run);
        let samples = run.whole().and_then(|r| r.samples);
        // Those of several jobs that fio reports as one are each of one job.
        let of_all = result.tool != Tool::Fio || run.asked.threads == Some(1);
        let samples = samples.filter(|s| s.count >= 10 && of_all && are_of_all(s, run));
        seen += usize::from(fifths.is_some() || samples.is_some());
        let row = run
            .whole()
            .and_then(|r| Some((r.at, r.unattained.clone()?)));
        if let Some((at, said)) = row {
            seen += 1;
            let values = [
                ("tool", Quantity::Text(result.tool.name().into())),
                ("said", Quantity::Text(said)),
            ];
            unattained.push(Hit::new(run, at, 1.0, values));
            continue;
        }
        // A collapse is worse and says the same.
        if collapse::fell(run) {
            continue;
        }
        let place = run.whole().map_or(run.at, |r| r.at);
        let window = fifths.and_then(|f| Some((steady::snia_window(&f)?, chance(run, &f))));
        if let Some((window, _)) = window.filter(|(w, chance)| !w.steady && w.range > *chance) {
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
            match s.min {
                Some(_) => scatter.push(scattered(run, s)),
                None => deviate.push(scattered(run, s)),
            }
        }
    }
    answer(
        seen,
        "five counted intervals, or samples of the rate",
        [
            doubt(411, "unattained", Severity::Suspect, unattained),
            doubt(411, "unsteady", Severity::Suspect, unsteady),
            doubt(411, "samples-scatter", Severity::Suspect, scatter),
            doubt(411, "intervals-scatter", Severity::Suspect, deviate),
        ],
    )
}

fn scattered(run: &Run, s: Samples) -> Hit<'_> {
    let place = run.whole().map_or(run.at, |r| r.at);
    let values = [
        ("scatter", Quantity::Share(s.sd / s.mean)),
        ("mean", Quantity::PerSecond(s.mean)),
    ];
    let min = s.min.map(|min| ("min", Quantity::PerSecond(min)));
    Hit::new(run, place, s.sd / s.mean, values.into_iter().chain(min))
}

/// Whether samples are of all the time: fio takes none of a half second without an I/O.
fn are_of_all(samples: &Samples, run: &Run) -> bool {
    let rate = run.whole().and_then(Row::iops);
    rate.is_none_or(|rate| (samples.mean - rate).abs() <= 0.2 * rate)
}

/// Share of their mean that counts of so many I/Os in each of five parts may lie apart by chance alone: five standard deviations of a count
/// at random gaps, which more than 99 of 100 stay within.
fn chance(run: &Run, fifths: &[f64]) -> f64 {
    let seconds: Option<f64> = run.counted().iter().map(|r| r.seconds).sum();
    let ios = fifths.iter().sum::<f64>() / 5.0 * seconds.unwrap_or(f64::INFINITY) / 5.0;
    5.0 / ios.max(1.0).sqrt()
}

/// Means of five equal parts of the counted intervals.
fn fifths(run: &Run) -> Option<Vec<f64>> {
    let rates: Option<Vec<f64>> = run.course()?.iter().map(|r| r.iops()).collect();
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
