//! What the beginning does to an average, and whether the average is one of its intervals.

use super::{Check, CheckAnswer, Hit, answer, doubt};
use crate::model::{ForeignResult, Run, Tool};
use plimsoll_evidence::{Quantity, Severity};

/// The first interval and the average.
pub const CHECK: Check = Check {
    rules: &[31, 109, 524],
    look,
};

fn look(result: &ForeignResult) -> CheckAnswer {
    let (mut seen, mut counted, mut off, mut cold) = (0, Vec::new(), Vec::new(), Vec::new());
    for run in &result.runs {
        counted.extend(first(run));
        off.extend(average(run));
        seen += usize::from(run.intervals().next().is_some() || run.asked.duration_s.is_some());
        let leaves_none_out = matches!(result.tool, Tool::Fio | Tool::DiskSpd);
        // What fio was asked is known where any of it is.
        let known = run.asked.duration_s.is_some() || run.asked.block.is_some();
        if leaves_none_out && known && run.asked.warm_up_s.is_none_or(|w| w == 0.0) {
            cold.push(Hit::new(run, run.at, 1.0, []));
        }
    }
    answer(
        seen,
        "intervals, or what was asked",
        [
            doubt(109, "first-interval-counted", Severity::Suspect, counted),
            doubt(524, "average-disagrees", Severity::Suspect, off),
            doubt(31, "no-warm-up", Severity::Note, cold),
        ],
    )
}

fn first(run: &Run) -> Option<Hit<'_>> {
    let whole = run.whole()?;
    whole.covers.filter(|(first, _)| *first == 1)?;
    let rates: Vec<f64> = run.counted().iter().filter_map(|r| r.iops()).collect();
    let (first, others) = rates
        .split_first()
        .filter(|(_, others)| others.len() >= 2)?;
    let mean = others.iter().sum::<f64>() / others.len() as f64;
    ((first / mean - 1.0).abs() > 0.10).then(|| {
        Hit::new(
            run,
            whole.at,
            (first / mean - 1.0).abs(),
            [
                ("first", Quantity::PerSecond(*first)),
                ("others", Quantity::PerSecond(mean)),
            ],
        )
    })
}

fn average(run: &Run) -> Option<Hit<'_>> {
    let whole = run.whole()?;
    let (from, to) = whole.covers?;
    let average = whole.iops()?;
    let rates: Vec<f64> = run.counted().iter().filter_map(|r| r.iops()).collect();
    let expected = (to + 1).saturating_sub(from) as usize;
    if rates.len() != expected || rates.is_empty() {
        return None;
    }
    let mean = rates.iter().sum::<f64>() / rates.len() as f64;
    ((average / mean - 1.0).abs() > 0.01).then(|| {
        Hit::new(
            run,
            whole.at,
            (average / mean - 1.0).abs(),
            [
                ("average", Quantity::PerSecond(average)),
                ("intervals", Quantity::PerSecond(mean)),
            ],
        )
    })
}
