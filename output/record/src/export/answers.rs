//! Methods' verdicts and what was found: a row for each number, whatever the method.

use super::ExportError;
use super::curve;
use super::table::{Cell, Column, Kind, Rows, Sink};
use crate::Record;
use crate::finding_rows::severity_word;
use plimsoll_evidence::{
    AxisUnit, ChartAxis, Finding, MethodChart, MethodTable, MethodVerdict, Quantity, Verdict,
    gathered,
};
use std::borrow::Cow;

const FIGURES: [(&str, Kind); 10] = [
    ("run", Kind::Text),
    ("method", Kind::Text),
    ("class", Kind::Text),
    ("decided", Kind::Text),
    ("figure", Kind::Text),
    ("value", Kind::Either),
    ("unit", Kind::Text),
    ("low", Kind::Real),
    ("high", Kind::Real),
    ("remark", Kind::Text),
];
const CELLS: [(&str, Kind); 9] = [
    ("run", Kind::Text),
    ("method", Kind::Text),
    ("table", Kind::Text),
    ("row", Kind::Whole),
    ("column", Kind::Text),
    ("value", Kind::Either),
    ("unit", Kind::Text),
    ("low", Kind::Real),
    ("high", Kind::Real),
];
const POINTS: [(&str, Kind); 12] = [
    ("run", Kind::Text),
    ("method", Kind::Text),
    ("chart", Kind::Text),
    ("series", Kind::Text),
    ("x", Kind::Either),
    ("x_unit", Kind::Text),
    ("y", Kind::Either),
    ("y_unit", Kind::Text),
    ("low", Kind::Real),
    ("high", Kind::Real),
    ("z", Kind::Real),
    ("z_unit", Kind::Text),
];
const FINDINGS: [(&str, Kind); 4] = [
    ("step", Kind::Whole),
    ("rule", Kind::Text),
    ("severity", Kind::Text),
    ("message", Kind::Text),
];

/// Writes them in the order in which the verdicts were made. Numbers are in the unit that stands beside them.
pub(super) fn write(record: &Record, rows: Rows, sink: &mut dyn Sink) -> Result<(), ExportError> {
    let verdicts = record.verdicts()?;
    let columns: &[(&str, Kind)] = match rows {
        Rows::Figures => &FIGURES,
        Rows::Cells => &CELLS,
        Rows::Points => &POINTS,
        _ => &FINDINGS,
    };
    sink.begin(&Column::all(columns))?;
    if rows == Rows::Findings {
        let all = gathered(&record.steps()?, &verdicts, &record.findings()?);
        return all
            .iter()
            .try_for_each(|finding| sink.row(of_finding(finding)));
    }
    for verdict in &verdicts {
        let method = match verdict {
            Verdict::Method(method) => Cow::Borrowed(method),
            Verdict::Curve(curve) => Cow::Owned(curve::numbers(curve)),
        };
        let lines = match rows {
            Rows::Figures => figures(&method),
            Rows::Cells => method.tables.iter().flat_map(cells).collect(),
            _ => method.charts.iter().flat_map(points).collect(),
        };
        for line in lines {
            let whose = vec![Cell::text(&method.run), Cell::text(&method.method)];
            sink.row([whose, line].concat())?;
        }
    }
    Ok(())
}

fn figures(method: &MethodVerdict) -> Vec<Vec<Cell>> {
    let all = method.figures.iter().map(|figure| {
        let about = vec![
            Cell::text(&method.class),
            Cell::Text(method.decided.to_string()),
            Cell::text(&figure.name),
        ];
        let remark = vec![Cell::text(figure.remark.as_deref().unwrap_or_default())];
        [
            about,
            number(figure.quantity.as_ref(), figure.interval),
            remark,
        ]
        .concat()
    });
    all.collect()
}

fn cells(table: &MethodTable) -> Vec<Vec<Cell>> {
    let mut lines = Vec::new();
    for (row, cells) in (1..).zip(&table.rows) {
        for (column, cell) in table.columns.iter().zip(cells) {
            let about = vec![
                Cell::text(&table.title),
                Cell::Whole(row),
                Cell::text(&column.name),
            ];
            lines.push([about, number(cell.quantity.as_ref(), cell.interval)].concat());
        }
    }
    lines
}

fn points(chart: &MethodChart) -> Vec<Vec<Cell>> {
    let mut lines = Vec::new();
    let z_unit = chart.z.as_ref().map(|z| Cell::text(unit_of_axis(z.unit)));
    let z_unit = z_unit.unwrap_or(Cell::Unknown);
    for series in &chart.series {
        for point in &series.points {
            let [low, high] = ends(point.interval);
            lines.push(vec![
                Cell::text(&chart.title),
                Cell::text(&series.name),
                place(&chart.x, point.x),
                Cell::text(unit_of_axis(chart.x.unit)),
                place(&chart.y, point.y),
                Cell::text(unit_of_axis(chart.y.unit)),
                low,
                high,
                Cell::number(point.z),
                z_unit.clone(),
            ]);
        }
    }
    lines
}

/// A place on an axis: its name, where it has one.
fn place(axis: &ChartAxis, at: f64) -> Cell {
    let index = (at >= 0.0 && at.fract() == 0.0).then_some(at as usize);
    let name = index.and_then(|i| axis.categories.get(i));
    name.map_or(Cell::Real(at), |name| Cell::text(name))
}

/// Value, unit, and the ends of its 95 % interval.
fn number(quantity: Option<&Quantity>, interval: Option<(f64, f64)>) -> Vec<Cell> {
    let value = match quantity {
        None => Cell::Unknown,
        Some(Quantity::Text(word)) => Cell::text(word),
        Some(Quantity::Count(n) | Quantity::Bytes(n)) => Cell::count(*n),
        Some(other) => Cell::number(other.number()),
    };
    let unit = Cell::text(quantity.map_or("", unit_of));
    let [low, high] = ends(interval);
    vec![value, unit, low, high]
}

fn ends(interval: Option<(f64, f64)>) -> [Cell; 2] {
    interval.map_or([Cell::Unknown, Cell::Unknown], |(low, high)| {
        [Cell::Real(low), Cell::Real(high)]
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

fn of_finding(finding: &Finding) -> Vec<Cell> {
    let step = finding.step.map(|step| Cell::Whole(step.into()));
    vec![
        step.unwrap_or(Cell::Unknown),
        Cell::text(&finding.rule),
        Cell::text(severity_word(finding.severity)),
        Cell::Text(finding.with_remedy().to_string()),
    ]
}
