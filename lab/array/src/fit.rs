//! A persona from measured points: latencies by depth with which the same loads come to the same times.
//!
//! By Little's law a point's rate and mean say how many were in flight. Where the rate hardly grows with the depth any more, the
//! depth of a limited load wanders far, and its mean time is not the latency at its mean depth. So each load is replayed, and
//! latencies are corrected until the replayed means are the measured ones; then the same with deviations and the longest times.

mod replay;

pub use replay::{Replayed, replay};

use crate::persona::DepthRow;
use replay::SHAPE;
use std::fmt::Write;

/// Rounds of the means alone, and of all.
const ROUNDS: [usize; 2] = [10, 8];
/// Ratio of two depths below which two points count as one depth.
const ALIKE: f64 = 1.01;
/// Requests of each replay in these rounds.
const REQUESTS: [usize; 2] = [100_000, 500_000];
/// A correction goes so far, so that it does not swing.
const DAMPED: f64 = 0.8;
/// A point's tail goes on up to so many deviations of a depth beyond it, but no further than half of the way to the next.
const BEYOND: f64 = 4.0;
/// A point's longest time is at most so many times that of the point below it, which may meet it by chance.
const NEIGHBOURS: f64 = 2.8;
/// But no less than this part of what was measured.
const LEAST_LONGEST: f64 = 0.4;

/// A load that was measured, and what came of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MeasuredPoint {
    /// I/Os a second that were done.
    pub rate: f64,
    /// True where the rate was limited; else each I/O was issued as soon as one came back.
    pub is_limited: bool,
    /// The share of reads.
    pub read_share: f64,
    /// A read's mean time, microseconds.
    pub read_us: f64,
    /// A write's mean time, microseconds.
    pub write_us: f64,
    /// The standard deviation of all, microseconds, where it was told.
    pub sd_us: Option<f64>,
    /// The longest of all, microseconds, where it was told.
    pub longest_us: Option<f64>,
}

impl MeasuredPoint {
    /// The mean time of all, microseconds.
    pub fn mean_us(&self) -> f64 {
        self.read_share * self.read_us + (1.0 - self.read_share) * self.write_us
    }

    /// I/Os in flight, by Little's law.
    pub fn in_flight(&self) -> f64 {
        self.rate * self.mean_us() / 1e6
    }
}

/// Why nothing can be fitted to points.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum FitError {
    /// A curve has more points.
    #[error(
        "a curve needs points at two depths at least, and these are at {0}: give a curve, or runs at several depths"
    )]
    Few(usize),
}

/// Latencies by depth, and what replays of the loads came to with them.
#[derive(Debug, Clone, PartialEq)]
pub struct Fit {
    /// The points, by depth.
    pub points: Vec<MeasuredPoint>,
    /// I/Os that may be out.
    pub slots: usize,
    /// The rows of a persona.
    pub rows: Vec<DepthRow>,
    /// Result of each point's replay.
    pub replayed: Vec<Replayed>,
}

/// Corrections of each row: of its means, and of its deviation.
type Corrections = Vec<[f64; 2]>;

impl Fit {
    /// The latencies that come nearest to these points.
    ///
    /// # Errors
    /// An error if the points are at fewer than two depths.
    pub fn to(points: &[MeasuredPoint]) -> Result<Self, FitError> {
        let slots = slots(points);
        let mut points = points.to_vec();
        points.sort_by(|a, b| a.in_flight().total_cmp(&b.in_flight()));
        points.dedup_by(|next, before| next.in_flight() < ALIKE * before.in_flight());
        if points.len() < 2 {
            return Err(FitError::Few(points.len()));
        }
        let measured = as_measured(&points);
        let mut corrections: Corrections = vec![[1.0; 2]; points.len()];
        let mut best: Option<(f64, Vec<DepthRow>, Vec<Replayed>)> = None;
        for (stage, rounds) in ROUNDS.into_iter().enumerate() {
            for round in 0..rounds {
                let corrected = corrected(&measured, &corrections, stage == 1);
                let rows = with_tails(&corrected);
                let each = points
                    .iter()
                    .map(|p| replay(&rows, p, slots, REQUESTS[stage], 7));
                let each: Vec<Replayed> = each.collect();
                let off = worst(&points, &each);
                let damped = DAMPED / (1.0 + 0.15 * (stage * round) as f64);
                correct(
                    &mut corrections,
                    &points,
                    &corrected,
                    &each,
                    stage == 1,
                    damped,
                );
                if stage == 1 && best.as_ref().is_none_or(|(least, ..)| off < *least) {
                    best = Some((off, rows, each));
                }
            }
        }
        let (_, rows, replayed) = best.unwrap_or_default();
        Ok(Fit {
            points,
            slots,
            rows,
            replayed,
        })
    }

    /// The persona's file.
    pub fn persona(&self, name: &str, from: &str) -> String {
        let mut text = format!(
            "# An array with the curve of {from}\n#\n# Made by plimsoll lab fit. \"Fitted\" follows from the measured points; \"assumed\" is a choice that nothing \
             measured contradicts.\n#\n# I/Os a second: measured mean, deviation and longest time, us, and what a replay came to\n"
        );
        for (p, r) in self.points.iter().zip(&self.replayed) {
            let told = |time: Option<f64>| time.map_or("-".to_string(), |t| format!("{t:.0}"));
            let _ = writeln!(
                text,
                "# {:>9.0}: {:>8.0} {:>8} {:>9}   {:>8.0} {:>8.0} {:>9.0}",
                p.rate,
                p.mean_us(),
                told(p.sd_us),
                told(p.longest_us),
                r.mean_us,
                r.sd_us,
                r.longest_us
            );
        }
        let _ = write!(
            text,
            "\nname = \"{name}\"\nabout = \"Fitted to {} measured points, with up to {} I/Os in flight\"\nscale = 1.0\n\n\
             [luns]\ncount = 1    # assumed\ngib = 512.0  # assumed\n\n\
             [ports]\ncount = 1         # assumed\npaths = 1         # assumed\nmib_s = 1e6       # assumed: no limit, as the measured times have the ports in them\n\
             command_us = 0.0  # assumed, the same\n\n\
             [latency]\nread_us = 0.0     # fitted: all of it is in the rows\nwrite_us = 0.0    # fitted, the same\nspread_shape = {SHAPE}  # assumed\n\
             depths = [\n",
            self.points.len(),
            self.slots
        );
        for row in &self.rows {
            let more = |key: &str, time: Option<f64>| {
                time.map_or(String::new(), |t| format!(", {key} = {t:.1}"))
            };
            let _ = writeln!(
                text,
                "    {{ depth = {:.3}, read_us = {:.1}, write_us = {:.1}{}{} }},",
                row.depth,
                row.read_us,
                row.write_us,
                more("sd_us", row.sd_us),
                more("longest_us", row.longest_us)
            );
        }
        text + "]\n"
    }
}

/// I/Os that may be out. A load without a limit has all of them out; others have been seen with what they needed.
pub fn slots(points: &[MeasuredPoint]) -> usize {
    let deepest = points.iter().map(MeasuredPoint::in_flight);
    let deepest = deepest.fold(0.0, f64::max);
    let fills = |p: &MeasuredPoint| !p.is_limited && ALIKE * p.in_flight() >= deepest;
    let room = if points.iter().any(fills) { 1.0 } else { 2.0 };
    (room * deepest).round().max(1.0) as usize
}

/// The points as rows. A longest time that the point below would meet by chance is made shorter.
fn as_measured(points: &[MeasuredPoint]) -> Vec<DepthRow> {
    let below = std::iter::once(None).chain(points.iter().map(|p| p.longest_us));
    let row = |(p, below): (&MeasuredPoint, Option<f64>)| {
        let bounded = |longest: f64| {
            let most = below.map_or(longest, |below| NEIGHBOURS * below);
            most.clamp(LEAST_LONGEST * longest, longest)
        };
        DepthRow {
            depth: p.in_flight(),
            read_us: p.read_us,
            write_us: p.write_us,
            sd_us: p.sd_us,
            longest_us: p.longest_us.map(bounded),
        }
    };
    points.iter().zip(below).map(row).collect()
}

fn corrected(rows: &[DepthRow], by: &Corrections, tails: bool) -> Vec<DepthRow> {
    let row = |(row, [mean, sd]): (&DepthRow, &[f64; 2])| DepthRow {
        depth: row.depth,
        read_us: mean * row.read_us,
        write_us: mean * row.write_us,
        sd_us: row.sd_us.filter(|_| tails).map(|own| sd * own),
        longest_us: row.longest_us.filter(|_| tails),
    };
    rows.iter().zip(by).map(row).collect()
}

/// With a row behind each, up to which its tail goes on: a depth wanders, and must not meet the next row's tail at once.
fn with_tails(rows: &[DepthRow]) -> Vec<DepthRow> {
    let mut all = Vec::with_capacity(2 * rows.len());
    for (at, row) in rows.iter().enumerate() {
        all.push(*row);
        let Some(next) = rows.get(at + 1) else { break };
        let way = (BEYOND * row.depth.sqrt() / (next.depth - row.depth)).min(0.5);
        let between = |low: f64, high: f64| low + way * (high - low);
        all.push(DepthRow {
            depth: between(row.depth, next.depth),
            read_us: between(row.read_us, next.read_us),
            write_us: between(row.write_us, next.write_us),
            ..*row
        });
    }
    all
}

/// Deviation of the worst replay from its point, as a multiple of what is tolerated.
fn worst(points: &[MeasuredPoint], replayed: &[Replayed]) -> f64 {
    let off = |came: f64, was: Option<f64>, may: f64| {
        let was = was.filter(|was| *was > 0.0);
        was.map_or(0.0, |was| (came / was).ln().abs() / may.ln())
    };
    let each = points.iter().zip(replayed).map(|(p, r)| {
        off(r.mean_us, Some(p.mean_us()), 1.02)
            .max(off(r.sd_us, p.sd_us, 1.3))
            .max(off(r.longest_us, p.longest_us, 3.0))
    });
    each.fold(0.0, f64::max)
}

fn correct(
    by: &mut Corrections,
    points: &[MeasuredPoint],
    rows: &[DepthRow],
    replayed: &[Replayed],
    tails: bool,
    damped: f64,
) {
    for (at, (p, r)) in points.iter().zip(replayed).enumerate() {
        // A longer time makes the depth grow, and that the time again: the steeper the curve, the less it takes.
        let rise = match at.checked_sub(1).filter(|_| p.is_limited) {
            Some(low) => {
                let high = (at + 1).min(rows.len() - 1);
                let mean = |row: &DepthRow| {
                    p.read_share * row.read_us + (1.0 - p.read_share) * row.write_us
                };
                (mean(&rows[high]) - mean(&rows[low])) / (rows[high].depth - rows[low].depth)
            }
            None => 0.0,
        };
        let gain = (1.0 - p.rate * rise / 1e6).clamp(0.05, 1.0);
        by[at][0] *= (p.mean_us() / r.mean_us).powf(gain * damped);
        if let (true, Some(sd)) = (tails, p.sd_us) {
            by[at][1] *= (sd / r.sd_us.max(1e-3)).powf(0.5).clamp(0.6, 1.7);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(rate: f64, is_limited: bool) -> MeasuredPoint {
        MeasuredPoint {
            rate,
            is_limited,
            read_share: 1.0,
            read_us: 1000.0,
            write_us: 1000.0,
            sd_us: None,
            longest_us: None,
        }
    }

    #[test]
    fn a_maximum_tells_the_slots_also_where_a_limited_load_was_as_deep() {
        let (little, maximum) = (point(8_000.0, true), point(64_000.0, false));
        assert_eq!(slots(&[little, maximum, point(63_900.0, true)]), 64);
        assert_eq!(slots(&[little, point(64_400.0, true), maximum]), 64);
        assert_eq!(slots(&[little, point(64_000.0, true)]), 128);
        assert_eq!(slots(&[point(8_000.0, false), point(64_000.0, true)]), 128);
    }

    #[test]
    fn a_deviation_of_nothing_says_nothing_of_a_replay() {
        let replayed = Replayed {
            mean_us: 1000.0,
            sd_us: 3.0,
            longest_us: 1010.0,
        };
        let even = MeasuredPoint {
            sd_us: Some(0.0),
            ..point(8_000.0, true)
        };
        assert_eq!(worst(&[even], &[replayed]), 0.0);
    }
}
