//! The lines of a disturbance's charts: of several repeats their mean with its interval, of one the means of what lies still.
//!
//! A bin of a series is one value and says nothing of how sure it is. Repeats do, and where there is one the bins beside it,
//! as long as nothing happens: a mean over a moment at which the rate falls has no interval that means anything.

use super::repeat::SeenDisturbance;
use plimsoll_evidence::{ChartPoint, ChartSeries};
use plimsoll_measure::student_t;

/// Repeats that a chart draws, at most: more are a thicket. All are in the mean.
const DRAWN: usize = 5;
/// Points of the still time of one repeat, about.
const POINTS: usize = 200;
/// Bins in such a point, at least.
const BINS_LEAST: usize = 5;

/// All repeats that a chart is made of, with their numbers from 1.
pub(super) struct Lines<'r, 's> {
    pub all: Vec<(usize, &'r SeenDisturbance<'s>)>,
}

impl Lines<'_, '_> {
    /// Caption that says what the intervals are taken over.
    pub fn intervals(&self) -> &'static str {
        match (self.all.len(), self.aligned()) {
            (1, _) => {
                "95 % interval of the mean over some bins, before the disturbance and when the rate is back; between, each point is \
                 one bin and has none"
            }
            (_, true) => "95 % interval of the mean over the repeats; a repeat's own bin has none",
            (_, false) => "No intervals: the repeats differ in the length of their bins",
        }
    }

    /// Largest gap between two points that are still joined, s.
    pub fn gap_s(&self) -> f64 {
        let spacing = |(_, seen): &(usize, &SeenDisturbance)| {
            let bins = match self.all.len() {
                1 => bins_in_a_point(seen),
                _ => 1,
            };
            // A cell holds enough I/Os that an empty one is no chance.
            (bins as f64 * seen.series.bin_ns as f64 / 1e9).max(seen.cells.length_s)
        };
        1.5 * self.all.iter().map(spacing).fold(0.0, f64::max)
    }

    /// The lines of a value of each bin.
    pub fn of(
        &self,
        name: &str,
        y: impl Fn(&SeenDisturbance, usize) -> Option<f64>,
    ) -> Vec<ChartSeries> {
        if let [(number, seen)] = self.all[..] {
            return vec![series(
                &named(name, &format!("repeat {number}")),
                still_means(seen, |bin| y(seen, bin)),
            )];
        }
        let mut lines = Vec::new();
        if self.aligned() {
            let mean = format!("mean of {} repeats", self.all.len());
            lines.push(series(&named(name, &mean), self.means(&y)));
        }
        lines.extend(self.each(name, y));
        lines
    }

    /// One line: the mean over the repeats where there are several, of the first where they cannot be put together.
    pub fn mean_of(
        &self,
        name: &str,
        y: impl Fn(&SeenDisturbance, usize) -> Option<f64>,
    ) -> Vec<ChartSeries> {
        match self.all[..] {
            [] => Vec::new(),
            [(_, seen)] => vec![series(name, still_means(seen, |bin| y(seen, bin)))],
            [(_, first), ..] if !self.aligned() => vec![series(name, raw(first, |b| y(first, b)))],
            _ => vec![series(name, self.means(y))],
        }
    }

    /// Each repeat's line by itself.
    pub fn each(
        &self,
        name: &str,
        y: impl Fn(&SeenDisturbance, usize) -> Option<f64>,
    ) -> Vec<ChartSeries> {
        let line = |(number, seen): &(usize, &SeenDisturbance)| {
            let own = named(name, &format!("repeat {number}"));
            series(&own, raw(seen, |bin| y(seen, bin)))
        };
        self.all.iter().take(DRAWN).map(line).collect()
    }

    /// True where a bin of one repeat is the same time as that of another.
    fn aligned(&self) -> bool {
        let first = self.all.first().map(|(_, seen)| seen.series.bin_ns);
        let same = |(_, seen): &(usize, &SeenDisturbance)| Some(seen.series.bin_ns) == first;
        self.all.iter().all(same)
    }

    /// The mean over the repeats of each bin that all of them have.
    fn means(&self, y: impl Fn(&SeenDisturbance, usize) -> Option<f64>) -> Vec<ChartPoint> {
        let cuts: Vec<usize> = self.all.iter().map(|(_, seen)| cut_bin(seen)).collect();
        let before = cuts.iter().copied().min().unwrap_or(0);
        let after = self.all.iter().zip(&cuts);
        let after = after.map(|((_, seen), cut)| seen.series.bins.len().saturating_sub(*cut));
        let count = before + after.min().unwrap_or(0);
        let point = |at: usize| {
            let each = self.all.iter().zip(&cuts);
            let bins = each.map(|((_, seen), cut)| (*seen, cut - before + at));
            let ys: Option<Vec<f64>> = bins.clone().map(|(seen, bin)| y(seen, bin)).collect();
            let xs: Vec<f64> = bins.map(|(seen, bin)| middle_s(seen, bin)).collect();
            Some(mean_point(&xs, &ys?))
        };
        (0..count).filter_map(point).collect()
    }
}

fn named(name: &str, which: &str) -> String {
    match name.is_empty() {
        true => which.to_string(),
        false => format!("{name}, {which}"),
    }
}

fn series(name: &str, points: Vec<ChartPoint>) -> ChartSeries {
    ChartSeries::new(name, points)
}

/// The bin in which it was done.
fn cut_bin(seen: &SeenDisturbance) -> usize {
    let cut_ns = (seen.cut_s * 1e9).round() as u64;
    seen.series.bin_at(cut_ns).unwrap_or(0)
}

pub(super) fn middle_s(seen: &SeenDisturbance, bin: usize) -> f64 {
    let half = seen.series.bin_length_ns(bin) / 2;
    (seen.series.bin_start_ns(bin) + half) as f64 / 1e9 - seen.cut_s
}

/// Each bin by itself.
fn raw(seen: &SeenDisturbance, y: impl Fn(usize) -> Option<f64>) -> Vec<ChartPoint> {
    let point = |bin: usize| Some(mean_point(&[middle_s(seen, bin)], &[y(bin)?]));
    (0..seen.series.bins.len()).filter_map(point).collect()
}

fn bins_in_a_point(seen: &SeenDisturbance) -> usize {
    seen.series.bins.len().div_ceil(POINTS).max(BINS_LEAST)
}

/// True where nothing of the disturbance is going on at `at_s`, s from its instant.
fn is_still(seen: &SeenDisturbance, at_s: f64) -> bool {
    let undo_s = seen.undo_s.map(|undo| undo - seen.cut_s);
    let back = |from: f64, lasts: Option<f64>| lasts.is_some_and(|s| at_s > from + s);
    match undo_s.filter(|undo| at_s > *undo) {
        _ if at_s < 0.0 => true,
        Some(undo) => back(undo, seen.failback_recovered_s),
        None => back(0.0, seen.recovered_s),
    }
}

/// The means of neighbours in the still time, and each bin where something is going on.
fn still_means(seen: &SeenDisturbance, y: impl Fn(usize) -> Option<f64>) -> Vec<ChartPoint> {
    let size = bins_in_a_point(seen);
    let mut points = Vec::new();
    let mut held: Vec<(f64, f64)> = Vec::new();
    let mut stretch = None;
    for bin in 0..seen.series.bins.len() {
        let Some(value) = y(bin) else { continue };
        let x = middle_s(seen, bin);
        // Before, during and after it are not put together, nor what a time without a value lies between.
        let of = is_still(seen, x).then_some((x < 0.0, undone(seen, x)));
        let far = held
            .last()
            .is_some_and(|(last, _)| x - last > seen.cells.length_s * 1.5);
        if of != stretch || far || of.is_none() || held.len() == size {
            flush(&mut held, &mut points);
        }
        stretch = of;
        held.push((x, value));
    }
    flush(&mut held, &mut points);
    points
}

fn undone(seen: &SeenDisturbance, x: f64) -> bool {
    seen.undo_s.is_some_and(|undo| x > undo - seen.cut_s)
}

/// Joins the held points to one; fewer than a few stay as they are.
fn flush(held: &mut Vec<(f64, f64)>, points: &mut Vec<ChartPoint>) {
    let (xs, ys): (Vec<f64>, Vec<f64>) = held.drain(..).unzip();
    match ys.len() {
        0 => {}
        n if n < BINS_LEAST => {
            points.extend(xs.iter().zip(&ys).map(|(x, y)| mean_point(&[*x], &[*y])));
        }
        _ => points.push(mean_point(&xs, &ys)),
    }
}

/// The mean of values, with Student's 95 % interval where there are two or more. Nothing that is drawn is below 0.
fn mean_point(xs: &[f64], ys: &[f64]) -> ChartPoint {
    let n = ys.len();
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let y = mean(ys);
    let interval = (n > 1).then(|| {
        let squares: f64 = ys.iter().map(|v| (v - y).powi(2)).sum();
        let half = student_t(0.975, n - 1) * (squares / (n - 1) as f64 / n as f64).sqrt();
        ((y - half).max(0.0), y + half)
    });
    ChartPoint::new(mean(xs), y, interval)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disturb::cells::Cells;
    use crate::disturb::dip::Dip;
    use plimsoll_evidence::{SeriesBin, StepSeries};

    /// Bins of 100 ms with so many I/Os, disturbed at 2 s and back at once.
    fn series_of(ios: impl Fn(u64) -> u64) -> StepSeries {
        let bin = |n: u64| SeriesBin {
            ios: ios(n),
            ..SeriesBin::default()
        };
        StepSeries {
            start_ns: 0,
            end_ns: 4_000_000_000,
            bin_ns: 100_000_000,
            bins: (0..40).map(bin).collect(),
            ..StepSeries::default()
        }
    }

    fn seen(series: &StepSeries) -> SeenDisturbance<'_> {
        SeenDisturbance {
            series,
            cells: Cells::of(series, 2_000_000_000).unwrap(),
            cut_s: 2.0,
            undo_s: None,
            dip: Dip::default(),
            failback: None,
            recovered_s: Some(1.0),
            failback_recovered_s: None,
            first_completion_s: 0.0,
            last_completion_s: None,
            stayed_slow: None,
            longest_s: 0.0,
            in_flight: 0.0,
            read_errors: 0,
            write_errors: 0,
            detected: None,
            carried_again_s: None,
            ping_pong: 0,
        }
    }

    fn rate(seen: &SeenDisturbance, bin: usize) -> Option<f64> {
        Some(seen.series.bins[bin].ios as f64)
    }

    #[test]
    fn repeats_have_their_mean_with_the_interval_of_student() {
        let (a, b) = (series_of(|_| 90), series_of(|_| 110));
        let (a, b) = (seen(&a), seen(&b));
        let lines = Lines {
            all: vec![(1, &a), (2, &b)],
        };
        let all = lines.of("", rate);
        let names: Vec<&str> = all.iter().map(|s| s.name.as_str()).collect();
        assert_eq!(names, ["mean of 2 repeats", "repeat 1", "repeat 2"]);
        assert_eq!(all[0].points.len(), 40);
        // 90 and 110: a standard deviation of 14.14, t of one degree is 12.706.
        for point in &all[0].points {
            let (low, high) = point.interval.unwrap();
            assert_eq!((point.y, low), (100.0, 0.0));
            assert!((high - 227.06).abs() < 0.01, "{high}");
        }
        assert!(all[1].points.iter().all(|p| p.interval.is_none()));
    }

    #[test]
    fn one_repeat_has_intervals_where_nothing_happens_and_each_bin_where_something_does() {
        // 0 in the second after the instant.
        let series = series_of(|n| {
            if (20..30).contains(&n) {
                0
            } else {
                100 + n % 2
            }
        });
        let seen = seen(&series);
        let lines = Lines {
            all: vec![(1, &seen)],
        };
        let [line] = &lines.of("", rate)[..] else {
            panic!("one line");
        };
        let during: Vec<_> = line
            .points
            .iter()
            .filter(|p| (0.0..1.0).contains(&p.x))
            .collect();
        assert_eq!(during.len(), 10);
        assert!(during.iter().all(|p| p.y == 0.0 && p.interval.is_none()));
        let rest: Vec<_> = line
            .points
            .iter()
            .filter(|p| p.x < 0.0 || p.x > 1.0)
            .collect();
        assert_eq!(rest.len(), 6);
        for p in rest {
            let (low, high) = p.interval.unwrap();
            assert!(low < p.y && p.y < high && high - low < 2.0, "{p:?}");
        }
    }
}
