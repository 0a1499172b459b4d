//! How the hosts of a step went beside each other, reduced to what strips can show.

use super::brief::brief;
use plimsoll_evidence::{HostInterval, Phase, StepEvidence};
use serde::Serialize;
use std::collections::BTreeMap;

/// Cells of all hosts in all steps, so that the page stays small however large the fleet is.
const CELLS: usize = 120_000;

/// The hosts of one step over time. Build it by [`HostSeries::push`]ing what each did in each interval.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct HostSeries {
    /// The step's number in the record.
    #[serde(skip)]
    pub(super) step: u32,
    /// Start of each column, s from the step's start.
    start_s: Vec<f64>,
    /// Length of each column, s.
    length_s: Vec<f64>,
    /// A line for each host that told something, by its number.
    lines: Vec<HostLine>,
    #[serde(skip)]
    grid: Grid,
    #[serde(skip)]
    hosts: u32,
    #[serde(skip)]
    open: BTreeMap<u32, Vec<Cell>>,
}

/// One host, by column; `None` where it told nothing.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct HostLine {
    host: u32,
    /// I/Os per second.
    rate: Vec<Option<f64>>,
    /// Mean response, ns; `None` also where no I/O came back.
    response_mean_ns: Vec<Option<f64>>,
}

/// Counts of a host in a column.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Cell {
    length_ns: u64,
    ios: u64,
    timed: u64,
    response_sum_ns: u64,
}

/// Grid of columns with the intervals that share each: all hosts cut theirs alike, and none is both warm-up and counted.
#[derive(Debug, Clone, PartialEq)]
struct Grid {
    group: u32,
    warmup: u32,
    /// From where to where each column goes, ns from the step's start.
    columns: Vec<Option<(u64, u64)>>,
}

impl Grid {
    fn new(step: &StepEvidence, intervals: u32, points: u32) -> Self {
        let group = intervals.div_ceil(points.max(1)).max(1);
        let warmup = step.counted_intervals.0.saturating_sub(1).min(intervals);
        let count = warmup.div_ceil(group) + (intervals - warmup).div_ceil(group);
        Grid {
            group,
            warmup,
            columns: vec![None; count as usize],
        }
    }

    /// The column of an interval; `None` of one that the step does not have.
    fn column(&self, number: u32) -> Option<usize> {
        let before = number.checked_sub(1)?;
        let column = match before.checked_sub(self.warmup) {
            None => before / self.group,
            Some(counted) => self.warmup.div_ceil(self.group) + counted / self.group,
        };
        Some(column as usize).filter(|c| *c < self.columns.len())
    }
}

impl HostSeries {
    /// An empty one for `step`, one of `steps` in a report, of so many `intervals` on so many `hosts`.
    pub fn new(step: &StepEvidence, intervals: u32, hosts: usize, steps: usize) -> Self {
        let lines = steps.max(1).saturating_mul(hosts.max(1));
        let points = (CELLS / lines).clamp(16, 600) as u32;
        HostSeries {
            step: step.number,
            start_s: Vec::new(),
            length_s: Vec::new(),
            lines: Vec::new(),
            grid: Grid::new(step, intervals, points),
            hosts: u32::try_from(hosts).unwrap_or(u32::MAX),
            open: BTreeMap::new(),
        }
    }

    /// Adds an interval of a host. One of a host or a time that the step does not have is left out.
    pub fn push(&mut self, interval: &HostInterval) {
        // What comes back after the end belongs to no point in time of the load.
        if interval.phase == Phase::Drain || !(1..=self.hosts).contains(&interval.host) {
            return;
        }
        let Some(column) = self.grid.column(interval.number) else {
            return;
        };
        let start = interval.start_ns;
        let end = start.saturating_add(interval.length_ns);
        let reach = self.grid.columns[column].get_or_insert((start, end));
        *reach = (reach.0.min(start), reach.1.max(end));
        let count = self.grid.columns.len();
        let line = self.open.entry(interval.host);
        let cell = &mut line.or_insert_with(|| vec![Cell::default(); count])[column];
        cell.length_ns = cell.length_ns.saturating_add(interval.length_ns);
        cell.ios = cell.ios.saturating_add(interval.ios);
        cell.timed = cell.timed.saturating_add(interval.timed);
        let sum = &mut cell.response_sum_ns;
        *sum = sum.saturating_add(interval.response_sum_ns);
    }

    /// Closes it: all intervals were pushed. `None` where no host told anything.
    pub fn finish(mut self) -> Option<Self> {
        let open = std::mem::take(&mut self.open);
        // A column in which nobody told anything is none.
        let known: Vec<usize> = (0..self.grid.columns.len())
            .filter(|c| self.grid.columns[*c].is_some())
            .collect();
        for (start, end) in self.grid.columns.iter().flatten() {
            self.start_s.push(*start as f64 / 1e9);
            self.length_s.push((end - start) as f64 / 1e9);
        }
        self.lines = open
            .into_iter()
            .map(|(host, cells)| HostLine {
                host,
                rate: known.iter().map(|c| cells[*c].rate()).collect(),
                response_mean_ns: known.iter().map(|c| cells[*c].response()).collect(),
            })
            .collect();
        (!self.lines.is_empty()).then_some(self)
    }
}

impl Cell {
    fn rate(&self) -> Option<f64> {
        (self.length_ns > 0).then(|| brief(self.ios as f64 / (self.length_ns as f64 / 1e9)))
    }

    fn response(&self) -> Option<f64> {
        (self.timed > 0).then(|| brief(self.response_sum_ns as f64 / self.timed as f64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: u64 = 1_000_000_000;

    fn reported(host: u32, number: u32, ios: u64) -> HostInterval {
        HostInterval {
            host,
            number,
            start_ns: u64::from(number - 1) * S,
            length_ns: S,
            phase: Phase::Counted,
            ios,
            errors: 0,
            timed: ios,
            response_sum_ns: ios * 100_000 * u64::from(host),
        }
    }

    fn step(first: u32, last: u32) -> StepEvidence {
        StepEvidence {
            counted_intervals: (first, last),
            ..StepEvidence::new(1, "s")
        }
    }

    #[test]
    fn each_host_has_a_line_and_a_hole_where_it_told_nothing() {
        let mut series = HostSeries::new(&step(1, 3), 3, 2, 1);
        for number in 1..=3 {
            series.push(&reported(1, number, 100));
        }
        series.push(&reported(2, 1, 50));
        series.push(&reported(2, 2, 0));
        let series = series.finish().unwrap();
        assert_eq!(series.start_s, [0.0, 1.0, 2.0]);
        let [a, b] = &series.lines[..] else { panic!() };
        assert_eq!((a.host, b.host), (1, 2));
        assert_eq!(a.rate, [Some(100.0); 3]);
        assert_eq!(a.response_mean_ns, [Some(100_000.0); 3]);
        assert_eq!(b.rate, [Some(50.0), Some(0.0), None]);
        assert_eq!(b.response_mean_ns, [Some(200_000.0), None, None]);
    }

    #[test]
    fn columns_of_many_intervals_hold_all_ios_and_never_warm_up_with_counted() {
        // 1000 hosts in one step: 120 columns.
        let mut series = HostSeries::new(&step(6, 1205), 1205, 1000, 1);
        for number in 1..=1205 {
            series.push(&reported(7, number, u64::from(number > 5) * 30));
        }
        let series = series.finish().unwrap();
        assert_eq!(series.length_s[..2], [5.0, 11.0]);
        let rate = &series.lines[0].rate;
        assert_eq!((rate[0], rate[1]), (Some(0.0), Some(30.0)));
        assert!(rate.len() <= 121, "{}", rate.len());
        let seconds: f64 = series.length_s.iter().sum();
        assert_eq!(seconds, 1205.0);
    }

    #[test]
    fn what_belongs_to_no_host_and_no_time_of_the_step_is_left_out() {
        let mut series = HostSeries::new(&step(1, 2), 2, 2, 1);
        for (host, number) in [(0, 1), (3, 1), (u32::MAX, 1), (1, 3), (1, u32::MAX)] {
            series.push(&reported(host, number, 9));
        }
        series.push(&HostInterval {
            phase: Phase::Drain,
            ..reported(1, 2, 9)
        });
        assert_eq!(series.finish(), None);
        assert_eq!(HostSeries::new(&step(0, 0), 0, 0, 0).finish(), None);
    }
}
