//! Little's law: rate times mean time is the mean number in flight, whatever the distributions.

use super::{Check, CheckAnswer, Hit, answer, doubt, ns};
use crate::model::{ForeignResult, Latency, Row, Run, Scope};
use plimsoll_evidence::{Quantity, Severity};
use plimsoll_plan::Rate;

/// Rate, mean and depth against each other.
pub const CHECK: Check = Check {
    rules: &[105],
    look,
};

/// Largest error of rate times mean.
const TOLERANCE: f64 = 0.05;

fn look(result: &ForeignResult) -> CheckAnswer {
    let (mut seen, mut impossible, mut disagree) = (0, Vec::new(), Vec::new());
    let mut deeper = Vec::new();
    for run in &result.runs {
        // An interval's I/Os may end in a later one, however short those of its own were.
        for row in run.rows.iter().filter(|row| row.scope == Scope::Whole) {
            let sets = sets(run, row);
            let (asked, counted) = (run.asked.in_flight, row.queue_depth);
            let depth = asked.or(row.deepest).is_some() || counted.is_some();
            seen += usize::from(!sets.is_empty() && depth);
            let of_sets = sets.into_iter().zip(std::iter::repeat(asked));
            let found = of_sets.filter_map(|(set, asked)| too_many(run, row, set, asked? as f64));
            let found: Vec<Hit> = found.collect();
            // Of what no depth allows none was met, which says the same.
            deeper.extend(too_deep(run, row).filter(|_| found.is_empty()));
            impossible.extend(found);
            let both = row.in_flight().zip(counted);
            disagree.extend(both.and_then(|(in_flight, q)| differs(run, row, in_flight, q)));
        }
    }
    answer(
        seen,
        "rate, mean time and depth",
        [
            doubt(105, "mean-impossible", Severity::Invalid, impossible),
            doubt(105, "depths-against-mean", Severity::Invalid, deeper),
            doubt(105, "depth-disagrees", Severity::Suspect, disagree),
        ],
    )
}

/// Rates and their means, ns, of I/Os whose times are those of the I/Os alone: of all of a row. Where the times of what is read back begin
/// before its reads, which rule 545 names, of writes, and of reads after their submit.
fn sets(run: &Run, row: &Row) -> Vec<(f64, f64)> {
    let of = |iops: Option<Rate>, latency: &Latency| Some((iops?.0, latency.mean?.0 as f64));
    let sets = match run.asked.times_begin_before {
        false => [of(row.all.iops, &row.all.latency), None],
        true => {
            let completion = row.reads.completion.as_ref();
            let reads = completion.and_then(|times| of(row.reads.iops, times));
            [reads, of(row.writes.iops, &row.writes.latency)]
        }
    };
    sets.into_iter().flatten().collect()
}

fn too_many<'r>(run: &'r Run, row: &Row, (rate, mean): (f64, f64), asked: f64) -> Option<Hit<'r>> {
    let in_flight = rate * mean / 1e9;
    // Half an I/O is what rounding and a drained queue at the end can make of a depth of 1.
    if in_flight <= asked * (1.0 + TOLERANCE) + 0.5 {
        return None;
    }
    Some(Hit::new(
        run,
        row.at,
        in_flight / asked,
        [
            ("mean", ns(mean)),
            ("rate", Quantity::PerSecond(rate)),
            ("in_flight", Quantity::Number(in_flight)),
            ("asked", Quantity::Number(asked)),
            ("possible", ns(asked / rate * 1e9)),
        ],
    ))
}

fn differs<'r>(run: &'r Run, row: &Row, in_flight: f64, counted: f64) -> Option<Hit<'r>> {
    // Vdbench prints times to 1 us and depths to 0.1.
    let rounding = row.iops()? * 1e-6 + 0.1;
    // Times are those of the I/Os that ended, and the longest of them says how much of the time its edges are.
    let longest_s = row.all.latency.max.map_or(0.0, |max| max.0 as f64 / 1e9);
    let edge = row.seconds.map_or(0.0, |s| (longest_s / s).min(1.0)) * counted.max(in_flight);
    let off = (in_flight - counted).abs();
    (off > TOLERANCE * counted + rounding + edge).then(|| {
        Hit::new(
            run,
            row.at,
            off / counted.max(0.1),
            [
                ("in_flight", Quantity::Number(in_flight)),
                ("counted", Quantity::Number(counted)),
            ],
        )
    })
}

/// More in flight than any I/O met.
fn too_deep<'r>(run: &'r Run, row: &Row) -> Option<Hit<'r>> {
    let most = row.deepest?.saturating_mul(run.asked.threads?) as f64;
    let in_flight = sets(run, row)
        .into_iter()
        .map(|(rate, mean)| rate * mean / 1e9)
        .reduce(f64::max)?;
    // Half an I/O is what rounding and a drained queue at the end can make of a depth of 1.
    (in_flight > 1.1 * most + 0.5).then(|| {
        let values = [
            ("in_flight", Quantity::Number(in_flight)),
            ("most", Quantity::Number(most)),
        ];
        Hit::new(run, row.at, in_flight / most.max(1.0), values)
    })
}
