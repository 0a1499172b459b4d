//! Keeps what a part of a soak did over time, in a bounded number of parts.

use crate::method::{Observed, Observer};
use crate::pieces::{SAMPLE_NS, pieces};
use plimsoll_evidence::{Interval, Phase, Timeline, TimelinePart};
use plimsoll_measure::{Histogram, StreamStats};

/// Largest number of parts: where there are more, neighbours are put together.
const PARTS_MAX: usize = 1024;

/// Looks at all intervals and wants nothing.
#[derive(Debug)]
pub struct Keeper {
    timeline: Timeline,
    /// Length that a part is to have, ns.
    length_ns: u64,
}

impl Default for Keeper {
    fn default() -> Self {
        Keeper {
            timeline: Timeline::default(),
            length_ns: SAMPLE_NS,
        }
    }
}

impl Keeper {
    fn add(&mut self, interval: &Interval) {
        let p99_ns = p99(interval);
        let bytes = interval.stats.bytes();
        let written = written(interval);
        // Samples know bytes of reads and writes alike.
        let share = written as f64 / bytes.max(1) as f64;
        for piece in pieces(interval) {
            self.append(TimelinePart {
                length_ns: piece.length_ns,
                ios: piece.sample.ios,
                timed: piece.sample.timed,
                response_ns: piece.sample.response_sum_ns,
                due: piece.demand.due,
                backlog: piece.demand.backlog_end,
                written: (piece.sample.bytes as f64 * share).round() as u64,
                p99_ns,
            });
        }
    }

    fn append(&mut self, next: TimelinePart) {
        // Pieces may be a little short or long.
        let fits = |part: &TimelinePart| part.length_ns + next.length_ns / 2 <= self.length_ns;
        match self.timeline.parts.last_mut() {
            Some(last) if fits(last) => last.append(&next),
            _ => self.timeline.parts.push(next),
        }
        if self.timeline.parts.len() > PARTS_MAX {
            self.timeline.parts = halved(&self.timeline.parts);
            self.length_ns *= 2;
        }
    }
}

impl Observer for Keeper {
    fn observe(&mut self, interval: &Interval) -> Observed {
        match interval.phase {
            Phase::WarmUp => self.timeline.written_before += written(interval),
            Phase::Counted if interval.length_ns > 0 => self.add(interval),
            Phase::Counted | Phase::Drain => {}
        }
        Observed::Continue
    }

    fn timeline(&mut self) -> Option<Timeline> {
        Some(std::mem::take(&mut self.timeline))
    }
}

/// Two neighbours in one.
fn halved(parts: &[TimelinePart]) -> Vec<TimelinePart> {
    let both = |pair: &[TimelinePart]| {
        let mut one = pair[0];
        pair[1..].iter().for_each(|next| one.append(next));
        one
    };
    parts.chunks(2).map(both).collect()
}

fn written(interval: &Interval) -> u64 {
    let streams = interval.stats.streams.iter();
    let by_op = streams.flat_map(StreamStats::ios_by_op);
    by_op.map(|(op, stats)| op.written(stats.bytes)).sum()
}

fn p99(interval: &Interval) -> u64 {
    let mut all = Histogram::new();
    for op in interval.stats.ops() {
        all.merge(&op.response);
    }
    all.quantile_ns(0.99).unwrap_or(0)
}
