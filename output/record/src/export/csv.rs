//! Tables as CSV (RFC 4180, but lines end in a line feed alone).

use super::ExportError;
use crate::Record;
use crate::reading::Ascending;
use plimsoll_printable::printable;
use rusqlite::Row;
use rusqlite::types::ValueRef;
use std::io::Write;

/// Table that is written as CSV.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CsvTable {
    /// A line for each step.
    Steps,
    /// A line for each interval.
    Intervals,
    /// A line for each workload of each step.
    Workloads,
    /// A line for each target of each step.
    Targets,
    /// A line for each workload on each target of each step.
    Streams,
}

impl CsvTable {
    fn name(self) -> &'static str {
        match self {
            CsvTable::Steps => "steps",
            CsvTable::Intervals => "intervals",
            CsvTable::Workloads => "step_workloads",
            CsvTable::Targets => "step_targets",
            CsvTable::Streams => "step_streams",
        }
    }

    /// Key that orders its rows: step, then number or name.
    fn key(self, row: &Row) -> rusqlite::Result<(u32, i64, String)> {
        let (number, name) = match self {
            CsvTable::Steps => (0, String::new()),
            CsvTable::Intervals => (row.get("interval")?, String::new()),
            CsvTable::Workloads => (0, row.get("workload")?),
            CsvTable::Targets => (row.get("target")?, String::new()),
            CsvTable::Streams => (row.get("stream")?, String::new()),
        };
        Ok((row.get("step")?, number, name))
    }

    fn query(self) -> &'static str {
        match self {
            CsvTable::Steps => "SELECT * FROM steps ORDER BY step",
            CsvTable::Intervals => {
                "SELECT steps.name, intervals.* FROM intervals JOIN steps USING (step) WHERE intervals.host=0
                 ORDER BY step, interval"
            }
            CsvTable::Workloads => {
                "SELECT steps.name, step_workloads.* FROM step_workloads JOIN steps USING (step) ORDER BY step, workload"
            }
            CsvTable::Targets => {
                "SELECT steps.name, targets.name AS target_name, step_targets.* FROM step_targets
                 JOIN steps USING (step) LEFT JOIN targets USING (target) ORDER BY step, target"
            }
            CsvTable::Streams => {
                "SELECT steps.name, targets.name AS target_name, step_streams.* FROM step_streams
                 JOIN steps USING (step) LEFT JOIN targets USING (target) ORDER BY step, stream"
            }
        }
    }
}

/// Columns that hold whole documents: of no use in a spreadsheet.
const LEFT_OUT: [&str; 2] = ["definition", "evidence"];

/// Characters with which a text may begin that a spreadsheet takes for a formula, apart from tabs and line breaks, which are escaped
/// (<https://owasp.org/www-community/attacks/CSV_Injection>).
const FORMULA: [char; 4] = ['=', '+', '-', '@'];

/// Writes a table: a header, then a line each; the columns are those of `docs/record.md`. What is not known is empty. A
/// text that a spreadsheet would take for a formula has a `'` before it, and what a terminal would obey is escaped, so that
/// each row is one line; numbers are as they are.
pub fn csv(record: &Record, table: CsvTable, out: &mut dyn Write) -> Result<(), ExportError> {
    let mut written = Ok(());
    record.query(|db| {
        let mut statement = db.prepare(table.query())?;
        let names: Vec<String> = statement.column_names().map(String::from).collect();
        let columns: Vec<usize> = (0..names.len())
            .filter(|i| !LEFT_OUT.contains(&names[*i].as_str()))
            .collect();
        let header = columns.iter().map(|i| text(&names[*i])).collect();
        written = write_line(out, header);
        let mut rows = statement.query([])?;
        let mut order = Ascending::of(table.name());
        while let Some(row) = rows.next()? {
            order.next(table.key(row)?)?;
            let mut cells = Vec::with_capacity(columns.len());
            for column in &columns {
                cells.push(cell(row.get_ref(*column)?));
            }
            if written.is_ok() {
                written = write_line(out, cells);
            }
        }
        Ok(())
    })?;
    Ok(written?)
}

pub(super) fn write_line(out: &mut dyn Write, cells: Vec<String>) -> std::io::Result<()> {
    writeln!(out, "{}", cells.join(","))
}

fn cell(value: ValueRef) -> String {
    match value {
        ValueRef::Null | ValueRef::Blob(_) => String::new(),
        ValueRef::Integer(n) => n.to_string(),
        ValueRef::Real(x) => x.to_string(),
        ValueRef::Text(bytes) => text(&String::from_utf8_lossy(bytes)),
    }
}

pub(super) fn text(text: &str) -> String {
    let text = printable(text);
    let mark = if text.starts_with(FORMULA) { "'" } else { "" };
    if text.bytes().any(|b| matches!(b, b',' | b'"')) {
        format!("\"{mark}{}\"", text.replace('"', "\"\""))
    } else {
        format!("{mark}{text}")
    }
}
