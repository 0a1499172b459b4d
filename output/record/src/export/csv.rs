//! Tables as CSV (RFC 4180, but lines end in a line feed alone).

use super::ExportError;
use super::table::{Cell, Column, Rows, Sink, table};
use crate::Record;
use plimsoll_printable::printable;
use std::io::Write;

/// Characters with which a text may begin that a spreadsheet takes for a formula, apart from tabs and line breaks, which are escaped
/// (<https://owasp.org/www-community/attacks/CSV_Injection>).
const FORMULA: [char; 4] = ['=', '+', '-', '@'];

/// CSV: a header, then a line for each row. What is not known is empty. A text that a spreadsheet would take for a formula has a `'`
/// before it, and what a terminal would obey is escaped, so that each row is one line; numbers are as they are.
pub struct Csv<'o> {
    out: &'o mut dyn Write,
}

impl<'o> Csv<'o> {
    /// CSV to this output.
    pub fn new(out: &'o mut dyn Write) -> Self {
        Csv { out }
    }

    fn line(&mut self, cells: Vec<String>) -> Result<(), ExportError> {
        Ok(writeln!(self.out, "{}", cells.join(","))?)
    }
}

impl Sink for Csv<'_> {
    fn begin(&mut self, columns: &[Column]) -> Result<(), ExportError> {
        self.line(columns.iter().map(|column| text(&column.name)).collect())
    }

    fn row(&mut self, cells: Vec<Cell>) -> Result<(), ExportError> {
        let cells = cells.into_iter().map(|cell| match cell {
            Cell::Unknown => String::new(),
            Cell::Whole(n) => n.to_string(),
            Cell::Real(x) => x.to_string(),
            Cell::Text(of) => text(&of),
        });
        self.line(cells.collect())
    }
}

/// Writes a table of a record as CSV.
///
/// # Errors
/// Where the record cannot be read, or the output not be written.
pub fn csv(record: &Record, rows: Rows, out: &mut dyn Write) -> Result<(), ExportError> {
    table(record, rows, &mut Csv::new(out))
}

fn text(text: &str) -> String {
    let text = printable(text);
    let mark = if text.starts_with(FORMULA) { "'" } else { "" };
    if text.bytes().any(|b| matches!(b, b',' | b'"')) {
        format!("\"{mark}{}\"", text.replace('"', "\"\""))
    } else {
        format!("{mark}{text}")
    }
}
