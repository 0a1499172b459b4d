//! Where I/Os went: address by time, reduced to few rows.

use plimsoll_evidence::Interval;
use serde::Serialize;

/// Cells count in tenths of an even share: 10 is what each column gets when all are alike.
const EVEN: f64 = 10.0;

/// Maps of a step, at most: far more than anybody looks at.
const MOST_LANES: usize = 4096;

/// One step's heat map.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub(super) struct HeatMap {
    /// Start of each row, s from the step's start.
    start_s: Vec<f64>,
    /// Length of each row, s.
    length_s: Vec<f64>,
    /// Kind of thing that a lane is of.
    by: Lanes,
    /// The maps; a target's number in the environment is its lane's.
    lanes: Vec<Lane>,
    #[serde(skip)]
    open: Option<OpenRow>,
    #[serde(skip)]
    group: u32,
    #[serde(skip)]
    merge: usize,
    #[serde(skip)]
    targets: Vec<usize>,
}

/// Kind of thing that a lane is of.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Lanes {
    /// One lane a target.
    #[default]
    Target,
    /// One lane a stream: their targets aren't known.
    Stream,
}

/// One map of addresses.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
struct Lane {
    /// By row: accesses of each column, in tenths of an even share of that row; 0 only where there was none.
    rows: Vec<Vec<u32>>,
    /// Share of the counted accesses that the hottest column got, 0..=1; `None` where there were none.
    hottest_share: Option<f64>,
    #[serde(skip)]
    totals: Vec<u64>,
}

#[derive(Debug, Clone, PartialEq)]
struct OpenRow {
    start_ns: u64,
    length_ns: u64,
    intervals: u32,
    lanes: Vec<Vec<u64>>,
}

impl HeatMap {
    /// An empty map whose rows span `group` intervals each, and whose columns `merge` of those measured; `targets`: the target of each stream, where known.
    pub(super) fn new(group: u32, merge: usize, targets: Option<&[usize]>) -> Self {
        HeatMap {
            group: group.max(1),
            merge: merge.max(1),
            by: if targets.is_some() {
                Lanes::Target
            } else {
                Lanes::Stream
            },
            targets: targets.unwrap_or_default().to_vec(),
            ..Default::default()
        }
    }

    /// Adds an interval.
    pub(super) fn push(&mut self, interval: &Interval) {
        let row = self.open.get_or_insert_with(|| OpenRow {
            start_ns: interval.start_ns,
            length_ns: 0,
            intervals: 0,
            lanes: Vec::new(),
        });
        row.intervals += 1;
        row.length_ns = row.length_ns.saturating_add(interval.length_ns);
        for (number, stream) in interval.stats.streams.iter().enumerate() {
            let lane = match self.by {
                Lanes::Target => self.targets.get(number).copied().unwrap_or(0),
                Lanes::Stream => number,
            };
            if lane >= MOST_LANES {
                continue;
            }
            add_at(&mut row.lanes, lane, &stream.heat);
            if interval.counts() {
                if self.lanes.len() <= lane {
                    self.lanes.resize_with(lane + 1, Lane::default);
                }
                add(&mut self.lanes[lane].totals, &stream.heat);
            }
        }
        if row.intervals >= self.group {
            self.close_row();
        }
    }

    /// Closes the last row and sums up.
    pub(super) fn finish(&mut self) {
        self.close_row();
        for lane in &mut self.lanes {
            let total = plimsoll_measure::total(lane.totals.iter().copied());
            if total > 0 {
                let hottest = lane.totals.iter().max().copied().unwrap_or(0);
                lane.hottest_share = Some(hottest as f64 / total as f64);
            }
        }
    }

    /// Rows so far.
    #[cfg(test)]
    pub(super) fn row_count(&self) -> usize {
        self.start_s.len()
    }

    fn close_row(&mut self) {
        let Some(row) = self.open.take() else { return };
        self.start_s.push(row.start_ns as f64 / 1e9);
        self.length_s.push(row.length_ns as f64 / 1e9);
        if self.lanes.len() < row.lanes.len() {
            self.lanes.resize_with(row.lanes.len(), Lane::default);
        }
        for (number, lane) in self.lanes.iter_mut().enumerate() {
            let counts = row.lanes.get(number).map_or(&[][..], Vec::as_slice);
            let merged = counts.chunks(self.merge);
            let merged: Vec<u64> = merged
                .map(|c| plimsoll_measure::total(c.iter().copied()))
                .collect();
            lane.rows.push(shares(&merged, self.merge));
        }
    }
}

fn add_at(lanes: &mut Vec<Vec<u64>>, lane: usize, heat: &[u32]) {
    if lanes.len() <= lane {
        lanes.resize_with(lane + 1, Vec::new);
    }
    add(&mut lanes[lane], heat);
}

fn add(sums: &mut Vec<u64>, heat: &[u32]) {
    if sums.len() < heat.len() {
        sums.resize(heat.len(), 0);
    }
    for (sum, count) in sums.iter_mut().zip(heat) {
        *sum = sum.saturating_add(u64::from(*count));
    }
}

/// Tenths of an even share; in halves where columns are merged, for then the rows are many and small.
fn shares(counts: &[u64], merge: usize) -> Vec<u32> {
    let unit = if merge > 1 { EVEN / 2.0 } else { 1.0 };
    let all = plimsoll_measure::total(counts.iter().copied());
    let even = all as f64 / counts.len().max(1) as f64;
    counts
        .iter()
        .map(|n| match n {
            0 => 0,
            n => (((*n as f64 / even * EVEN / unit).round() * unit) as u32).max(1),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use plimsoll_evidence::Phase;
    use plimsoll_measure::IntervalStats;

    fn interval(number: u32, warmup: bool, heats: &[(usize, u32)]) -> Interval {
        let mut stats = IntervalStats::new(2);
        for (column, count) in heats {
            stats.streams[0].heat[*column] = *count;
            stats.streams[1].heat[*column] = *count;
        }
        let start_ns = u64::from(number - 1) * 1_000_000_000;
        let phase = match warmup {
            true => Phase::WarmUp,
            false => Phase::Counted,
        };
        let time_ns = start_ns..start_ns + 1_000_000_000;
        Interval::new(1, number, time_ns, phase, stats)
    }

    #[test]
    fn streams_on_one_target_are_one_map_and_others_have_their_own() {
        let cases: [(Option<&[usize]>, usize); 4] = [
            (Some(&[]), 1),
            (Some(&[0, 0]), 1),
            (Some(&[0, 1]), 2),
            (None, 2),
        ];
        for (targets, lanes) in cases {
            let mut map = HeatMap::new(1, 1, targets);
            map.push(&interval(1, false, &[(0, 5)]));
            map.finish();
            assert_eq!(map.lanes.len(), lanes);
        }
    }

    #[test]
    fn rows_are_relative_to_an_even_share_and_an_access_never_looks_like_none() {
        let mut map = HeatMap::new(1, 1, Some(&[]));
        map.push(&interval(1, false, &[(0, 100_000), (1, 1)]));
        map.finish();
        let row = &map.lanes[0].rows[0];
        assert_eq!(row[0], 2560);
        assert_eq!(row[1], 1);
        assert_eq!(row[2], 0);
    }

    #[test]
    fn of_many_maps_the_columns_are_merged_and_tell_halves_of_an_even_share() {
        let mut map = HeatMap::new(1, 4, Some(&[]));
        // Of 64 merged columns the first has 40 of 4,000, where an even share is 62.5; the second has what is left.
        map.push(&interval(1, false, &[(0, 10), (3, 30), (4, 3960)]));
        map.finish();
        let row = &map.lanes[0].rows[0];
        assert_eq!((row.len(), row[0], row[1], row[2]), (64, 5, 635, 0));
    }

    #[test]
    fn intervals_share_a_row_and_the_last_row_may_be_shorter() {
        let mut map = HeatMap::new(2, 1, Some(&[]));
        (1..=3).for_each(|n| map.push(&interval(n, false, &[(0, 1)])));
        map.finish();
        assert_eq!(map.start_s, [0.0, 2.0]);
        assert_eq!(map.length_s, [2.0, 1.0]);
    }

    #[test]
    fn the_summary_leaves_the_warm_up_out() {
        let mut map = HeatMap::new(1, 1, Some(&[]));
        map.push(&interval(1, true, &[(9, 1_000_000)]));
        map.push(&interval(2, false, &[(0, 3), (1, 1)]));
        map.finish();
        assert_eq!(map.lanes[0].hottest_share, Some(0.75));
    }

    #[test]
    fn a_step_without_accesses_has_an_empty_map() {
        let mut map = HeatMap::new(1, 1, Some(&[]));
        map.push(&interval(1, false, &[]));
        map.finish();
        assert_eq!(map.lanes[0].hottest_share, None);
        assert!(map.lanes[0].rows[0].iter().all(|n| *n == 0));
    }
}
