//! Whether the counted time had one level.

use super::{About, Answer, Check, Hit, answer, collapse, doubt};
use crate::model::{ForeignResult, Run};
use plimsoll_evidence::{Quantity, Severity};
use plimsoll_measure::steady;

const UNSTEADY: About = About {
    id: "unsteady",
    threshold: "over five equal parts the rate spans more than 20 % of its mean, or its line rises by more than 10 %",
    source: "SNIA Solid State Storage Performance Test Specification 2.0",
    remedy: "Run longer, with a longer warm-up, and show the rate over time beside the mean.",
};

const SCATTER: About = About {
    id: "samples-scatter",
    threshold: "at least 10 samples of half a second with a standard deviation of more than 30 % of their mean",
    source: "our choice; fio's undisturbed runs have 2 to 10 %",
    remedy: "Log the rate over time (write_iops_log, log_avg_msec=1000), find what came and went, and repeat.",
};

/// One level, or none.
pub const CHECK: Check = Check {
    name: "steadiness",
    rules: &[UNSTEADY, SCATTER],
    look,
};

/// Of the samples.
const MAX_SCATTER: f64 = 0.30;

fn look(result: &ForeignResult) -> Answer {
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
            doubt(&UNSTEADY, Severity::Suspect, unsteady),
            doubt(&SCATTER, Severity::Suspect, scatter),
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
