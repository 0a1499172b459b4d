//! Contradictions between the claims of one text: more depth, larger transfers, mixes.

use super::{Check, CheckAnswer, Hit, answer, doubt};
use crate::claimed::Span;
use crate::model::{ForeignResult, Run};
use plimsoll_evidence::{Quantity, Severity};

/// Claims beside each other.
pub const CHECK: Check = Check {
    rules: &[532, 551, 552, 553],
    look,
};

/// Differences between claims that say nothing, for what is not said may differ.
const SLACK: f64 = 0.05;
/// Bytes each second that a larger transfer may lose.
const FEWER: f64 = 0.20;
/// Share of the rate that more depth may lose.
const LESS: f64 = 0.30;

/// Needs of these checks, in words.
const SEVERAL: &str = "several claims";
const SIZES: &str = "several claims with their transfer sizes";

/// A claim as far as it can be compared: as it is said, which is what a sentence shows, and with what rounding leaves open, which is what
/// it is judged by.
struct Point<'r> {
    run: &'r Run,
    said: f64,
    rate: Span,
    /// Bytes of a transfer; 0 where no claim says any, so that they are all of one.
    block: f64,
    depth: Option<f64>,
}

impl Point<'_> {
    /// True where it can have had as many I/Os out as another.
    fn as_deep_as(&self, other: &Point) -> bool {
        match (self.depth, other.depth) {
            (Some(mine), Some(theirs)) => mine >= theirs * (1.0 - SLACK),
            _ => true,
        }
    }

    fn alike(&self, other: &Point) -> bool {
        let (mine, theirs) = (&self.run.asked, &other.run.asked);
        mine.read_share == theirs.read_share && mine.random == theirs.random
    }
}

fn look(result: &ForeignResult) -> CheckAnswer {
    let sized = result.runs.iter().any(|r| r.asked.block.is_some());
    let comparable = result
        .runs
        .iter()
        .filter(|r| r.asked.block.is_some() == sized);
    let points: Vec<Point> = comparable.filter_map(point).collect();
    let (mut less, mut more, mut fewer) = (Vec::new(), Vec::new(), Vec::new());
    for a in &points {
        for b in points.iter().filter(|b| a.alike(b)) {
            less.extend(less_with_depth(a, b));
            if a.block < b.block {
                more.extend(more_at_larger(a, b));
                fewer.extend(fewer_bytes(a, b));
            }
        }
    }
    // Its sentence is of two.
    less.sort_by(|a, b| b.weight.total_cmp(&a.weight));
    less.truncate(1);
    let mixes = points.iter().filter_map(|mix| above_both(mix, &points));
    answer(
        points.len().saturating_sub(1),
        SEVERAL,
        [
            doubt(532, "less-with-more-depth", Severity::Suspect, less),
            doubt(551, "more-at-larger-size", Severity::Suspect, more),
            doubt(552, "fewer-bytes-at-larger-size", Severity::Note, fewer),
            doubt(553, "mix-above-both", Severity::Suspect, mixes.collect()),
        ],
    )
    .needing(551, sized, SIZES)
    .needing(552, sized, SIZES)
}

fn point(run: &Run) -> Option<Point<'_>> {
    let claimed = run.claimed.as_ref()?;
    Some(Point {
        run,
        said: run.whole()?.iops()?,
        rate: claimed.rate?,
        block: run.asked.block.map_or(0.0, |(block, _)| block.0 as f64),
        depth: run
            .asked
            .in_flight
            .map(|n| n as f64)
            .or(run.whole()?.in_flight()),
    })
    .filter(|_| !claimed.held)
}

fn less_with_depth<'r>(more: &Point<'r>, less: &Point<'r>) -> Option<Hit<'r>> {
    let (deep, shallow) = (more.depth?, less.depth?);
    let fall = 1.0 - more.rate.high / less.rate.low;
    (more.block == less.block && deep >= 1.2 * shallow && fall > LESS).then(|| {
        let values = [
            ("run", Quantity::Text(more.run.name.clone())),
            ("depth", Quantity::Number(shallow)),
            ("rate", Quantity::PerSecond(less.said)),
            ("less_depth", Quantity::Number(deep)),
            ("less_rate", Quantity::PerSecond(more.said)),
            ("fall", Quantity::Share(1.0 - more.said / less.said)),
        ];
        hit(less, fall, values)
    })
}

fn more_at_larger<'r>(small: &Point<'r>, large: &Point<'r>) -> Option<Hit<'r>> {
    let more = large.rate.low / small.rate.high - 1.0;
    let by = large.said / small.said - 1.0;
    (more > SLACK && small.as_deep_as(large)).then(|| hit(large, more, beside(small, large, by)))
}

fn fewer_bytes<'r>(small: &Point<'r>, large: &Point<'r>) -> Option<Hit<'r>> {
    let times = large.block / small.block;
    let fall = 1.0 - large.rate.high * times / small.rate.low;
    let by = 1.0 - large.said * times / small.said;
    (fall > FEWER && large.as_deep_as(small)).then(|| hit(large, fall, beside(small, large, by)))
}

fn beside(small: &Point, large: &Point, by: f64) -> [(&'static str, Quantity); 7] {
    let bytes = |point: &Point| Quantity::Bytes((point.said * point.block) as u64);
    [
        ("rate", Quantity::PerSecond(large.said)),
        ("block", Quantity::Bytes(large.block as u64)),
        ("bytes", bytes(large)),
        ("small_rate", Quantity::PerSecond(small.said)),
        ("small_block", Quantity::Bytes(small.block as u64)),
        ("small_bytes", bytes(small)),
        ("by", Quantity::Share(by)),
    ]
}

/// A mix in which more reads are done than of reads alone, or more writes than of writes alone. Each may have a direction of the ports for
/// itself, so that together they may well be more than either.
fn above_both<'r>(mix: &Point<'r>, all: &[Point<'r>]) -> Option<Hit<'r>> {
    let of_mix = mix.run.asked.read_share;
    let share = of_mix.filter(|s| *s > 0.0 && *s < 1.0)?;
    let pure = |share: f64| {
        let of = all.iter().filter(move |p| {
            let asked = &p.run.asked;
            let alike = p.block == mix.block && asked.random == mix.run.asked.random;
            asked.read_share == Some(share) && alike && p.as_deep_as(mix)
        });
        of.max_by(|a, b| a.rate.high.total_cmp(&b.rate.high))
    };
    let (reads, writes) = (pure(1.0)?, pure(0.0)?);
    let most = (reads.rate.high / share).min(writes.rate.high / (1.0 - share));
    let more = mix.rate.low / most - 1.0;
    (more > SLACK).then(|| {
        let values = [
            ("rate", Quantity::PerSecond(mix.said)),
            ("reads", Quantity::PerSecond(reads.said)),
            ("writes", Quantity::PerSecond(writes.said)),
        ];
        hit(mix, more, values)
    })
}

fn hit<'r>(
    point: &Point<'r>,
    weight: f64,
    values: impl IntoIterator<Item = (&'static str, Quantity)>,
) -> Hit<'r> {
    Hit::new(point.run, point.run.at, weight, values)
}
