//! Figures that versions of fio are known to get wrong: nothing is held against them.

use crate::model::{AskedSettings, Bucket, Format, Histogram, Relation, Row, Run, Side};
use crate::text;
use crate::version;
use plimsoll_plan::Rate;

/// The first that forgets the depths of the ramp (`ramp_time`) when it ends, as it does its I/Os: commit 8eb142dd.
pub const FORGETS_RAMP: &[u32] = &[3, 12];
/// Shares by depth that may have the ramp's I/Os among them, for they add up to more than all that were counted.
pub const WITH_RAMP: &str = "depths, of the ramp too,";
/// The first that counts what its shares are of in 64 bits, where it had 32: commit 6cc0e5aa.
pub const COUNTS_WIDE: &[u32] = &[3, 6];
/// Shares whose counts began anew at 2^32, for they lack that many I/Os or a multiple.
pub const OVERFLOWN: &str = "I/Os in 32 bits";
/// The first that stamps when the thread of `sqthread_poll` was given an I/O: commit c011bf12.
pub const STAMPS_POLLED: &[u32] = &[3, 34];
/// Shares of times that begin with fio itself.
pub const UNSTAMPED: &str = "times since fio began";
/// The first that does not stamp a sync behind it, where its engine is not synchronous: commit 4e7e7898.
pub const STAMPS_SYNCS: &[u32] = &[3, 31];
/// Time that no sync takes which reaches a device, ns.
const NO_SYNC_NS: u64 = 5000;
/// The first 3.x that counts all I/Os of a second and more among its shares by time: commit c5daece6.
pub const COUNTS_LONG: &[u32] = &[3, 14];
/// The first whose samples of rates are as if each had taken the time that was asked: commit a47591e4.
pub const SAMPLES_WRONG: &[u32] = &[2, 10];
/// The first whose samples are over the time that they took: commit cdb8308d.
pub const SAMPLES_RIGHT: &[u32] = &[3, 18];
/// The first whose text has wrong decimals: commit d694a6a7.
pub const DECIMALS_WRONG: &[u32] = &[2, 17];
/// The first whose text has them right: commit 9e55f2c7.
pub const DECIMALS_RIGHT: &[u32] = &[2, 20];

/// The least rate that fio's text tells with a prefix, and so with decimals.
const PREFIXED: f64 = 10_000.0;

/// Largest sum of the shares of all I/Os where each below 0.01 % is told as if it were that.
const ROUNDED_UP: f64 = 1.02;
/// From here on 3.x loses I/Os, ns.
const LONG_NS: f64 = 1e9;

/// Takes out of a row, or leaves open, what a version may have got wrong; one that is not told may be any.
pub fn excuse(run: &mut Run, version: Option<&str>, format: Format) {
    let numbers = version.map(version::numbers);
    let decimals = DECIMALS_WRONG..DECIMALS_RIGHT;
    let is_wrong = numbers.is_some_and(|numbers| decimals.contains(&numbers.as_slice()));
    for row in &mut run.rows {
        if is_wrong && format == Format::FioText {
            by_counts(row, &run.asked);
        }
        excuse_row(row, &run.asked, version);
    }
}

/// True where a run's times of syncs begin behind them.
pub fn stamps_behind_syncs(run: &Run, version: Option<&str>) -> bool {
    let version = version.map(version::numbers);
    let may_be = version.is_none_or(|version| version.as_slice() < STAMPS_SYNCS);
    let syncs = run.whole().and_then(|row| row.syncs.mean);
    may_be && run.asked.synchronous != Some(true) && syncs.is_some_and(|mean| mean.0 < NO_SYNC_NS)
}

/// Leaves a row no rate and no bandwidth but those that its counts make, over the time; a rate that is told without decimals is left.
fn by_counts(row: &mut Row, asked: &AskedSettings) {
    for side in [&mut row.all, &mut row.reads, &mut row.writes] {
        let seconds = side.seconds.or(row.seconds).filter(|s| *s > 0.0);
        let made = side.ios.zip(seconds).map(|(ios, s)| ios as f64 / s);
        let is_whole = |rate: &Rate| rate.0 < PREFIXED && rate.0.fract() == 0.0;
        side.iops = made.and_then(text::rate).or(side.iops.filter(is_whole));
    }
    let block = asked
        .block
        .filter(|(smallest, largest)| smallest == largest);
    let moved = block
        .zip(row.iops())
        .map(|((block, _), rate)| block.0 as f64 * rate);
    row.bandwidth = moved.and_then(text::bytes);
    row.pairs.clear();
}

fn excuse_row(row: &mut Row, asked: &AskedSettings, version: Option<&str>) {
    let version = version.map(version::numbers);
    let is = |from: &[u32], before: &[u32]| {
        version
            .as_deref()
            .is_none_or(|version| version >= from && version < before)
    };
    if asked.may_warm_up() && is(&[], FORGETS_RAMP) {
        let more = |(of, sum): &&mut (&str, f64)| *of == "depths" && *sum > ROUNDED_UP;
        let depths = row.shares.iter_mut().filter(more);
        depths.for_each(|(of, _)| *of = WITH_RAMP);
    }
    if is(&[3], STAMPS_POLLED) {
        without_unstamped(row);
    }
    if is(&[], COUNTS_WIDE)
        && let Some(ios) = row.all.ios
    {
        let overflown = |(_, sum): &&mut (&str, f64)| is_overflown(ios as f64, *sum);
        let shares = row.shares.iter_mut().filter(overflown);
        let marked = shares.map(|(of, _)| *of = OVERFLOWN).count();
        row.histogram = row.histogram.take().filter(|_| marked == 0);
    }
    // More than a thread has: fio 2.0 counts the CPU's time in the ramp, and not the ramp's.
    row.cpu = row.cpu.filter(|cpu| cpu.busy <= ROUNDED_UP);
    if is(&[3], COUNTS_LONG) {
        row.shares.retain(|(of, sum)| *of != "times" || *sum >= 1.0);
        row.histogram.iter_mut().for_each(lost_long);
    }
    if is(SAMPLES_WRONG, SAMPLES_RIGHT) {
        let sampled = |what: &str| {
            ["iops_mean", "bw_mean"]
                .iter()
                .any(|key| what.ends_with(key))
        };
        row.pairs.retain(|pair| {
            let is_mean = pair.relation == Relation::Same && sampled(&pair.what);
            !is_mean || sampled(&pair.other)
        });
        row.samples = row.samples.filter(|_| version.is_none());
    }
}

/// Leaves a row no times after the submit that begin with fio itself: the shortest is longer than any I/O's whole time, and the longest is that
/// of the run.
fn without_unstamped(row: &mut Row) {
    let length_ns = row.seconds.unwrap_or(f64::INFINITY) * 1e9;
    let is_unstamped = |side: &Side| {
        let of = side
            .completion
            .as_ref()
            .filter(|of| of.min > side.latency.max);
        let longest = of
            .filter(|_| side.latency.max.is_some())
            .and_then(|of| of.max);
        longest.is_some_and(|max| max.0 as f64 > 0.9 * length_ns)
    };
    let mut found = false;
    for side in [&mut row.all, &mut row.reads, &mut row.writes] {
        if is_unstamped(side) {
            (side.completion, found) = (None, true);
        }
    }
    if found {
        row.histogram = None;
        row.pairs.retain(|pair| !pair.what.contains("clat_ns"));
        row.shares.retain(|(of, _)| *of != "times");
        row.shares.push((UNSTAMPED, 1.0));
    }
}

/// True where the missing part of the shares of so many I/Os is a multiple of 2^32 of these, where small shares are told as if they were
/// more.
fn is_overflown(ios: f64, sum: f64) -> bool {
    let one = 2_f64.powi(32) / ios;
    let lost = ((1.0 - sum) / one).round().max(1.0) * one;
    (-0.005..=0.01).contains(&(sum + lost - 1.0))
}

/// Adds the I/Os that no share tells, which took a second or more.
fn lost_long(of: &mut Histogram) {
    let lost = 1.0 - of.buckets.iter().map(|b| b.share).sum::<f64>();
    if lost > 0.0 && of.max_ns >= LONG_NS {
        of.buckets.push(Bucket {
            from_ns: LONG_NS,
            to_ns: None,
            share: lost,
        });
    }
}
