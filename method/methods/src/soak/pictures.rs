//! The charts and the table of a soak.

use super::judged::{Judged, SoakOutcome};
use plimsoll_evidence::{
    AxisUnit, ChartAxis, ChartKind, ChartMark, ChartPoint, ChartSeries, MethodChart, MethodTable,
    Quantity, TableCell, TableColumn,
};
use plimsoll_measure::student_t;

/// A chart has at most so many points a series.
const POINTS: usize = 256;
/// So many parts are in a point, at least: fewer say little of how far their mean may be off.
const PARTS_LEAST: usize = 4;
/// With fewer points a chart shows no course: then each part is one, and has no interval.
const POINTS_LEAST: usize = 12;
/// Whole overwrites are marked up to this many.
const MARKS: usize = 12;
/// Rows of the table.
const ROWS: usize = 10;

/// The rate and the response time over the time.
pub fn charts(judged: &Judged) -> Vec<MethodChart> {
    if judged.rates.is_empty() {
        return Vec::new();
    }
    let marks = marks(judged);
    let of_points = intervals(judged.rates.len());
    let time = || ChartAxis::of("time", AxisUnit::Seconds);
    let chart = |title: &str, y: ChartAxis, series: Vec<ChartSeries>| MethodChart {
        title: title.into(),
        kind: ChartKind::Lines,
        x: time(),
        y,
        z: None,
        series,
        marks: marks.clone(),
    };
    let p99: Vec<f64> = judged
        .course
        .parts
        .iter()
        .map(|p| p.p99_ns as f64)
        .collect();
    let series = |name: &str, points| ChartSeries::new(name, points);
    vec![
        chart(
            "rate over time",
            ChartAxis::of("rate", AxisUnit::PerSecond).with_intervals(&of_points),
            vec![series("", means(judged, &judged.rates))],
        ),
        chart(
            "response time over time",
            ChartAxis::of("response time", AxisUnit::Ns)
                .with_intervals(&format!("{of_points}; a greatest value has none")),
            vec![
                series("mean", means(judged, &judged.responses)),
                series("greatest p99", greatest(judged, &p99)),
            ],
        ),
    ]
}

/// First and last value of each point.
fn chunks(judged: &Judged) -> impl Iterator<Item = (usize, usize)> + use<> {
    let all = judged.rates.len();
    let count = points(all);
    (0..count).map(move |i| (i * all / count, (i + 1) * all / count))
}

/// Number of points for so many parts.
fn points(parts: usize) -> usize {
    match parts / PARTS_LEAST {
        few if few < POINTS_LEAST => parts,
        enough => enough.min(POINTS),
    }
}

fn intervals(parts: usize) -> String {
    match points(parts) == parts {
        true => "No intervals: each point is one part of the time".into(),
        false => "95 % interval of a point's mean, from the spread of the parts of its time".into(),
    }
}

fn middle(judged: &Judged, from: usize, to: usize) -> f64 {
    let course = &judged.course;
    (course.start_s(from) + course.start_s(to)) / 2.0
}

/// Means, with the 95 % interval that their values' spread gives them.
fn means(judged: &Judged, values: &[f64]) -> Vec<ChartPoint> {
    let point = |(from, to): (usize, usize)| {
        let part = &values[from..to];
        let n = part.len() as f64;
        let mean = part.iter().sum::<f64>() / n;
        let interval = (part.len() > 1).then(|| {
            let squares: f64 = part.iter().map(|v| (v - mean).powi(2)).sum();
            let error = (squares / (n - 1.0) / n).sqrt() * student_t(0.975, part.len() - 1);
            ((mean - error).max(0.0), mean + error)
        });
        ChartPoint::new(middle(judged, from, to), mean, interval)
    };
    chunks(judged).map(point).collect()
}

fn greatest(judged: &Judged, values: &[f64]) -> Vec<ChartPoint> {
    let point = |(from, to): (usize, usize)| ChartPoint {
        x: middle(judged, from, to),
        y: values[from..to].iter().copied().fold(0.0, f64::max),
        ..ChartPoint::default()
    };
    chunks(judged).map(point).collect()
}

/// The cliff, where the level stays, and each whole overwrite.
fn marks(judged: &Judged) -> Vec<ChartMark> {
    let course = &judged.course;
    let mark = |part: usize, label: String| ChartMark::new(course.start_s(part), label);
    let mut marks = Vec::new();
    if let SoakOutcome::RateCliff(drop) | SoakOutcome::ResponseCliff(drop) = &judged.answer {
        marks.push(mark(drop.at, "cliff".into()));
    }
    if let Some(from) = judged.steady_from.filter(|from| *from > 0) {
        marks.push(mark(from, "steady".into()));
    }
    let whole = course.overwrites().map_or(0, |n| n as usize);
    for n in 1..=whole.min(MARKS) {
        let reached = |part: &usize| course.overwrites_at(*part).is_some_and(|o| o >= n as f64);
        let part = (0..=course.parts.len()).find(reached);
        let label = match n {
            1 => "1 overwrite".to_string(),
            n => format!("{n} overwrites"),
        };
        marks.extend(part.map(|part| mark(part, label)));
    }
    marks.sort_by(|a, b| a.x.total_cmp(&b.x));
    marks
}

/// The course by tenths.
pub fn tables(judged: &Judged) -> Vec<MethodTable> {
    let course = &judged.course;
    let all = judged.rates.len();
    if all < ROWS {
        return Vec::new();
    }
    let row = |i: usize| {
        let (from, to) = (i * all / ROWS, (i + 1) * all / ROWS);
        let parts = &course.parts[from..to];
        let sum = |of: fn(&plimsoll_evidence::TimelinePart) -> u64| {
            parts.iter().map(|p| of(p) as f64).sum::<f64>()
        };
        let seconds = sum(|p| p.length_ns) / 1e9;
        let timed = sum(|p| p.timed);
        let response = (timed > 0.0).then(|| Quantity::Ns(sum(|p| p.response_ns) / timed));
        let p99 = parts.iter().map(|p| p.p99_ns).max().unwrap_or(0);
        vec![
            TableCell::of(Quantity::Seconds(course.start_s(to))),
            TableCell::maybe(course.overwrites_at(to).map(Quantity::Number)),
            TableCell::of(Quantity::PerSecond(sum(|p| p.ios) / seconds)),
            TableCell::maybe(response),
            TableCell::of(Quantity::Ns(p99 as f64)),
        ]
    };
    vec![MethodTable {
        title: "The course, by tenths".into(),
        columns: vec![
            TableColumn::new("until", "until"),
            TableColumn::new("overwrites", "overwrites"),
            TableColumn::new("rate", "rate"),
            TableColumn::new("response_mean", "response"),
            TableColumn::new("response_p99_greatest", "greatest p99"),
        ],
        rows: (0..ROWS).map(row).collect(),
    }]
}

#[cfg(test)]
mod tests {
    use super::super::course::SoakCourse;
    use super::super::verdict::judge;
    use super::*;
    use plimsoll_evidence::TimelinePart;

    /// Parts of a second with 90 and 110 I/Os in turns.
    fn charts_of(parts: u64) -> Vec<MethodChart> {
        let part = |n: u64| TimelinePart {
            length_ns: 1_000_000_000,
            ios: 90 + 20 * (n % 2),
            timed: 90 + 20 * (n % 2),
            response_ns: 1_000_000,
            ..TimelinePart::default()
        };
        let course = SoakCourse {
            parts: (0..parts).map(part).collect(),
            ends_s: (1..=parts).map(|n| n as f64).collect(),
            written: vec![0.0; parts as usize],
            ..SoakCourse::default()
        };
        charts(&judge(course))
    }

    #[test]
    fn a_point_has_the_interval_of_its_parts_and_all_parts_are_in_one() {
        for parts in [48, 100, 101, 1023, 2048] {
            let charts = charts_of(parts);
            let points = &charts[0].series[0].points;
            assert!(points.len() >= POINTS_LEAST && points.len() <= POINTS);
            for p in points {
                let (low, high) = p.interval.unwrap();
                assert!(low < p.y && p.y < high && (88.0..112.0).contains(&p.y));
            }
            let legend = charts[0].y.intervals.as_deref().unwrap();
            assert!(legend.starts_with("95 % interval"), "{legend}");
        }
        // 90, 110, 90, 110: a standard deviation of 11.547, t of 3 degrees is 3.182.
        let first = charts_of(48)[0].series[0].points[0];
        let (low, high) = first.interval.unwrap();
        assert!((high - 100.0 - 3.182_446 * 11.547 / 2.0).abs() < 0.01);
        assert!((first.y - 100.0).abs() < 1e-9 && (100.0 - low - (high - 100.0)).abs() < 1e-9);
    }

    #[test]
    fn of_few_parts_each_is_a_point_and_none_has_an_interval() {
        let charts = charts_of(20);
        let points = &charts[0].series[0].points;
        assert_eq!(points.len(), 20);
        assert!(points.iter().all(|p| p.interval.is_none()));
        let legend = charts[0].y.intervals.as_deref().unwrap();
        assert!(legend.starts_with("No intervals"), "{legend}");
    }
}
