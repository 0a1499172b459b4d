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
        ],
        findings: Vec::new(),
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

/// What was done, by names that are markup.
pub fn hostile_actions(markup: &str) -> Vec<ActionEvidence> {
    let mut all = actions();
    for action in &mut all {
        (action.what, action.output) = (markup.to_owned(), markup.to_owned());
    }
    all
}
