//! The charts and the table of a soak.

use super::verdict::{Answer, Judged};
use plimsoll_evidence::{
    AxisUnit, ChartAxis, ChartKind, ChartMark, ChartPoint, ChartSeries, MethodChart, MethodTable,
    Quantity, TableCell, TableColumn,
};
use plimsoll_measure::student_t;

/// A chart has at most so many points a series.
const POINTS: usize = 256;
/// Fewer values than this in a point have no error bar.
const BAR_MIN: usize = 3;
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
    let series = |name: &str, points| ChartSeries {
        name: name.into(),
        points,
    };
    vec![
        chart(
            "rate over time",
            ChartAxis::of("rate", AxisUnit::PerSecond),
            vec![series("", means(judged, &judged.rates))],
        ),
        chart(
            "response time over time",
            ChartAxis::of("response time", AxisUnit::Ns),
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
    let size = all.div_ceil(POINTS).max(1);
    (0..all)
        .step_by(size)
        .map(move |from| (from, (from + size).min(all)))
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
        let interval = (part.len() >= BAR_MIN).then(|| {
            let squares: f64 = part.iter().map(|v| (v - mean).powi(2)).sum();
            let error = (squares / (n - 1.0) / n).sqrt() * student_t(0.975, part.len() - 1);
            (mean - error, mean + error)
        });
        ChartPoint {
            x: middle(judged, from, to),
            y: mean,
            interval,
            z: None,
        }
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
    let mark = |part: usize, label: String| ChartMark {
        x: course.start_s(part),
        label,
    };
    let mut marks = Vec::new();
    if let Answer::RateCliff(drop) | Answer::ResponseCliff(drop) = &judged.answer {
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
    let column = |name: &str, label: &str| TableColumn {
        name: name.into(),
        label: label.into(),
    };
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
            TableCell {
                quantity: course.overwrites_at(to).map(Quantity::Number),
                interval: None,
            },
            TableCell::of(Quantity::PerSecond(sum(|p| p.ios) / seconds)),
            TableCell {
                quantity: response,
                interval: None,
            },
            TableCell::of(Quantity::Ns(p99 as f64)),
        ]
    };
    vec![MethodTable {
        title: "The course, by tenths".into(),
        columns: vec![
            column("until", "until"),
            column("overwrites", "overwrites"),
            column("rate", "rate"),
            column("response_mean", "response"),
            column("response_p99_greatest", "greatest p99"),
        ],
        rows: (0..ROWS).map(row).collect(),
    }]
}
