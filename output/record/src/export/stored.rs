//! Tables that a record holds as they are.

use super::ExportError;
use super::table::{Cell, Column, Kind, Rows, Sink};
use crate::Record;
use crate::reading::Ascending;
use rusqlite::types::ValueRef;
use rusqlite::{Row, Statement};

/// Columns that hold whole documents: of no use in a table.
const LEFT_OUT: [&str; 2] = ["definition", "evidence"];

/// Writes one; the columns are those of `docs/record.md`.
pub(super) fn write(record: &Record, rows: Rows, sink: &mut dyn Sink) -> Result<(), ExportError> {
    let (name, query) = stored(rows);
    let mut written = Ok(());
    record.query(|db| {
        let mut statement = db.prepare(query)?;
        let (places, columns): (Vec<usize>, Vec<Column>) = columns(&statement).into_iter().unzip();
        written = sink.begin(&columns);
        let mut found = statement.query([])?;
        let mut order = Ascending::of(name);
        while let Some(row) = found.next()? {
            order.next(key(rows, row)?)?;
            let cells = places.iter().map(|place| row.get_ref(*place).map(cell));
            let cells = cells.collect::<rusqlite::Result<_>>()?;
            if written.is_ok() {
                written = sink.row(cells);
            }
        }
        Ok(())
    })?;
    written
}

/// Name of the table, and the query for its rows.
fn stored(rows: Rows) -> (&'static str, &'static str) {
    match rows {
        Rows::Intervals => (
            "intervals",
            "SELECT steps.name, intervals.* FROM intervals JOIN steps USING (step) WHERE intervals.host=0
             ORDER BY step, interval",
        ),
        Rows::Workloads => (
            "step_workloads",
            "SELECT steps.name, step_workloads.* FROM step_workloads JOIN steps USING (step) ORDER BY step, workload",
        ),
        Rows::Targets => (
            "step_targets",
            "SELECT steps.name, targets.name AS target_name, step_targets.* FROM step_targets
             JOIN steps USING (step) LEFT JOIN targets USING (target) ORDER BY step, target",
        ),
        Rows::Streams => (
            "step_streams",
            "SELECT steps.name, targets.name AS target_name, step_streams.* FROM step_streams
             JOIN steps USING (step) LEFT JOIN targets USING (target) ORDER BY step, stream",
        ),
        _ => ("steps", "SELECT * FROM steps ORDER BY step"),
    }
}

/// Key that orders the rows: step, then number or name.
fn key(rows: Rows, row: &Row) -> rusqlite::Result<(u32, i64, String)> {
    let (number, name) = match rows {
        Rows::Intervals => (row.get("interval")?, String::new()),
        Rows::Workloads => (0, row.get("workload")?),
        Rows::Targets => (row.get("target")?, String::new()),
        Rows::Streams => (row.get("stream")?, String::new()),
        _ => (0, String::new()),
    };
    Ok((row.get("step")?, number, name))
}

/// The places of the columns that are written, and what they are.
fn columns(statement: &Statement) -> Vec<(usize, Column)> {
    let all = statement.columns().enumerate();
    let written = all.filter(|(_, column)| !LEFT_OUT.contains(&column.name()));
    let column = |(place, column): (usize, rusqlite::Column)| {
        let kind = match column.decl_type() {
            Some("INTEGER") => Kind::Whole,
            Some("REAL") => Kind::Real,
            _ => Kind::Text,
        };
        let name = column.name().to_string();
        (place, Column { name, kind })
    };
    written.map(column).collect()
}

fn cell(value: ValueRef) -> Cell {
    match value {
        ValueRef::Null | ValueRef::Blob(_) => Cell::Unknown,
        ValueRef::Integer(n) => Cell::Whole(n),
        ValueRef::Real(x) => Cell::Real(x),
        ValueRef::Text(bytes) => Cell::Text(String::from_utf8_lossy(bytes).into_owned()),
    }
}
