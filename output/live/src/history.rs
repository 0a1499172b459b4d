//! Intervals over the whole run in a bounded number of points.

use plimsoll_evidence::Phase;
use plimsoll_record::IntervalTotals;
use serde::Serialize;

/// Points that are kept at most. When they are more, neighbours become one.
const MOST_POINTS: usize = 2048;

/// An interval of the run, or several neighbours that became one. Between the end of a point and the start of the next nothing was measured.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Point {
    /// Number of its step.
    pub step: u32,
    /// Phase of the step; of several the last.
    pub phase: Phase,
    /// Start, seconds from the run's.
    pub start_s: f64,
    /// End, seconds from the run's start.
    pub end_s: f64,
    /// I/Os each second.
    pub rate: f64,
    /// Bytes each second.
    pub bytes_per_s: f64,
    /// I/Os that failed.
    pub errors: u64,
    /// Mean response time, µs; `None` where no I/O was completed.
    pub mean_us: Option<f64>,
    /// Median response time, µs, of the worst interval in it; `None` where none has enough I/Os for it.
    pub p50_us: Option<f64>,
    /// 99th percentile of the response time, µs, of the worst interval in it.
    pub p99_us: Option<f64>,
    /// Longest response time, µs.
    pub max_us: Option<f64>,
    /// I/Os in flight, mean.
    pub depth: Option<f64>,
    /// I/Os that were due and waited for a slot at its end.
    pub backlog: u64,
    /// Share of the host's CPUs that was busy, 0..=1; `None` where nobody looked.
    pub cpu_busy: Option<f64>,
    /// CPUs that Plimsoll itself kept busy: 1.5 is one and a half.
    pub own_cpus: Option<f64>,
}

/// Points of the whole run, in order.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct History {
    /// I/Os that failed in the whole run, also where the points of its beginning are gone.
    pub errors: u64,
    /// I/Os that were completed in the whole run, those of warm-ups and fills too.
    pub ios: u64,
    /// Bytes that they moved.
    pub bytes: u64,
    /// The points.
    pub points: Vec<Point>,
}

impl Point {
    pub(crate) fn of(totals: &IntervalTotals, step: u32, step_start_s: f64) -> Point {
        let length_s = totals.length_ns as f64 / 1e9;
        let start_s = step_start_s + totals.start_ns as f64 / 1e9;
        let each_second = |amount: u64| match length_s > 0.0 {
            true => amount as f64 / length_s,
            false => 0.0,
        };
        Point {
            step,
            phase: totals.phase,
            start_s,
            end_s: start_s + length_s,
            rate: each_second(totals.ios),
            bytes_per_s: each_second(totals.bytes),
            errors: totals.errors,
            mean_us: totals.mean_us,
            p50_us: totals.p50_us,
            p99_us: totals.p99_us,
            max_us: totals.max_us,
            depth: totals.depth,
            backlog: totals.backlog,
            cpu_busy: totals.cpu_busy,
            own_cpus: totals.own_cpu_ns.map(each_second).map(|ns| ns / 1e9),
        }
    }

    /// Length, seconds.
    pub fn length_s(&self) -> f64 {
        self.end_s - self.start_s
    }

    /// True where one follows the other without a pause, in the same phase of the same step.
    fn is_joined_by(&self, next: &Point) -> bool {
        // A thousandth of a second is what clocks and rounding come to.
        let is_of_one = self.step == next.step && self.phase == next.phase;
        is_of_one && (next.start_s - self.end_s).abs() < 1e-3
    }

    fn joined(&self, next: &Point) -> Point {
        let (a, b) = (self.length_s(), next.length_s());
        let by_time = |x: f64, y: f64| match a + b > 0.0 {
            true => (x * a + y * b) / (a + b),
            false => x.max(y),
        };
        let both = |x: Option<f64>, y: Option<f64>, of: &dyn Fn(f64, f64) -> f64| match (x, y) {
            (Some(x), Some(y)) => Some(of(x, y)),
            (one, other) => one.or(other),
        };
        let by_ios = |x: f64, y: f64| {
            let (m, n) = (self.rate * a, next.rate * b);
            match m + n > 0.0 {
                true => (x * m + y * n) / (m + n),
                false => x.max(y),
            }
        };
        Point {
            step: next.step,
            phase: next.phase,
            start_s: self.start_s,
            end_s: next.end_s,
            rate: by_time(self.rate, next.rate),
            bytes_per_s: by_time(self.bytes_per_s, next.bytes_per_s),
            errors: self.errors.saturating_add(next.errors),
            mean_us: both(self.mean_us, next.mean_us, &by_ios),
            p50_us: both(self.p50_us, next.p50_us, &f64::max),
            p99_us: both(self.p99_us, next.p99_us, &f64::max),
            max_us: both(self.max_us, next.max_us, &f64::max),
            depth: both(self.depth, next.depth, &by_time),
            backlog: next.backlog,
            cpu_busy: both(self.cpu_busy, next.cpu_busy, &by_time),
            own_cpus: both(self.own_cpus, next.own_cpus, &by_time),
        }
    }
}

impl History {
    /// Adds what an interval came to.
    pub(crate) fn add(&mut self, totals: &IntervalTotals, point: Point) {
        self.ios = self.ios.saturating_add(totals.ios);
        self.bytes = self.bytes.saturating_add(totals.bytes);
        self.push(point);
    }

    fn push(&mut self, point: Point) {
        self.errors = self.errors.saturating_add(point.errors);
        self.points.push(point);
        if self.points.len() > MOST_POINTS {
            self.thin();
        }
    }

    /// Joins each two neighbours. Where steps are so many and short that this is not enough, the oldest half goes.
    fn thin(&mut self) {
        let mut joined: Vec<Point> = Vec::with_capacity(MOST_POINTS);
        let mut points = std::mem::take(&mut self.points).into_iter().peekable();
        while let Some(point) = points.next() {
            let next = points.next_if(|next| point.is_joined_by(next));
            joined.push(next.map_or_else(|| point.clone(), |next| point.joined(&next)));
        }
        let many = joined.len().saturating_sub(MOST_POINTS * 3 / 4);
        if many > 0 {
            joined.drain(..MOST_POINTS / 2);
        }
        self.points = joined;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn totals(number: u32, p99_us: f64) -> IntervalTotals {
        IntervalTotals {
            number,
            start_ns: u64::from(number - 1) * 1_000_000_000,
            length_ns: 1_000_000_000,
            phase: Phase::Counted,
            ios: 100,
            bytes: 409_600,
            errors: 0,
            mean_us: Some(50.0),
            p50_us: Some(40.0),
            p99_us: Some(p99_us),
            max_us: Some(p99_us),
            depth: Some(4.0),
            backlog: 0,
            cpu_busy: Some(0.5),
            own_cpu_ns: Some(250_000_000),
        }
    }

    #[test]
    fn a_spike_of_one_second_outlives_a_day() {
        let mut history = History::default();
        for number in 1..=86_400 {
            let p99_us = if number == 600 { 9_000.0 } else { 80.0 };
            history.push(Point::of(&totals(number, p99_us), 1, 0.0));
        }
        assert!(history.points.len() <= MOST_POINTS);
        let spike: Vec<&Point> = history
            .points
            .iter()
            .filter(|p| p.p99_us == Some(9_000.0))
            .collect();
        assert_eq!(spike.len(), 1);
        assert!((spike[0].start_s..spike[0].end_s).contains(&599.5));
        let ios: f64 = history.points.iter().map(|p| p.rate * p.length_s()).sum();
        assert!((ios - 8_640_000.0).abs() < 1.0, "{ios}");
        assert!(
            history
                .points
                .iter()
                .all(|p| p.mean_us == Some(50.0) && p.own_cpus == Some(0.25))
        );
    }

    #[test]
    fn a_pause_between_steps_is_never_closed() {
        let mut history = History::default();
        // Steps of 7 s, each 3 s after the one before.
        for number in 0..6_000_u32 {
            let (step, within) = (number / 7, number % 7 + 1);
            history.push(Point::of(
                &totals(within, 80.0),
                step,
                f64::from(step) * 10.0,
            ));
        }
        assert!(history.points.len() < 6_000);
        for point in &history.points {
            let (from, to) = (point.start_s % 10.0, point.end_s % 10.0);
            assert!(from < to && to <= 7.0, "{point:?}");
        }
    }

    #[test]
    fn many_short_steps_are_bounded_too() {
        let mut history = History::default();
        for step in 0..10_000 {
            let mut totals = totals(1, 80.0);
            totals.errors = 3;
            history.push(Point::of(&totals, step, f64::from(step) * 2.0));
        }
        assert!(history.points.len() <= MOST_POINTS);
        assert_eq!(history.errors, 30_000, "also of points that are gone");
        assert_eq!(history.points.last().map(|p| p.step), Some(9_999));
    }

    #[test]
    fn phases_are_never_joined() {
        let mut history = History::default();
        // The last second of each ten is the warm-up's.
        for number in 1..=6_000 {
            let mut totals = totals(number, 80.0);
            if number % 10 == 0 {
                (totals.phase, totals.ios) = (Phase::WarmUp, 7);
            }
            history.push(Point::of(&totals, 1, 0.0));
        }
        assert!(history.points.len() < 6_000);
        for point in &history.points {
            let rate = match point.phase {
                Phase::WarmUp => 7.0,
                _ => 100.0,
            };
            assert_eq!(point.rate, rate, "{point:?}");
        }
    }
}
