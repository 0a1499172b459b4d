//! Figures that an independent count shows to be false. What rests on one of them would blame sound ones, so the other checks do not
//! see it.

use super::{agree, first_interval, percentiles};
use crate::model::{ForeignResult, Row, Run, Tool};
use plimsoll_plan::{Bytes, Nanos, Rate};

/// By how much of it a rate may be off its count.
const APART: f64 = 0.05;

/// A result whose averages are those of the intervals that they cover, where the two disagree.
pub(super) fn by_intervals(result: &ForeignResult) -> ForeignResult {
    let mut corrected = result.clone();
    for (run, printed) in corrected.runs.iter_mut().zip(&result.runs) {
        let truth = first_interval::intervals(printed);
        let Some(truth) = truth.filter(|_| !first_interval::disagreements(printed).is_empty())
        else {
            continue;
        };
        let Some(row) = run.whole_mut() else { continue };
        row.all.iops = Some(Rate(truth.rate));
        row.all.latency.mean = truth.mean_ns.map(|ns| Nanos(ns.round() as u64));
        row.all.latency.max = truth.longest_ns.map(|ns| Nanos(ns as u64));
        row.bandwidth = truth.bandwidth.map(|bytes| Bytes(bytes as u64));
        row.reads.iops = truth.reads.map(|share| Rate(truth.rate * share));
        row.writes.iops = truth.reads.map(|share| Rate(truth.rate * (1.0 - share)));
        row.pairs.clear();
    }
    corrected
}

/// A result without the rates and the mean times that are false.
pub(super) fn without_false(result: &ForeignResult) -> ForeignResult {
    let mut believed = result.clone();
    for (run, printed) in believed.runs.iter_mut().zip(&result.runs) {
        let Some(row) = printed.whole() else { continue };
        let rate = has_false_rate(result.tool, printed, row);
        let mean = percentiles::mean_is_outside(row) || agree::mean_is_false(printed, row);
        if rate {
            run.asked.read_share = run.asked.read_share.or(printed.mix());
        }
        let Some(row) = run.whole_mut() else { continue };
        for side in [&mut row.all, &mut row.reads, &mut row.writes] {
            side.iops = side.iops.filter(|_| !rate);
            let times = std::iter::once(&mut side.latency).chain(&mut side.completion);
            times.for_each(|of| of.mean = of.mean.filter(|_| !mean));
        }
    }
    believed
}

/// True where a row's I/Os over its time are not its rate, and its bandwidth does not say what the rate says.
fn has_false_rate(tool: Tool, run: &Run, row: &Row) -> bool {
    let Some((rate, (ios, seconds))) = row.iops().zip(counted(tool, row)) else {
        return false;
    };
    let product = rate * seconds;
    // Times are printed to 1 ms.
    let is_off = (ios - product).abs() > APART * ios.max(product) + rate * 1e-3 + 1.0;
    let block = run.asked.block.filter(|(least, most)| least == most);
    let by_bytes = block
        .zip(row.bandwidth)
        .map(|((block, _), bandwidth)| bandwidth.0 as f64 / block.0.max(1) as f64);
    is_off && by_bytes.is_none_or(|other| (other - rate).abs() > APART * rate)
}

/// I/Os and the time in which they were done, s, where the tool counted them: elbencho tells no count.
fn counted(tool: Tool, row: &Row) -> Option<(f64, f64)> {
    if tool == Tool::Elbencho {
        return None;
    }
    let of_sides = || {
        let [reads, writes] = [&row.reads, &row.writes].map(|side| side.seconds);
        (reads == writes).then_some(reads?)
    };
    let seconds = row.all.seconds.or_else(of_sides).or(row.seconds)?;
    Some((row.all.ios? as f64, seconds))
}
