//! A rate that falls within a run and stays down, or in its warm-up, or from one run to the next that asks for more.

use super::{Check, CheckAnswer, Hit, answer, doubt};
use crate::model::{CpuOf, ForeignResult, Load, Row, Run};
use plimsoll_evidence::{Quantity, Severity};
use plimsoll_measure::{Collapse, collapse, fell_before, shows_collapse};

/// Falls within and between runs.
pub const CHECK: Check = Check {
    rules: &[108, 152, 532],
    look,
};

const NEEDS: &str = "at least four counted intervals, 6 s in all";

fn look(result: &ForeignResult) -> CheckAnswer {
    let within: Vec<Hit> = result.runs.iter().filter_map(fallen).collect();
    let seen = result.runs.iter().filter(|run| shows_it(run)).count();
    let between: Vec<Option<super::Doubt>> = result
        .runs
        .windows(2)
        .filter_map(|pair| less(&pair[0], &pair[1]))
        .take(5)
        .map(between)
        .collect();
    let before: Vec<Hit> = result.runs.iter().filter_map(fell_in_warm_up).collect();
    let looked = seen + between.len() + before.len();
    let mut doubts = between;
    doubts.push(doubt(152, "fell-in-warm-up", Severity::Invalid, before));
    doubts.insert(0, doubt(108, "collapse", Severity::Invalid, within));
    let warmed = |run: &Run| {
        let first = run
            .whole()
            .and_then(|w| w.covers)
            .map_or(0, |(first, _)| first);
        run.intervals().any(|(n, _)| n < first)
    };
    let several = result.runs.len() > 1;
    answer(looked, NEEDS, doubts)
        .needing(108, seen > 0, NEEDS)
        .needing(
            152,
            result.runs.iter().any(warmed),
            "the intervals of the warm-up",
        )
        .needing(532, several, "two runs with different depths")
}

/// True where a run's rate collapsed.
pub(super) fn fell(run: &Run) -> bool {
    fallen(run).is_some()
}

/// Length of an interval, seconds; infinite where the tool doesn't say, so that it counts as long enough.
fn length(row: &Row) -> f64 {
    row.seconds.unwrap_or(f64::INFINITY)
}

fn shows_it(run: &Run) -> bool {
    let lengths: Option<Vec<f64>> = run.course().map(|c| c.into_iter().map(length).collect());
    lengths.is_some_and(|lengths| shows_collapse(&lengths))
}

fn fallen(run: &Run) -> Option<Hit<'_>> {
    let rows = run.course()?;
    let rated = rows.iter().map(|r| Some((r.iops()?, length(r))));
    let Collapse { at, before, after } = collapse(&rated.collect::<Option<Vec<_>>>()?)?;
    let fall = 1.0 - after / before;
    let mut values = vec![
        ("from", Quantity::PerSecond(before)),
        ("to", Quantity::PerSecond(after)),
        ("fall", Quantity::Share(fall)),
    ];
    let mean = run.whole().and_then(Row::iops);
    values.extend(mean.map(|m| ("mean_rate", Quantity::PerSecond(m))));
    // Intervals that came near it on the way, or scattered so far.
    let near = |m: f64| {
        rows.iter()
            .filter_map(|r| r.iops())
            .filter(move |r| (r - m).abs() <= 0.05 * m)
    };
    values.extend(mean.map(|m| ("near", Quantity::Count(near(m).count() as u64))));
    values.extend(unchanged(&rows));
    values.extend(run.mix().map(|share| ("reads", Quantity::Share(share))));
    Some(Hit::new(run, rows[at].at, fall, values))
}

/// A fall before the counted time, of a load that nothing else held back.
fn fell_in_warm_up(run: &Run) -> Option<Hit<'_>> {
    if !matches!(run.asked.load, Some(Load::Max | Load::CurveMax)) {
        return None;
    }
    let (first, _) = run.whole()?.covers?;
    let warm_up = run.intervals().filter(|(n, _)| *n < first);
    let rated: Option<Vec<(f64, f64)>> = warm_up
        .map(|(_, row)| Some((row.iops()?, row.seconds?)))
        .collect();
    let counted: Vec<f64> = run.counted().iter().filter_map(|r| r.iops()).collect();
    let (before, after) = fell_before(&rated?, &counted)?;
    let values = [
        ("before", Quantity::PerSecond(before)),
        ("after", Quantity::PerSecond(after)),
    ];
    Some(Hit::new(run, run.at, before / after.max(1.0), values))
}

/// The depth, where it stayed the same, and the most that the host's CPUs were busy, where that was little.
fn unchanged(rows: &[&Row]) -> Vec<(&'static str, Quantity)> {
    let depths: Option<Vec<f64>> = rows.iter().map(|r| r.queue_depth).collect();
    let depth = depths.and_then(|d| {
        let (low, high) = d
            .iter()
            .fold((f64::MAX, 0.0_f64), |(l, h), v| (l.min(*v), h.max(*v)));
        (high > 0.0 && low >= 0.9 * high).then(|| d.iter().sum::<f64>() / d.len() as f64)
    });
    let busy: Option<Vec<f64>> = rows
        .iter()
        .map(|r| r.cpu.filter(|c| c.of == CpuOf::Host).map(|c| c.busy))
        .collect();
    let busy = busy
        .map(|b| b.into_iter().fold(0.0, f64::max))
        .filter(|b| *b < 0.5);
    let depth = depth.map(|d| ("in_flight", Quantity::Number(d)));
    let busy = busy.map(|b| ("cpu", Quantity::Share(b)));
    depth.into_iter().chain(busy).collect()
}

type Pair<'r> = (&'r Run, &'r Run, [(&'static str, Quantity); 5]);

/// Two neighbouring runs of the same load with more depth and a lower rate.
fn less<'r>(more: &'r Run, less: &'r Run) -> Option<Pair<'r>> {
    let depth = |r: &Run| r.asked.in_flight.or(r.asked.depth).map(|d| d as f64);
    let free = |r: &Run| matches!(r.asked.load, Some(Load::Max) | None);
    let same = more.asked.block == less.asked.block
        && more.asked.read_share == less.asked.read_share
        && more.asked.random == less.asked.random
        && more.asked.places == less.asked.places;
    // More jobs in order are more streams, which are another load for what has one place at a time.
    let streams = more.asked.random == Some(true) || more.asked.threads == less.asked.threads;
    let (d1, d2) = (depth(more)?, depth(less)?);
    let (r1, r2) = (more.whole()?.iops()?, less.whole()?.iops()?);
    (same && streams && free(more) && free(less) && d2 >= 1.2 * d1 && r2 < 0.7 * r1).then(|| {
        (
            more,
            less,
            [
                ("depth", Quantity::Number(d1)),
                ("rate", Quantity::PerSecond(r1)),
                ("less_depth", Quantity::Number(d2)),
                ("less_rate", Quantity::PerSecond(r2)),
                ("fall", Quantity::Share(1.0 - r2 / r1)),
            ],
        )
    })
}

fn between((more, less, values): Pair) -> Option<super::Doubt> {
    let place = |run: &Run| run.whole().map_or(run.at, |r| r.at);
    doubt(
        532,
        "less-with-more-depth",
        Severity::Suspect,
        vec![
            Hit::new(more, place(more), 1.0, values),
            Hit::new(less, place(less), 0.0, []),
        ],
    )
}
