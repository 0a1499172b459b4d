//! Tables of a record, row by row, for whatever format they are written in.

use super::{ExportError, answers, hosts, stored};
use crate::{Record, RecordError};
use std::path::{Path, PathBuf};

/// Rows of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rows {
    /// A row for each step.
    Steps,
    /// A row for each interval.
    Intervals,
    /// A row for each workload of each step.
    Workloads,
    /// A row for each target of each step.
    Targets,
    /// A row for each workload on each target of each step.
    Streams,
    /// A row for each host of each step that several carried out.
    Hosts,
    /// A row for each figure of the methods' verdicts.
    Figures,
    /// A row for each cell of their tables.
    Cells,
    /// A row for each point of their charts.
    Points,
    /// A row for each finding, those of the steps and of curves too.
    Findings,
}

impl Rows {
    /// All of them.
    pub const ALL: [Rows; 10] = [
        Rows::Steps,
        Rows::Intervals,
        Rows::Workloads,
        Rows::Targets,
        Rows::Streams,
        Rows::Hosts,
        Rows::Figures,
        Rows::Cells,
        Rows::Points,
        Rows::Findings,
    ];
}

/// Column of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// Name of the column, as in `docs/record.md`.
    pub name: String,
    /// Kind of its values.
    pub kind: Kind,
}

impl Column {
    pub(super) fn all(columns: &[(&str, Kind)]) -> Vec<Column> {
        let column = |(name, kind): &(&str, Kind)| Column {
            name: (*name).to_string(),
            kind: *kind,
        };
        columns.iter().map(column).collect()
    }
}

/// Kind of a column's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Whole numbers.
    Whole,
    /// Numbers.
    Real,
    /// Texts.
    Text,
    /// Numbers in some rows, texts in others.
    Either,
}

/// Value in a row.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell {
    /// Nothing is known.
    Unknown,
    /// A whole number.
    Whole(i64),
    /// A number.
    Real(f64),
    /// A text, as the record has it.
    Text(String),
}

impl Cell {
    pub(super) fn text(text: &str) -> Cell {
        Cell::Text(text.to_string())
    }

    pub(super) fn number(number: Option<f64>) -> Cell {
        number.map_or(Cell::Unknown, Cell::Real)
    }

    /// A count; one past the largest whole number, which no run reaches, is a number like others.
    pub(super) fn count(count: u64) -> Cell {
        i64::try_from(count).map_or(Cell::Real(count as f64), Cell::Whole)
    }
}

/// Format that a table is written in.
pub trait Sink {
    /// Takes the columns, once and before all rows.
    ///
    /// # Errors
    /// Where they cannot be written.
    fn begin(&mut self, columns: &[Column]) -> Result<(), ExportError>;

    /// Takes a row: a value for each column.
    ///
    /// # Errors
    /// Where it cannot be written.
    fn row(&mut self, cells: Vec<Cell>) -> Result<(), ExportError>;
}

/// Writes a table of a record.
///
/// # Errors
/// Where the record cannot be read, or the table not be written.
pub fn table(record: &Record, rows: Rows, sink: &mut dyn Sink) -> Result<(), ExportError> {
    let written = match rows {
        Rows::Steps | Rows::Intervals | Rows::Workloads | Rows::Targets | Rows::Streams => {
            stored::write(record, rows, sink)
        }
        Rows::Hosts => hosts::write(record, sink),
        Rows::Figures | Rows::Cells | Rows::Points | Rows::Findings => {
            answers::write(record, rows, sink)
        }
    };
    written.map_err(|error| match error {
        ExportError::OtherKind(column) => ExportError::Record(RecordError::Damaged {
            path: record.path().into(),
            what: format!("its column {column} holds a value of another kind; --csv takes any"),
        }),
        error => error,
    })
}

/// Table of several records, with a first column for the record.
pub struct Together<'s> {
    sink: &'s mut dyn Sink,
    record: PathBuf,
    /// Those of the first record, against which the others' are held.
    columns: Option<Vec<Column>>,
}

impl<'s> Together<'s> {
    /// A table in this format.
    pub fn new(sink: &'s mut dyn Sink) -> Self {
        Together {
            sink,
            record: PathBuf::new(),
            columns: None,
        }
    }

    /// The same for the rows of this record, which come next.
    pub fn of(&mut self, record: &Path) -> &mut Self {
        self.record = record.to_path_buf();
        self
    }
}

impl Sink for Together<'_> {
    fn begin(&mut self, columns: &[Column]) -> Result<(), ExportError> {
        match &self.columns {
            Some(first) if first == columns => Ok(()),
            Some(_) => Err(ExportError::OtherColumns(self.record.clone())),
            None => {
                self.columns = Some(columns.to_vec());
                let record = Column::all(&[("record", Kind::Text)]);
                self.sink.begin(&[&record, columns].concat())
            }
        }
    }

    fn row(&mut self, cells: Vec<Cell>) -> Result<(), ExportError> {
        let record = Cell::Text(self.record.display().to_string());
        self.sink.row([record].into_iter().chain(cells).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::Csv;

    #[test]
    fn rows_have_their_record_and_all_have_the_same_columns() {
        let mut out = Vec::new();
        let mut csv = Csv::new(&mut out);
        let mut all = Together::new(&mut csv);
        let columns = Column::all(&[("step", Kind::Whole), ("name", Kind::Text)]);
        for (record, name) in [("a\".plim", "a\nb"), ("b.plim", "=c")] {
            all.of(Path::new(record)).begin(&columns).unwrap();
            all.row(vec![Cell::Whole(1), Cell::text(name)]).unwrap();
        }
        let other = all.of(Path::new("c.plim")).begin(&columns[..1]);
        assert!(matches!(other, Err(ExportError::OtherColumns(_))));
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "record,step,name\n\"a\"\".plim\",1,a\\nb\nb.plim,1,'=c\n"
        );
    }
}
