//! Whether what a tool says twice of one set of I/Os agrees: counts, spreads, percentiles and shares beside the mean and the total.

use super::{Check, CheckAnswer, Hit, answer, doubt, ns};
use super::{counts, fields};
use crate::format::fio_defects::{OVERFLOWN, WITH_RAMP};
use crate::format::fio_shares;
use crate::model::{Bucket, ForeignResult, Latency, Row, Run, Scope, Side, Tool};
use plimsoll_evidence::{Quantity, Severity};
use plimsoll_plan::Nanos;

/// Numbers that say the same.
pub const CHECK: Check = Check {
    rules: &[514, 515, 516, 517, 520, 521, 522, 523],
    look,
};

/// Rounding of what tools print: fio to less than a ns, others to a us.
const ROUNDED_NS: f64 = 1000.0;
/// Number of I/Os that may be out at the ends of all jobs together.
const IN_FLIGHT: f64 = 10_000.0;

fn look(result: &ForeignResult) -> CheckAnswer {
    let mut seen = 0;
    let [
        mut spread,
        mut percentiles,
        mut histogram,
        mut buckets,
        mut shares,
        mut timed,
        mut samples,
        mut reported,
        mut above,
    ] = [(); 9].map(|()| Vec::new());
    let rounding = match result.tool {
        Tool::Fio => 1.0,
        _ => ROUNDED_NS,
    };
    for run in &result.runs {
        for row in run.rows.iter().filter(|r| r.scope != Scope::Part) {
            for side in [&row.all, &row.reads, &row.writes] {
                for of in std::iter::once(&side.latency).chain(&side.completion) {
                    seen += usize::from(
                        of.percentiles.len() >= fewest(run).min(2) || of.count.is_some(),
                    );
                    spread.extend(too_small(run, row, of, side, rounding));
                    let hits = match of.max {
                        Some(_) => &mut percentiles,
                        None => &mut above,
                    };
                    hits.extend(by_percentiles(run, row, of));
                    timed.extend(counted(run, row, of, side));
                }
            }
            spread.extend(too_small(run, row, &row.syncs, &Side::default(), rounding));
            percentiles.extend(by_percentiles(run, row, &row.syncs));
            seen += usize::from(!row.shares.is_empty() || row.samples.is_some());
            seen += usize::from(!row.pairs.is_empty());
            histogram.extend(by_histogram(run, row));
            buckets.extend(fields::spread_differs(run, row));
            reported.extend(fields::disagree(run, row));
            shares.extend(add_up(run, row));
            samples.extend(disordered(run, row));
        }
    }
    let any = |reported: fn(&Row) -> bool| {
        let mut rows = result.runs.iter().flat_map(|r| &r.rows);
        rows.any(reported)
    };
    answer(
        seen,
        "percentiles, shares or counts of times",
        [
            doubt(514, "spread-too-small", Severity::Invalid, spread),
            doubt(
                515,
                "percentiles-against-mean",
                Severity::Invalid,
                percentiles,
            ),
            doubt(515, "percentiles-above-mean", Severity::Invalid, above),
            doubt(516, "histogram-against-mean", Severity::Invalid, histogram),
            doubt(
                517,
                "histogram-against-percentiles",
                Severity::Invalid,
                buckets,
            ),
            doubt(520, "shares-of-nothing", Severity::Invalid, shares),
            doubt(521, "timed-against-counted", Severity::Invalid, timed),
            doubt(522, "samples-disordered", Severity::Invalid, samples),
            doubt(523, "fields-disagree", Severity::Invalid, reported),
        ],
    )
    .needing(516, any(|r| r.histogram.is_some()), "shares by time")
    .needing(517, any(|r| r.histogram.is_some()), "shares by time")
    .needing(520, any(|r| !r.shares.is_empty()), "shares of all I/Os")
    .needing(522, any(|r| r.samples.is_some()), "samples of the rate")
    .needing(
        523,
        any(|r| !r.pairs.is_empty()),
        "fields that say the same",
    )
}

/// The smallest and the largest of n values alone give them a variance of (max - min)^2 / 2n, and percentiles what lies away from the
/// mean.
fn too_small<'r>(
    run: &'r Run,
    row: &Row,
    of: &Latency,
    side: &Side,
    rounding: f64,
) -> Option<Hit<'r>> {
    let n = of.count.or(side.ios).filter(|n| *n > 1)? as f64;
    let (min, max, sd) = (of.min?.0 as f64, of.max?.0 as f64, of.sd?.0 as f64);
    // A tool that knows no smallest one leaves 0.
    if min <= 0.0 || max <= min {
        return None;
    }
    let least = (max - min) / (2.0 * n).sqrt();
    let least = fields::least_spread(of).map_or(least, |other| other.max(least));
    let rounding = rounding.max(of.rounding());
    (sd + 2.0 * rounding < 0.9 * least).then(|| {
        let values = [
            ("sd", ns(sd)),
            ("min", ns(min)),
            ("max", ns(max)),
            ("ios", Quantity::Count(n as u64)),
            ("least", ns(least)),
        ];
        Hit::new(run, row.at, least / sd.max(1.0), values)
    })
}

/// Hit where a mean lies outside of bounds that are known but for some ns.
fn outside<'r>(
    run: &'r Run,
    row: &Row,
    mean: f64,
    (low, high): (f64, f64),
    rounding: f64,
) -> Option<Hit<'r>> {
    let slack = 1000.0 + rounding;
    let is = mean < low * 0.95 - slack || mean > high * 1.05 + slack;
    let weight = (low / mean.max(1.0)).max(mean / high.max(1.0));
    is.then(|| {
        let known = high.is_finite().then(|| ("most", ns(high)));
        let values = [("mean", ns(mean)), ("least", ns(low))];
        Hit::new(run, row.at, weight, values.into_iter().chain(known))
    })
}

/// True where percentiles or shares by time show that a row's mean is false.
pub(super) fn mean_is_false(run: &Run, row: &Row) -> bool {
    let sides = [&row.all, &row.reads, &row.writes];
    let mut times = sides
        .into_iter()
        .flat_map(|side| std::iter::once(&side.latency).chain(&side.completion));
    times.any(|of| by_percentiles(run, row, of).is_some()) || by_histogram(run, row).is_some()
}

/// Number of percentiles that are enough to hold a mean against. A claim has few, and each was chosen; a tool's one or two may be what is
/// left of more.
fn fewest(run: &Run) -> usize {
    match run.claimed {
        Some(_) => 1,
        None => 3,
    }
}

/// Hit where a mean is below or above what the percentiles make of it: where a share of 1 - q takes p or longer, it is (1 - q) x p at
/// least. Of a claim that names no largest time nothing is too much.
fn by_percentiles<'r>(run: &'r Run, row: &Row, of: &Latency) -> Option<Hit<'r>> {
    let claimed = run.claimed.as_ref();
    let max = of.max.filter(|m| m.0 > 0).map(|m| m.0 as f64);
    let (mean, max) = (of.mean?.0 as f64, max.or(claimed.map(|_| f64::INFINITY))?);
    let rounded = claimed.and_then(|c| c.mean).map_or(0.0, |m| m.high - mean);
    let rounding = of.rounding().max(rounded);
    let min = of.min.map_or(0.0, |m| m.0 as f64);
    let inner = |(q, _): &&(f64, Nanos)| *q > 0.0 && *q < 1.0;
    let mut points: Vec<(f64, Nanos)> = of.percentiles.iter().filter(inner).copied().collect();
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    let rises = points.windows(2).all(|p| p[0].1 <= p[1].1);
    let last = points.last()?.1.0 as f64;
    if points.len() < fewest(run) || !rises || max * 1.02 + 1000.0 + 2.0 * of.rounding() < last {
        return None;
    }
    // Each with the least and the most that it can be.
    let most = |at: Nanos| match Latency::is_capped(at) {
        true => max,
        false => at.0 as f64,
    };
    let inner = points.iter().map(|(q, at)| (*q, at.0 as f64, most(*at)));
    let (first, last) = ((0.0, min, min), (1.0, max, max));
    let all: Vec<(f64, f64, f64)> = [first].into_iter().chain(inner).chain([last]).collect();
    let bounds = all.windows(2).fold((0.0, 0.0), |(low, high), p| {
        let share = p[1].0 - p[0].0;
        (low + share * p[0].1, high + share * p[1].2.max(p[0].2))
    });
    outside(run, row, mean, bounds, rounding)
}

fn by_histogram<'r>(run: &'r Run, row: &Row) -> Option<Hit<'r>> {
    // A share is told to 0.01 %, and a small one as if it were that much.
    const TOLD: f64 = 1e-4;
    let of = row.histogram.as_ref()?;
    let least = |b: &Bucket| (b.share - TOLD).max(0.0) * b.from_ns;
    let most = |b: &Bucket| (b.share + TOLD) * b.to_ns.unwrap_or(of.max_ns).min(of.max_ns);
    let filled = || of.buckets.iter().filter(|b| b.share > 0.0);
    // What shares lack beyond their rounding may have taken any time: a line of them was left out.
    let told: f64 = filled().map(|b| b.share + TOLD / 2.0).sum();
    let untold = (1.0 - told).max(0.0) * of.max_ns;
    let bounds = (
        filled().map(least).sum(),
        filled().map(most).sum::<f64>() + untold,
    );
    outside(run, row, of.mean_ns, bounds, 0.0)
}

fn add_up<'r>(run: &'r Run, row: &Row) -> Option<Hit<'r>> {
    // An fsync has a depth and is no I/O.
    let may_sync = row.reads.ios.is_none_or(|reads| row.all.ios != Some(reads));
    // Shares are of all I/Os, and what was not timed is in none; but where rule 501 or 521 doubts the count, it says nothing of them.
    let timed = timed(run, row);
    let may_lack = timed.is_none() && (run.asked.may_end_in_warm_up() || row.errors > 0);
    let timed = timed.filter(|_| !is_count_false(run, row));
    // Where nobody says how many I/Os have a time, what was out when a ramp ended may be more.
    let most = match (timed, row.all.ios) {
        (None, Some(ios)) => fio_shares::most(ios as f64, &run.asked) + 0.1,
        _ => timed.unwrap_or(1.0) + 0.1,
    };
    let timed = timed.unwrap_or(1.0);
    let right = |of: &str| match of {
        "times" if may_lack => 0.0..=most,
        "times" => timed - 0.1..=most,
        WITH_RAMP | OVERFLOWN => 0.0..=f64::MAX,
        "depths" if may_sync => 0.9..=f64::MAX,
        // Somebody's own words, in whole percent.
        "reads and writes" => 0.99..=1.01,
        _ => 0.9..=1.1,
    };
    let wrong = |of: &str, sum: f64| sum > 0.0 && !right(of).contains(&sum);
    let off = |sum: f64| (sum - 1.0).abs();
    let worst = row.shares.iter().filter(|(of, sum)| wrong(of, *sum));
    let (of, sum) = worst.max_by(|a, b| off(a.1).total_cmp(&off(b.1)))?;
    let values = [
        ("of", Quantity::Text((*of).into())),
        ("sum", Quantity::Share(*sum)),
    ];
    Some(Hit::new(run, row.at, off(*sum), values))
}

/// True where a row's rate over its time, or the number of its times, is another count of its I/Os.
fn is_count_false(run: &Run, row: &Row) -> bool {
    let sides = [&row.all, &row.reads, &row.writes].into_iter();
    let times = sides.flat_map(|side| {
        let each = std::iter::once(&side.latency).chain(&side.completion);
        each.map(move |of| (of, side))
    });
    let mut timed = times.filter_map(|(of, side)| counted(run, row, of, side));
    counts::differ(run, row).is_some() || timed.next().is_some()
}

/// The share of a row's I/Os that have a time, where that is told; those that a ramp sent have one and are not counted.
fn timed(run: &Run, row: &Row) -> Option<f64> {
    let count = |side: &Side| {
        let of = side.completion.as_ref().unwrap_or(&side.latency);
        Some((of.count? as f64, side.ios? as f64))
    };
    let (times, ios) = count(&row.all).or_else(|| {
        let (reads, writes) = (count(&row.reads)?, count(&row.writes)?);
        Some((reads.0 + writes.0, reads.1 + writes.1))
    })?;
    let share = match run.asked.may_warm_up() {
        true => times / ios,
        false => (times / ios).min(1.0),
    };
    (row.all.ios == Some(ios as u64)).then_some(share)
}

fn counted<'r>(run: &'r Run, row: &Row, of: &Latency, side: &Side) -> Option<Hit<'r>> {
    let (times, ios) = (of.count? as f64, side.ios? as f64);
    if times < ios && run.asked.may_end_in_warm_up() {
        return None;
    }
    let off = (times - ios).abs();
    (row.errors == 0 && off > 0.05 * ios.max(times) + IN_FLIGHT.min(ios.max(times) * 0.5)).then(
        || {
            let values = [
                ("times", Quantity::Count(times as u64)),
                ("ios", Quantity::Count(ios as u64)),
            ];
            Hit::new(run, row.at, off, values)
        },
    )
}

fn disordered<'r>(run: &'r Run, row: &Row) -> Option<Hit<'r>> {
    let samples = row.samples.filter(|s| s.count > 1)?;
    let (min, max) = (samples.min?, samples.max?);
    let is = min > samples.mean * 1.02 + 1.0 || max * 1.02 + 1.0 < samples.mean;
    is.then(|| {
        let values = [
            ("min", Quantity::PerSecond(min)),
            ("mean", Quantity::PerSecond(samples.mean)),
            ("max", Quantity::PerSecond(max)),
        ];
        Hit::new(run, row.at, min.max(samples.mean), values)
    })
}
