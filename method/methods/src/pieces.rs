//! An interval as the samples that it was counted in.

use plimsoll_evidence::Interval;
use plimsoll_measure::{Demand, Sample, StreamStats};

/// Length of a sample inside an interval.
pub const SAMPLE_NS: u64 = 100_000_000;

/// One sample of one interval.
#[derive(Debug, Clone, Copy, Default)]
pub struct Piece {
    /// Length of the piece, ns.
    pub length_ns: u64,
    /// I/Os that completed in it, of all streams.
    pub sample: Sample,
    /// I/Os that came due in it, of all streams with a schedule.
    pub demand: Demand,
    /// I/Os that failed: they are known of an interval, and lie in its last piece.
    pub failed: u64,
    /// Operations that found nothing to do: they are known of an interval, and spread evenly over its pieces.
    pub blocked: u64,
}

/// An interval's samples with their lengths. They sum to what the interval counted: a last piece of less than half a
/// sample belongs to the one before it, a sample that is missing counted nothing, and what no sample holds (all of it,
/// in an interval without samples) is in the last.
pub fn pieces(interval: &Interval) -> Vec<Piece> {
    let stats = &interval.stats;
    let count = count(interval);
    let last = count - 1;
    let mut pieces = vec![
        Piece {
            length_ns: SAMPLE_NS,
            ..Piece::default()
        };
        count
    ];
    pieces[last].length_ns = interval.length_ns - last as u64 * SAMPLE_NS;
    let mut missing = total(interval);
    for (i, sample) in stats.samples.iter().enumerate() {
        pieces[i.min(last)].sample.merge(sample);
        missing.ios = missing.ios.saturating_sub(sample.ios);
        missing.bytes = missing.bytes.saturating_sub(sample.bytes);
        missing.timed = missing.timed.saturating_sub(sample.timed);
        missing.response_sum_ns = missing
            .response_sum_ns
            .saturating_sub(sample.response_sum_ns);
        missing.service_sum_ns = missing.service_sum_ns.saturating_sub(sample.service_sum_ns);
    }
    pieces[last].sample.merge(&missing);
    pieces[last].failed = stats.failed_ios();
    for (i, piece) in pieces.iter_mut().enumerate() {
        piece.blocked = part(stats.blocked(), i, count);
    }
    for stream in &stats.streams {
        for (piece, demand) in pieces.iter_mut().zip(demands(interval, stream)) {
            piece.demand.merge(&demand);
        }
    }
    pieces
}

/// Part of a whole in the `i`th of so many pieces, where it is spread evenly.
fn part(whole: u64, i: usize, count: usize) -> u64 {
    let until = |n: usize| (u128::from(whole) * n as u128 / count as u128) as u64;
    until(i + 1) - until(i)
}

/// Number of pieces of an interval, at least 1.
fn count(interval: &Interval) -> usize {
    match interval.stats.samples.is_empty() {
        true => 1,
        false => ((interval.length_ns + SAMPLE_NS / 2) / SAMPLE_NS).max(1) as usize,
    }
}

/// Demand of a stream for each piece of the interval: what came due and what came back. Where it was not counted by sample, it is taken to
/// have come evenly.
pub fn demands(interval: &Interval, stream: &StreamStats) -> Vec<Demand> {
    let count = count(interval);
    let mut demands = vec![Demand::default(); count];
    if stream.demand.is_empty() {
        let part = |whole: u64, i: usize| part(whole, i, count);
        let done = stream.done();
        for (i, demand) in demands.iter_mut().enumerate() {
            *demand = Demand {
                due: part(stream.due, i),
                done: part(done, i),
                late_for_slot: part(stream.late_for_slot, i),
                late_by_host: part(stream.late_by_host, i),
                backlog_end: 0,
            };
        }
        return demands;
    }
    for (i, part) in stream.demand.iter().enumerate() {
        let demand = &mut demands[i.min(count - 1)];
        demand.merge(part);
        // A level, not a count: the later one holds.
        demand.backlog_end = part.backlog_end;
    }
    let told: u64 = stream.demand.iter().map(|d| d.due).sum();
    demands[count - 1].due += stream.due.saturating_sub(told);
    demands
}

/// All that an interval counted, as one sample.
fn total(interval: &Interval) -> Sample {
    let mut sum = Sample::default();
    for op in interval.stats.ops() {
        sum.merge(&Sample {
            ios: op.ios,
            bytes: 0,
            timed: op.response.count(),
            response_sum_ns: op.response.sum_ns(),
            service_sum_ns: op.service.sum_ns(),
        });
    }
    sum.bytes = interval.stats.bytes();
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use plimsoll_evidence::Phase;
    use plimsoll_measure::IntervalStats;

    fn interval(length_ns: u64, samples: &[u64], ios: u64) -> Interval {
        let mut stats = IntervalStats::new(1);
        stats.streams[0].ops[0].ios = ios;
        stats.samples = samples
            .iter()
            .map(|n| Sample {
                ios: *n,
                ..Sample::default()
            })
            .collect();
        Interval::new(1, 1, 0..length_ns, Phase::Counted, stats)
    }

    const MS: u64 = 1_000_000;

    #[test]
    fn what_found_nothing_to_do_is_spread_and_has_not_failed() {
        let mut interval = interval(300 * MS, &[5, 5, 5], 15);
        interval.stats.streams[0].blocked = 7;
        let found: Vec<u64> = pieces(&interval).iter().map(|p| p.blocked).collect();
        assert_eq!(found, [2, 2, 3]);
        assert!(pieces(&interval).iter().all(|p| p.failed == 0));
    }

    #[test]
    fn pieces_fill_the_interval_and_hold_all_that_it_counted() {
        let cases = [
            // A short last piece joins the one before it, a long one stands alone.
            (interval(210 * MS, &[5, 6, 1], 12), vec![(5, 100), (7, 110)]),
            (
                interval(260 * MS, &[5, 6, 1], 12),
                vec![(5, 100), (6, 100), (1, 60)],
            ),
            // A sample that is missing counted nothing.
            (
                interval(300 * MS, &[5], 5),
                vec![(5, 100), (0, 100), (0, 100)],
            ),
            // What no sample holds is in the last.
            (interval(200 * MS, &[5, 5], 13), vec![(5, 100), (8, 100)]),
            (interval(1000 * MS, &[], 13), vec![(13, 1000)]),
        ];
        for (interval, expected) in cases {
            let found: Vec<(u64, u64)> = pieces(&interval)
                .iter()
                .map(|p| (p.sample.ios, p.length_ns / MS))
                .collect();
            assert_eq!(found, expected);
        }
    }

    #[test]
    fn what_came_due_is_in_the_same_pieces_and_a_backlog_is_a_level() {
        let demand = |due, backlog_end| Demand {
            due,
            backlog_end,
            ..Demand::default()
        };
        let mut short = interval(210 * MS, &[1, 1, 1], 3);
        short.stats.streams[0].demand = vec![demand(5, 2), demand(6, 9), demand(1, 4)];
        let of = |i: &Interval| -> Vec<(u64, u64)> {
            let pieces = pieces(i);
            let demand = pieces.iter().map(|p| p.demand);
            demand.map(|d| (d.due, d.backlog_end)).collect()
        };
        assert_eq!(of(&short), [(5, 2), (7, 4)]);
        // Not told by sample: evenly, and none is lost.
        let mut untold = interval(300 * MS, &[1, 1, 1], 3);
        untold.stats.streams[0].due = 11;
        assert_eq!(of(&untold), [(3, 0), (4, 0), (4, 0)]);
    }
}
