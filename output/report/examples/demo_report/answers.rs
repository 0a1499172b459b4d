//! Methods' verdicts: one with something of everything, and what is odd.

#[path = "../../tests/fixture/answer.rs"]
mod answer;

pub use answer::{actions, answer};
use plimsoll_evidence::*;

/// A verdict that is not decided, with charts of nothing, of one point, of far too much and of places off the scale.
pub fn odd() -> MethodVerdict {
    let chart = |title: &str, kind: ChartKind, points: Vec<(f64, f64)>| MethodChart {
        title: title.to_owned(),
        kind,
        x: ChartAxis::of("x", AxisUnit::Number),
        y: ChartAxis {
            logarithmic: true,
            ..ChartAxis::of("share", AxisUnit::Share)
        },
        z: None,
        series: (0..8)
            .map(|n| ChartSeries {
                name: format!("line {n}"),
                points: points
                    .iter()
                    .map(|(x, y)| ChartPoint {
                        x: *x,
                        y: y / f64::from(n + 1),
                        interval: Some((0.0, y * 2.0)),
                        z: Some(*y),
                    })
                    .collect(),
            })
            .collect(),
        marks: Vec::new(),
    };
    let many = (0..300)
        .map(|n| (f64::from(n), 0.001 * f64::from(n)))
        .collect();
    MethodVerdict {
        method: "saturate".to_owned(),
        run: "saturate".to_owned(),
        class: "depth-short".to_owned(),
        decided: false,
        sentence: "Nothing can be told.".to_owned(),
        figures: vec![Figure::unknown("most", "most", "it was cut short")],
        tables: vec![MethodTable {
            title: "Rows of another length".to_owned(),
            columns: answer().tables[0].columns.clone(),
            rows: vec![vec![], vec![TableCell::of(Quantity::Count(u64::MAX))]],
        }],
        charts: vec![
            chart("Nothing", ChartKind::Lines, Vec::new()),
            chart("One point", ChartKind::Lines, vec![(0.0, 0.5)]),
            chart("Too much", ChartKind::Bars, many),
            chart(
                "Off the scale",
                ChartKind::Lines,
                vec![(1.0, 0.0), (2.0, -1.0)],
            ),
            chart("One cell", ChartKind::Heat, vec![(1.0, 0.5)]),
            disturbed(),
            alike(),
        ],
        findings: Vec::new(),
    }
}

/// Two lines with a gap, one of them with a band, a burst beyond the axis, and marks close to each other.
fn disturbed() -> MethodChart {
    let line = |level: f64, banded: bool| {
        let times = (-150..850).map(|n| f64::from(n) / 10.0);
        let point = |x: f64| {
            let y = if (30.0..31.2).contains(&x) {
                11_400.0
            } else {
                level
            };
            ChartPoint {
                x,
                y,
                interval: banded.then_some((y * 0.8, y * 1.2)),
                z: None,
            }
        };
        times
            .filter(|x| !(0.7..30.0).contains(x))
            .map(point)
            .collect()
    };
    let marks = [
        (0.0, "disturbed"),
        (0.7, "blackout begins"),
        (30.0, "path 0 down"),
        (30.1, "blackout ends"),
        (31.2, "recovered"),
        (50.0, "put back"),
        (50.6, "path 0 up"),
    ];
    MethodChart {
        title: "A burst".to_owned(),
        kind: ChartKind::Lines,
        x: ChartAxis {
            gap: Some(0.15),
            ..ChartAxis::of("time from the disturbance", AxisUnit::Seconds)
        },
        y: ChartAxis {
            cut: Some(800.0),
            ..ChartAxis::of("I/Os completed", AxisUnit::PerSecond)
                .with_intervals("95 % interval of the mean over the repeats")
        },
        z: None,
        series: vec![
            ChartSeries {
                name: "mean of 3 repeats".to_owned(),
                points: line(400.0, true),
            },
            ChartSeries {
                name: "repeat 1".to_owned(),
                points: line(380.0, false),
            },
        ],
        marks: marks
            .map(|(x, label)| ChartMark {
                x,
                label: label.to_owned(),
            })
            .to_vec(),
    }
}

/// A heat chart with intervals, of which two cells are like the best.
fn alike() -> MethodChart {
    let cell = |n: u8, rate: f64| ChartPoint {
        x: f64::from(n % 4),
        y: f64::from(n / 4),
        interval: Some((rate - 120.0, rate + 120.0)),
        z: Some(rate),
    };
    let names = |all: &[&str]| all.iter().map(|s| (*s).to_owned()).collect();
    let rates = ChartAxis::of("I/Os per second", AxisUnit::PerSecond);
    MethodChart {
        title: "I/Os per second".to_owned(),
        kind: ChartKind::Heat,
        x: ChartAxis::names("block", names(&["4k", "8k", "16k", "64k"])),
        y: ChartAxis::names("depth", names(&["1", "40"])),
        z: Some(rates.with_intervals("95 % interval of the mean over the repeats")),
        series: vec![
            ChartSeries {
                name: String::new(),
                points: (0..4)
                    .map(|n| cell(n, 1000.0 + f64::from(n)))
                    .chain([cell(4, 30_100.0), cell(5, 40_100.0)])
                    .collect(),
            },
            ChartSeries {
                name: "cannot be told from the most".to_owned(),
                points: vec![cell(6, 40_000.0), cell(7, 40_050.0)],
            },
        ],
        marks: Vec::new(),
    }
}

/// Every name in it is markup.
pub fn hostile(markup: &str) -> MethodVerdict {
    let text = || markup.to_owned();
    let mut verdict = answer();
    (verdict.method, verdict.run, verdict.class) = (text(), text(), text());
    verdict.sentence = text();
    for figure in &mut verdict.figures {
        (figure.name, figure.label, figure.remark) = (text(), text(), Some(text()));
    }
    for table in &mut verdict.tables {
        table.title = text();
        for column in &mut table.columns {
            (column.name, column.label) = (text(), text());
        }
        for row in &mut table.rows {
            row[0] = TableCell::of(Quantity::Text(text()));
        }
    }
    for chart in &mut verdict.charts {
        chart.title = text();
        (chart.x.label, chart.y.label) = (text(), text());
        for name in &mut chart.x.categories {
            *name = text();
        }
        for series in &mut chart.series {
            series.name = text();
        }
        for mark in &mut chart.marks {
            mark.label = text();
        }
    }
    for finding in &mut verdict.findings {
        finding.message = text();
    }
    verdict
}

/// Actions with names that are markup.
pub fn hostile_actions(markup: &str) -> Vec<ActionEvidence> {
    let mut all = actions();
    for action in &mut all {
        (action.what, action.output) = (markup.to_owned(), markup.to_owned());
    }
    all
}
