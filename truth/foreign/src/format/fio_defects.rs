//! Figures that versions of fio are known to get wrong: nothing is held against them.

use crate::model::{AskedSettings, Bucket, Format, Histogram, Relation, Row, Run};
use crate::text;
use crate::version;

/// The first that forgets the depths of the ramp (`ramp_time`) when it ends, as it does its I/Os: commit 8eb142dd.
pub const FORGETS_RAMP: &[u32] = &[3, 12];
/// Shares by depth that may have the ramp's I/Os among them, for they add up to more than all that were counted.
pub const WITH_RAMP: &str = "depths, of the ramp too,";
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

/// What the shares of all I/Os may add up to where each below 0.01 % is told as if it were that.
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

/// Leaves a row no rate and no bandwidth but those that its counts make, over the time.
fn by_counts(row: &mut Row, asked: &AskedSettings) {
    for side in [&mut row.all, &mut row.reads, &mut row.writes] {
        let seconds = side.seconds.or(row.seconds).filter(|s| *s > 0.0);
        let made = side.ios.zip(seconds).map(|(ios, s)| ios as f64 / s);
        side.iops = made.and_then(text::rate);
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

/// What no share tells took a second or more.
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
