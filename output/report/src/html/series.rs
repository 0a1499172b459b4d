//! A step's intervals, reduced to what a chart can show.

use super::array_series::{ArraySeries, OpenArrays};
use super::brief::brief;
use super::heat::HeatMap;
use plimsoll_evidence::{Interval, Phase, StepEvidence};
use plimsoll_measure::Histogram;
use serde::Serialize;

/// Budget of each step in the page, so that the page stays small however many steps there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// Most points of a time series.
    pub points: u32,
    /// Most rows of a heat map.
    pub heat_rows: u32,
    /// Columns of addresses that one column of a heat map stands for.
    pub heat_merge: usize,
}

impl Budget {
    /// Series for a record of this many steps, with this many maps of addresses in each.
    pub fn new(steps: usize, maps: usize) -> Self {
        let share =
            |all: usize, parts: usize| u32::try_from(all / parts.max(1)).unwrap_or(u32::MAX);
        Budget {
            points: share(4000, steps).clamp(7, 2000),
            heat_rows: share(240, steps * maps.max(1)).clamp(1, 240),
            heat_merge: if steps * maps.max(1) > 60 { 4 } else { 1 },
        }
    }
}

/// One step over time: rates, latencies and addresses, by column. Build it by [`StepSeries::push`]ing each interval.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StepSeries {
    /// The step's number in the record.
    pub(super) step: u32,
    /// Intervals in a point; min and max of the rate are among them.
    group: u32,
    /// Start of each point, s from the step's start.
    start_s: Vec<f64>,
    /// Length of each point, s.
    length_s: Vec<f64>,
    /// True for each interval that isn't counted.
    warmup: Vec<bool>,
    /// I/Os per second.
    rate: Vec<f64>,
    /// The slowest interval's I/Os per second; empty where each point is one interval.
    rate_min: Vec<f64>,
    /// The fastest interval's.
    rate_max: Vec<f64>,
    /// Bytes of an I/O, the mean; 0 where none completed.
    bytes_per_io: Vec<f64>,
    /// Mean response, ns; `None` where no I/O completed.
    response_mean_ns: Vec<Option<f64>>,
    /// Median response, ns; `None` where the sample doesn't support it.
    response_p50_ns: Vec<Option<u64>>,
    /// 99th percentile of response, ns.
    response_p99_ns: Vec<Option<u64>>,
    /// Longest response, ns.
    response_max_ns: Vec<Option<u64>>,
    /// Mean service, ns.
    service_mean_ns: Vec<Option<f64>>,
    /// Mean I/Os in flight.
    depth: Vec<f64>,
    /// Backlog at the point's end, I/Os.
    backlog: Vec<u64>,
    /// Failed I/Os.
    errors: Vec<u64>,
    /// Busy share of the host's CPUs, 0..=1; `None` where not observable.
    cpu: Vec<Option<f64>>,
    /// The arrays below the targets, in the order of the step's; empty where none told anything.
    arrays: Vec<ArraySeries>,
    /// Addresses.
    heat: HeatMap,
    /// I/Os that came back after the end; `None` where nothing was out.
    drain: Option<Drain>,
    #[serde(skip)]
    open: Option<Open>,
}

/// The time after the end, in which what was due before came back.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
struct Drain {
    /// Until the last was back, s from the end.
    length_s: f64,
    /// I/Os that came back.
    ios: u64,
}

/// The point that is being filled.
#[derive(Debug, Clone, PartialEq)]
struct Open {
    start_ns: u64,
    warmup: bool,
    intervals: u32,
    length_ns: u64,
    ios: u64,
    bytes: u64,
    errors: u64,
    rate_min: f64,
    rate_max: f64,
    response: Histogram,
    service: Histogram,
    depth_integral_ns: u64,
    backlog_end: u64,
    cpu_busy_ns: Option<f64>,
    arrays: OpenArrays,
}

impl StepSeries {
    /// An empty series for `step` of so many `intervals`. `targets`: the target of each stream, by its number in the
    /// environment; an empty list puts all on the first one, `None` is not known.
    pub fn new(
        step: &StepEvidence,
        intervals: u32,
        targets: Option<&[usize]>,
        budget: Budget,
    ) -> Self {
        StepSeries {
            step: step.number,
            group: intervals.div_ceil(budget.points.max(1)),
            start_s: Vec::new(),
            length_s: Vec::new(),
            warmup: Vec::new(),
            rate: Vec::new(),
            rate_min: Vec::new(),
            rate_max: Vec::new(),
            bytes_per_io: Vec::new(),
            response_mean_ns: Vec::new(),
            response_p50_ns: Vec::new(),
            response_p99_ns: Vec::new(),
            response_max_ns: Vec::new(),
            service_mean_ns: Vec::new(),
            depth: Vec::new(),
            backlog: Vec::new(),
            errors: Vec::new(),
            cpu: Vec::new(),
            arrays: Vec::new(),
            heat: HeatMap::new(
                intervals.div_ceil(budget.heat_rows.max(1)),
                budget.heat_merge,
                targets,
            ),
            drain: None,
            open: None,
        }
    }

    /// Adds the next interval.
    pub fn push(&mut self, interval: &Interval) {
        // What comes back after the end belongs to no point in time of the load.
        if interval.phase == Phase::Drain {
            let drain = self.drain.get_or_insert(Drain {
                length_s: 0.0,
                ios: 0,
            });
            drain.length_s += interval.length_ns as f64 / 1e9;
            drain.ios = drain.ios.saturating_add(interval.stats.ios());
            return;
        }
        // A point is either counted or not.
        if self
            .open
            .as_ref()
            .is_some_and(|o| o.warmup == interval.counts())
        {
            self.close_point();
        }
        self.heat.push(interval);
        let open = self.open.get_or_insert_with(|| Open::at(interval));
        open.add(interval);
        if open.intervals >= self.group {
            self.close_point();
        }
    }

    /// Closes the last point: all intervals were pushed.
    pub fn finish(mut self) -> Self {
        self.close_point();
        self.heat.finish();
        self
    }

    fn close_point(&mut self) {
        let Some(open) = self.open.take() else { return };
        let seconds = open.length_ns as f64 / 1e9;
        self.start_s.push(open.start_ns as f64 / 1e9);
        self.length_s.push(seconds);
        self.warmup.push(open.warmup);
        self.rate.push(brief(per(open.ios as f64, seconds)));
        if self.group > 1 {
            self.rate_min.push(brief(open.rate_min));
            self.rate_max.push(brief(open.rate_max));
        }
        self.bytes_per_io
            .push(brief(per(open.bytes as f64, open.ios as f64)));
        self.response_mean_ns
            .push(open.response.mean_ns().map(brief));
        self.response_p50_ns
            .push(open.response.supported_quantile_ns(0.5));
        self.response_p99_ns
            .push(open.response.supported_quantile_ns(0.99));
        self.response_max_ns.push(open.response.max_ns());
        self.service_mean_ns.push(open.service.mean_ns().map(brief));
        self.depth.push(brief(per(
            open.depth_integral_ns as f64,
            open.length_ns as f64,
        )));
        self.backlog.push(open.backlog_end);
        self.errors.push(open.errors);
        self.cpu.push(
            open.cpu_busy_ns
                .map(|busy| brief(per(busy, open.length_ns as f64))),
        );
        open.arrays.close(&mut self.arrays);
    }
}

impl Open {
    fn at(interval: &Interval) -> Self {
        Open {
            start_ns: interval.start_ns,
            warmup: !interval.counts(),
            intervals: 0,
            length_ns: 0,
            ios: 0,
            bytes: 0,
            errors: 0,
            rate_min: f64::INFINITY,
            rate_max: 0.0,
            response: Histogram::new(),
            service: Histogram::new(),
            depth_integral_ns: 0,
            backlog_end: 0,
            cpu_busy_ns: None,
            arrays: OpenArrays::default(),
        }
    }

    fn add(&mut self, interval: &Interval) {
        let stats = &interval.stats;
        let rate = per(stats.ios() as f64, interval.length_ns as f64 / 1e9);
        self.intervals += 1;
        self.length_ns = self.length_ns.saturating_add(interval.length_ns);
        self.ios = self.ios.saturating_add(stats.ios());
        self.bytes = self.bytes.saturating_add(stats.bytes());
        self.errors = self.errors.saturating_add(stats.errors());
        self.rate_min = self.rate_min.min(rate);
        self.rate_max = self.rate_max.max(rate);
        for op in stats.ops().filter(|op| op.ios > 0) {
            self.response.merge(&op.response);
            self.service.merge(&op.service);
        }
        self.arrays.add(interval);
        self.depth_integral_ns = self
            .depth_integral_ns
            .saturating_add(stats.depth_integral_ns);
        self.backlog_end = stats.backlog_end;
        if let Some(cpu) = &interval.cpu {
            *self.cpu_busy_ns.get_or_insert(0.0) +=
                (cpu.user + cpu.system) * interval.length_ns as f64;
        }
    }
}

/// `amount / base`, and 0 where nothing is there to divide by.
fn per(amount: f64, base: f64) -> f64 {
    if base > 0.0 { amount / base } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html::data::fixture;

    #[test]
    fn a_short_step_keeps_each_interval_as_a_point() {
        let step = fixture::step(1, 30);
        let mut series = StepSeries::new(&step, 30, Some(&[]), Budget::new(1, 1));
        (1..=30).for_each(|n| series.push(&fixture::interval(1, n, 1000 + u64::from(n))));
        let series = series.finish();
        assert_eq!(series.group, 1);
        assert_eq!(series.rate.len(), 30);
        assert_eq!(series.rate[4], 1005.0);
        assert!(series.rate_min.is_empty());
    }

    #[test]
    fn a_long_step_is_reduced_to_min_mean_and_max_and_its_longest_response_stays() {
        let step = fixture::step(1, 10_000);
        let budget = Budget {
            points: 100,
            heat_rows: 10,
            heat_merge: 1,
        };
        let mut series = StepSeries::new(&step, 10_000, Some(&[]), budget);
        for n in 1..=10_000 {
            let mut interval = fixture::interval(1, n, 10);
            if n == 5050 {
                interval = fixture::interval(1, n, 0);
            }
            series.push(&interval);
        }
        let series = series.finish();
        assert_eq!(series.rate.len(), 100);
        assert_eq!(series.heat.row_count(), 10);
        let point = 5049 / 100;
        assert_eq!(series.rate_min[point], 0.0);
        assert_eq!(series.rate_max[point], 10.0);
        assert!((series.rate[point] - 9.9).abs() < 1e-9);
    }

    #[test]
    fn a_point_never_mixes_warm_up_and_counted_intervals() {
        let step = fixture::step(1, 100);
        let budget = Budget {
            points: 10,
            heat_rows: 10,
            heat_merge: 1,
        };
        let mut series = StepSeries::new(&step, 100, Some(&[]), budget);
        for n in 1..=100 {
            let mut interval = fixture::interval(1, n, 10);
            if n <= 5 {
                interval.phase = Phase::WarmUp;
            }
            series.push(&interval);
        }
        let series = series.finish();
        assert_eq!(series.warmup.iter().filter(|w| **w).count(), 1);
        assert_eq!(series.length_s[0], 5.0);
        assert_eq!(series.length_s.iter().sum::<f64>(), 100.0);
    }

    #[test]
    fn what_comes_back_after_the_end_is_no_point_of_the_load() {
        let step = fixture::step(1, 2);
        let mut series = StepSeries::new(&step, 3, Some(&[]), Budget::new(1, 1));
        series.push(&fixture::interval(1, 1, 100));
        series.push(&fixture::interval(1, 2, 100));
        let mut drain = fixture::interval(1, 3, 7);
        (drain.phase, drain.length_ns) = (Phase::Drain, 250_000_000);
        series.push(&drain);
        let series = series.finish();
        assert_eq!(series.rate, [100.0, 100.0]);
        let expected = Drain {
            length_s: 0.25,
            ios: 7,
        };
        assert_eq!(series.drain, Some(expected));
    }

    #[test]
    fn an_interval_without_ios_has_a_rate_of_zero_and_no_latency() {
        let step = fixture::step(1, 1);
        let mut series = StepSeries::new(&step, 1, Some(&[]), Budget::new(1, 1));
        series.push(&fixture::interval(1, 1, 0));
        let series = series.finish();
        assert_eq!(series.rate, [0.0]);
        assert_eq!(series.response_mean_ns, [None]);
        assert_eq!(series.response_max_ns, [None]);
    }

    #[test]
    fn the_budget_keeps_many_steps_small_and_one_step_whole() {
        assert_eq!(Budget::new(1, 1).points, 2000);
        assert_eq!(Budget::new(200, 1).points, 20);
        assert_eq!(Budget::new(0, 0).heat_rows, 240);
        let many = Budget::new(1000, 4);
        assert_eq!((many.points, many.heat_rows, many.heat_merge), (7, 1, 4));
    }

    #[test]
    fn numbers_keep_five_digits() {
        assert_eq!(brief(123_456.7), 123_460.0);
        assert_eq!(brief(0.001_234_567), 0.001_234_6);
        assert_eq!(brief(0.0), 0.0);
    }
}
