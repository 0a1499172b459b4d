//! Methods' verdicts and what was found, as CSV: a line for each number, whatever the method.

use super::ExportError;
use super::csv::{text, write_line};
use super::curve;
use crate::Record;
use crate::finding_rows::severity_word;
use plimsoll_evidence::{
    AxisUnit, ChartAxis, Finding, MethodChart, MethodTable, MethodVerdict, Quantity, Verdict,
    gathered,
};
use std::borrow::Cow;
use std::io::Write;

/// Rows of the methods' verdicts that are written as CSV.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnswerRows {
    /// A line for each figure.
    Figures,
    /// A line for each cell of their tables.
    Cells,
    /// A line for each point of their charts.
    Points,
    /// A line for each finding, those of the steps and of curves too.
    Findings,
}

impl AnswerRows {
    /// The names of the columns.
    fn columns(self) -> &'static [&'static str] {
        match self {
            AnswerRows::Figures => &[
                "run", "method", "class", "decided", "figure", "value", "unit", "low", "high",
                "remark",
            ],
            AnswerRows::Cells => &[
                "run", "method", "table", "row", "column", "value", "unit", "low", "high",
            ],
            AnswerRows::Points => &[
                "run", "method", "chart", "series", "x", "x_unit", "y", "y_unit", "low", "high",
                "z", "z_unit",
            ],
            AnswerRows::Findings => &["step", "rule", "severity", "message"],
        }
    }
}

/// Writes them: a header, then a line each, in the order in which the verdicts were made. Numbers are in the unit that stands
/// beside them; what is not known is empty. Texts are as [`super::csv()`] has them.
pub fn answers(record: &Record, rows: AnswerRows, out: &mut dyn Write) -> Result<(), ExportError> {
    let header = rows.columns().iter().map(|name| text(name)).collect();
    write_line(out, header)?;
    let verdicts = record.verdicts()?;
    if rows == AnswerRows::Findings {
        let all = gathered(&record.steps()?, &verdicts, &record.findings()?);
        for finding in &all {
            write_line(out, of_finding(finding))?;
        }
        return Ok(());
    }
    for verdict in &verdicts {
        let method = match verdict {
            Verdict::Method(method) => Cow::Borrowed(method),
            Verdict::Curve(curve) => Cow::Owned(curve::numbers(curve)),
        };
        let lines = match rows {
            AnswerRows::Figures => figures(&method),
            AnswerRows::Cells => method.tables.iter().flat_map(cells).collect(),
            AnswerRows::Points => method.charts.iter().flat_map(points).collect(),
            AnswerRows::Findings => Vec::new(),
        };
        for line in lines {
            let whose = vec![text(&method.run), text(&method.method)];
            write_line(out, [whose, line].concat())?;
        }
    }
    Ok(())
}

fn figures(method: &MethodVerdict) -> Vec<Vec<String>> {
    let all = method.figures.iter().map(|figure| {
        let about = vec![
            text(&method.class),
            method.decided.to_string(),
            text(&figure.name),
        ];
        let remark = vec![text(figure.remark.as_deref().unwrap_or_default())];
        [
            about,
            number(figure.quantity.as_ref(), figure.interval),
            remark,
        ]
        .concat()
    });
    all.collect()
}

fn cells(table: &MethodTable) -> Vec<Vec<String>> {
    let mut lines = Vec::new();
    for (row, cells) in (1..).zip(&table.rows) {
        for (column, cell) in table.columns.iter().zip(cells) {
            let about = vec![text(&table.title), row.to_string(), text(&column.name)];
            lines.push([about, number(cell.quantity.as_ref(), cell.interval)].concat());
        }
    }
    lines
}

fn points(chart: &MethodChart) -> Vec<Vec<String>> {
    let mut lines = Vec::new();
    for series in &chart.series {
        for point in &series.points {
            let [low, high] = ends(point.interval);
            lines.push(vec![
                text(&chart.title),
                text(&series.name),
                place(&chart.x, point.x),
                unit_of_axis(chart.x.unit).into(),
                place(&chart.y, point.y),
                unit_of_axis(chart.y.unit).into(),
                low,
                high,
                point.z.map_or_else(String::new, |z| z.to_string()),
                chart
                    .z
                    .as_ref()
                    .map_or_else(String::new, |z| unit_of_axis(z.unit).into()),
            ]);
        }
    }
    lines
}

/// A place on an axis: its name, where it has one.
fn place(axis: &ChartAxis, at: f64) -> String {
    let index = (at >= 0.0 && at.fract() == 0.0).then_some(at as usize);
    let name = index.and_then(|i| axis.categories.get(i));
    name.map_or_else(|| at.to_string(), |name| text(name))
}

/// Value, unit, and the ends of its 95 % interval.
fn number(quantity: Option<&Quantity>, interval: Option<(f64, f64)>) -> Vec<String> {
    let value = match quantity {
        None => String::new(),
        Some(Quantity::Text(word)) => text(word),
        Some(Quantity::Count(n) | Quantity::Bytes(n)) => n.to_string(),
        Some(other) => other.number().map_or_else(String::new, |n| n.to_string()),
    };
    let unit = quantity.map_or("", unit_of);
    let [low, high] = ends(interval);
    vec![value, unit.into(), low, high]
}

fn ends(interval: Option<(f64, f64)>) -> [String; 2] {
    interval.map_or_else(Default::default, |(low, high)| {
        [low.to_string(), high.to_string()]
    })
}

/// Unit of a quantity, as the record's JSON has it.
fn unit_of(quantity: &Quantity) -> &'static str {
    match quantity {
        Quantity::Seconds(_) => "seconds",
        Quantity::Ns(_) => "ns",
        Quantity::Share(_) => "share",
        Quantity::PerSecond(_) => "per_second",
        Quantity::Count(_) => "count",
        Quantity::Bytes(_) => "bytes",
        Quantity::BytesPerSecond(_) => "bytes_per_second",
        Quantity::Number(_) => "number",
        Quantity::Text(_) => "text",
    }
}

/// Unit of an axis, as the record's JSON has it.
fn unit_of_axis(unit: AxisUnit) -> &'static str {
    match unit {
        AxisUnit::Seconds => "seconds",
        AxisUnit::Ns => "ns",
        AxisUnit::Share => "share",
        AxisUnit::PerSecond => "per_second",
        AxisUnit::Bytes => "bytes",
        AxisUnit::BytesPerSecond => "bytes_per_second",
        AxisUnit::Number => "number",
        AxisUnit::Name => "name",
    }
}

fn of_finding(finding: &Finding) -> Vec<String> {
    vec![
        finding.step.map_or_else(String::new, |n| n.to_string()),
        text(&finding.rule),
        severity_word(finding.severity).into(),
        text(&finding.with_remedy()),
    ]
}
