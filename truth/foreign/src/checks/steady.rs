//! Whether the counted time had one level.

use super::{Check, CheckAnswer, Hit, answer, collapse, doubt, ns};
use crate::model::{ForeignResult, Load, Row, Run, Samples, Tool};
use plimsoll_evidence::{Quantity, Severity};
use plimsoll_measure::steady;
use std::cmp::Ordering::Equal;

/// One level, or none.
pub const CHECK: Check = Check {
    rules: &[407, 411],
    look,
};

/// An interval stands still where it has less than this of the others' rate.
const STANDS: f64 = 0.1;
/// So many intervals, of which one may stand still, and a last one that may be cut off.
const SHOWS_STANDSTILL: usize = 10 + 1;
/// Of the samples.
const MAX_SCATTER: f64 = 0.30;
/// Samples swing from this share of their mean on, where the largest is this many times the smallest: the mean may stand, one sample says
/// little of the next.
const SWINGS: (f64, f64) = (0.20, 2.0);

fn look(result: &ForeignResult) -> CheckAnswer {
    let (mut seen, mut unsteady) = (0, Vec::new());
    let (mut scatter, mut deviate, mut swing) = (Vec::new(), Vec::new(), Vec::new());
    let is_told = |run: &&Run| {
        let shows = |rows: Vec<&Row>| rows.len() >= SHOWS_STANDSTILL;
        run.course().is_some_and(shows) || percentiles(run).is_some()
    };
    let told = result.runs.iter().filter(is_told).count();
    let mut unattained = Vec::new();
    let stood: Vec<Hit> = result.runs.iter().filter_map(stood_still).collect();
    let slow: Vec<Hit> = result.runs.iter().filter_map(times_of_seconds).collect();
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
                // What each of several has of a device says little of what the device does.
                Some(_) if result.began_with(run).count() > 1 => {
                    let max = s.max.map(|max| ("max", Quantity::PerSecond(max)));
                    swing.push(scattered(run, s).with(max));
                }
                Some(_) => scatter.push(scattered(run, s)),
                None => deviate.push(scattered(run, s)),
            }
        } else if let Some(s) = samples.filter(swings) {
            swing.push(scattered(run, s).with(s.max.map(|max| ("max", Quantity::PerSecond(max)))));
        }
    }
    let levels = "five counted intervals, or samples of the rate";
    let answer = answer(
        seen + told,
        levels,
        [
            doubt(407, "intervals-stood-still", Severity::Suspect, stood),
            doubt(407, "times-of-seconds", Severity::Suspect, slow),
            doubt(411, "unattained", Severity::Suspect, unattained),
            doubt(411, "unsteady", Severity::Suspect, unsteady),
            doubt(411, "samples-scatter", Severity::Suspect, scatter),
            doubt(411, "intervals-scatter", Severity::Suspect, deviate),
            doubt(411, "samples-swing", Severity::Note, swing),
        ],
    );
    answer.needing(411, seen > 0, levels).needing(
        407,
        told > 0,
        "eleven counted intervals, or percentiles",
    )
}

/// Percentiles of all I/Os.
fn percentiles(run: &Run) -> Option<&[(f64, plimsoll_plan::Nanos)]> {
    let times = &run.whole()?.all.latency.percentiles;
    (!times.is_empty()).then_some(times)
}

/// Intervals of next to no I/O among others that have their level; the last may be cut off, and a load that pauses has such.
fn stood_still(run: &Run) -> Option<Hit<'_>> {
    if matches!(run.asked.load, Some(Load::HeldBack)) {
        return None;
    }
    let rows = run.course()?;
    let (_, rows) = rows.split_last()?;
    let mut rates: Vec<f64> = rows.iter().map(|r| r.iops()).collect::<Option<_>>()?;
    rates.sort_by(f64::total_cmp);
    let median = *rates.get(rates.len() / 2)?;
    let stood = |row: &&&Row| row.iops().is_some_and(|rate| rate < STANDS * median);
    let stood: Vec<&&Row> = rows.iter().filter(stood).collect();
    let worst = stood
        .iter()
        .min_by(|a, b| a.iops().partial_cmp(&b.iops()).unwrap_or(Equal))?;
    let seconds = worst.seconds?;
    let unreported = match unreported_rate(run) {
        Some(rate) if rate < STANDS * median => run.skipped(),
        _ => 0,
    };
    // Few I/Os come as they like, and where a third of the intervals have none it's another load.
    let is_one = median * seconds >= 100.0 && stood.len() * 3 <= rows.len() && seconds >= 0.99;
    (is_one && !collapse::fell(run)).then(|| {
        let values = [
            ("stood", Quantity::Count(stood.len() as u64 + unreported)),
            ("seconds", Quantity::Seconds(seconds)),
            ("least", Quantity::PerSecond(worst.iops().unwrap_or(0.0))),
            ("others", Quantity::PerSecond(median)),
        ];
        // The one that lost most comes first.
        let lost = 1.0 - worst.iops().unwrap_or(0.0) / median;
        Hit::new(run, worst.at, stood.len() as f64 * seconds * lost, values)
    })
}

/// The mean rate of the intervals that the tool did not report: what the average has more than those that are there.
fn unreported_rate(run: &Run) -> Option<f64> {
    let (rows, skipped) = (run.course()?, run.skipped());
    let there: f64 = rows.iter().map(|r| r.iops()).sum::<Option<f64>>()?;
    let all = run.whole()?.iops()? * (rows.len() as f64 + skipped as f64);
    (skipped > 0).then(|| (all - there) / skipped as f64)
}

/// I/Os of seconds that have a good part of the mean, among others that take next to no time.
fn times_of_seconds(run: &Run) -> Option<Hit<'_>> {
    let row = run.whole()?;
    let (mean, ios) = (row.mean_ns()?, row.all.ios?);
    let times = percentiles(run)?;
    // What is longer than the run is wrong, and said elsewhere.
    let length_ns = run.counted_s()? * 1e9;
    let median = times.iter().find(|(q, _)| *q == 0.5)?.1.0 as f64;
    let long = |(q, time): &(f64, plimsoll_plan::Nanos)| {
        let time = time.0 as f64;
        let share = (1.0 - q) * time / mean;
        ((1e9..length_ns).contains(&time) && time >= 100.0 * median && (0.1..=1.0).contains(&share))
            .then_some((*q, time, share))
    };
    let first = times
        .iter()
        .filter_map(long)
        .min_by(|a, b| a.0.total_cmp(&b.0));
    // What a cache does not hold takes long more often.
    let (q, time, share) = first.filter(|(q, ..)| *q >= 0.99)?;
    let values = [
        (
            "ios",
            Quantity::Count(((1.0 - q) * ios as f64).round() as u64),
        ),
        ("time", ns(time)),
        ("median", ns(median)),
        ("share", Quantity::Share(share)),
        ("mean", ns(mean)),
    ];
    Some(Hit::new(run, row.at, share, values))
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

/// True where the rate of a run went up and down by its own samples, though around one level.
fn swings(s: &Samples) -> bool {
    let ends = s.min.zip(s.max);
    s.sd >= SWINGS.0 * s.mean && ends.is_some_and(|(min, max)| max >= SWINGS.1 * min)
}

/// True where samples are of all the time: fio takes none of a half second without an I/O.
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
