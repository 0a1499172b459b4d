//! Rates and times that a limit sets: a provider's, a hypervisor's, or one that was asked for.

use super::{Check, CheckAnswer, Hit, answer, doubt, ns};
use crate::model::{ForeignResult, Load, Row, Run, Side};
use plimsoll_evidence::{Quantity, Severity};

/// Times without a width, and rates that do not depend on what is done.
pub const CHECK: Check = Check {
    rules: &[116],
    look,
};

/// I/Os in flight, and the mean time from which on storage at random addresses scatters, ns.
const DEEP: f64 = 8.0;
const WAITS_NS: f64 = 1e6;
/// By how much of it the 99th percentile is above the first where a limit sets both.
const WIDTH: f64 = 0.05;
/// Digits that such times need: so many of their smallest unit.
const UNITS: f64 = 50.0;
/// By how much of them the rates of reads and of writes differ where a limit sets both.
const SAME: f64 = 0.001;
/// Pairs of runs among which that is no chance.
const FEW: usize = 4;
/// Rate from which on that is no chance of few digits, and the least time for it, s.
const MANY: f64 = 1000.0;
const LONG_S: f64 = 30.0;

fn look(result: &ForeignResult) -> CheckAnswer {
    let free = |run: &&Run| matches!(run.asked.load, None | Some(Load::Max | Load::CurveMax));
    let runs: Vec<(&Run, &Row)> = result
        .runs
        .iter()
        .filter(free)
        .filter_map(|run| Some((run, run.whole()?)))
        .collect();
    let times = runs
        .iter()
        .filter_map(|(run, row)| Some((run, row, ends(run, row)?)));
    let times: Vec<_> = times.collect();
    let narrow = times
        .iter()
        .filter_map(|(run, row, ends)| narrow(run, row, *ends));
    let narrow: Vec<Hit> = narrow.collect();
    let does = |side: &Side| side.iops.is_some_and(|rate| rate.0 > 0.0);
    let [reads, writes] = [true, false].map(|reads| {
        let is_one = |row: &Row| does(&row.reads) != does(&row.writes) && row.trims.is_empty();
        let of = runs
            .iter()
            .filter(move |(_, row)| is_one(row) && does(&row.reads) == reads);
        of.filter_map(|(run, row)| Some((*run, lasting(row)?)))
            .collect::<Vec<_>>()
    });
    let is_alike = |rate: f64, other: f64| (rate - other).abs() <= SAME * rate;
    // Among many runs some are alike by chance.
    let is_few = reads.len() * writes.len() <= FEW;
    let alike = reads.iter().filter(|(run, rate)| {
        let mut others = writes.iter();
        let together = |other: &Run| result.began_with(run).any(|run| std::ptr::eq(run, other));
        others.any(|(other, of_writes)| is_few && is_alike(*rate, *of_writes) && !together(other))
    });
    let alike = alike.map(|(run, rate)| {
        let at = run.whole().map_or(run.at, |row| row.at);
        Hit::new(run, at, *rate, [("rate", Quantity::PerSecond(*rate))])
    });
    answer(
        times.len() + reads.len().min(writes.len()),
        "percentiles at random addresses, or reads and writes each by themselves",
        [
            doubt(116, "times-of-a-limit", Severity::Note, narrow),
            doubt(116, "rates-of-a-limit", Severity::Note, alike.collect()),
        ],
    )
}

/// The rate of a run that was long and quick enough to be told from another one.
fn lasting(row: &Row) -> Option<f64> {
    let is_long = row.seconds.is_some_and(|seconds| seconds >= LONG_S);
    row.iops().filter(|rate| is_long && *rate >= MANY)
}

/// The first and the 99th percentile of the times at random addresses, ns, where their digits tell them apart.
fn ends(run: &Run, row: &Row) -> Option<(f64, f64)> {
    let times = row.all.completion.as_ref().unwrap_or(&row.all.latency);
    let at = |wanted: f64| {
        let mut all = times.percentiles.iter();
        all.find(|(quantile, _)| (quantile - wanted).abs() < 1e-9)
            .map(|(_, time)| time.0 as f64)
    };
    let (least, most) = (at(0.01)?, at(0.99)?);
    let is_told = least >= UNITS * times.rounding() && most >= least;
    (run.asked.random == Some(true) && is_told).then_some((least, most))
}

fn narrow<'r>(run: &'r Run, row: &Row, (least, most): (f64, f64)) -> Option<Hit<'r>> {
    let (rate, in_flight) = (row.iops()?, row.in_flight()?);
    let width = most / least - 1.0;
    (width <= WIDTH && in_flight >= DEEP && least >= WAITS_NS).then(|| {
        let values = [
            ("few", ns(least)),
            ("most", ns(most)),
            ("in_flight", Quantity::Number(in_flight)),
            ("rate", Quantity::PerSecond(rate)),
        ];
        Hit::new(run, row.at, 1.0 / (width + 1e-3), values)
    })
}
