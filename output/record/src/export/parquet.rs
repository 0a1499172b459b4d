//! Tables as Apache Parquet, for pandas, DuckDB, Spark and the like.

use super::ExportError;
use super::table::{Cell, Column, Kind, Sink};
use parquet::basic::{LogicalType, Repetition, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::Type;
use std::io::Write;
use std::sync::Arc;

/// Rows that lie in memory before they are written as one group.
const GROUP: usize = 1 << 16;

/// Parquet file: whole numbers are INT64, numbers DOUBLE, texts UTF-8, all optional. Where a column has numbers in some rows and texts in
/// others, it becomes two: `value` and `value_text`.
#[derive(Default)]
pub struct Parquet {
    writer: Option<SerializedFileWriter<Vec<u8>>>,
    columns: Vec<Column>,
    gathered: Vec<Gathered>,
    rows: usize,
}

/// Values of one column of the file that are not written yet.
struct Gathered {
    name: String,
    values: Values,
    /// 1 where a row has a value, 0 where it has none.
    known: Vec<i16>,
}

enum Values {
    Whole(Vec<i64>),
    Real(Vec<f64>),
    Text(Vec<ByteArray>),
}

impl Parquet {
    /// Writes what was gathered. Of a table that never began that is nothing.
    ///
    /// # Errors
    /// Where the output cannot be written.
    pub fn finish(mut self, out: &mut dyn Write) -> Result<(), ExportError> {
        self.write_group()?;
        if let Some(writer) = self.writer {
            out.write_all(&writer.into_inner()?)?;
        }
        Ok(())
    }

    fn write_group(&mut self) -> Result<(), ParquetError> {
        let Some(writer) = self.writer.as_mut().filter(|_| self.rows > 0) else {
            return Ok(());
        };
        let mut group = writer.next_row_group()?;
        for gathered in &mut self.gathered {
            let column = group.next_column()?;
            gathered.write(column.expect("a column for each of the schema"))?;
        }
        group.close()?;
        self.rows = 0;
        Ok(())
    }
}

impl Sink for Parquet {
    fn begin(&mut self, columns: &[Column]) -> Result<(), ExportError> {
        self.columns = columns.to_vec();
        self.gathered = columns.iter().flat_map(Gathered::of).collect();
        let fields = self.gathered.iter().map(Gathered::field);
        let fields = fields.collect::<Result<_, _>>()?;
        let schema = Type::group_type_builder("plimsoll").with_fields(fields);
        let schema = Arc::new(schema.build()?);
        let properties = Arc::default();
        self.writer = Some(SerializedFileWriter::new(Vec::new(), schema, properties)?);
        Ok(())
    }

    fn row(&mut self, cells: Vec<Cell>) -> Result<(), ExportError> {
        let mut gathered = self.gathered.iter_mut();
        for (column, cell) in self.columns.iter().zip(cells) {
            let taken = match (column.kind, cell) {
                (Kind::Either, text @ Cell::Text(_)) => vec![Cell::Unknown, text],
                (Kind::Either, number) => vec![number, Cell::Unknown],
                (_, cell) => vec![cell],
            };
            for (cell, of) in taken.into_iter().zip(gathered.by_ref()) {
                of.take(cell)?;
            }
        }
        self.rows += 1;
        if self.rows == GROUP {
            self.write_group()?;
        }
        Ok(())
    }
}

impl Gathered {
    /// The columns of the file that a table's becomes.
    fn of(column: &Column) -> Vec<Gathered> {
        let one = |name: String, values| Gathered {
            name,
            values,
            known: Vec::new(),
        };
        let name = column.name.clone();
        match column.kind {
            Kind::Whole => vec![one(name, Values::Whole(Vec::new()))],
            Kind::Real => vec![one(name, Values::Real(Vec::new()))],
            Kind::Text => vec![one(name, Values::Text(Vec::new()))],
            Kind::Either => vec![
                one(name.clone(), Values::Real(Vec::new())),
                one(name + "_text", Values::Text(Vec::new())),
            ],
        }
    }

    fn field(&self) -> Result<Arc<Type>, ParquetError> {
        let (physical, logical) = match self.values {
            Values::Whole(_) => (Physical::INT64, None),
            Values::Real(_) => (Physical::DOUBLE, None),
            Values::Text(_) => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
        };
        let field = Type::primitive_type_builder(&self.name, physical);
        let field = field.with_repetition(Repetition::OPTIONAL);
        Ok(Arc::new(field.with_logical_type(logical).build()?))
    }

    fn take(&mut self, cell: Cell) -> Result<(), ExportError> {
        let is_known = cell != Cell::Unknown;
        match (&mut self.values, cell) {
            (_, Cell::Unknown) => {}
            (Values::Whole(values), Cell::Whole(n)) => values.push(n),
            (Values::Real(values), Cell::Whole(n)) => values.push(n as f64),
            (Values::Real(values), Cell::Real(x)) => values.push(x),
            (Values::Text(values), Cell::Text(text)) => values.push(text.as_str().into()),
            _ => return Err(ExportError::OtherKind(self.name.clone())),
        }
        self.known.push(i16::from(is_known));
        Ok(())
    }

    /// Writes the values, and is empty then.
    fn write(&mut self, mut column: SerializedColumnWriter) -> Result<(), ParquetError> {
        let known = std::mem::take(&mut self.known);
        match &mut self.values {
            Values::Whole(values) => {
                let values = std::mem::take(values);
                column
                    .typed::<Int64Type>()
                    .write_batch(&values, Some(&known), None)?;
            }
            Values::Real(values) => {
                let values = std::mem::take(values);
                column
                    .typed::<DoubleType>()
                    .write_batch(&values, Some(&known), None)?;
            }
            Values::Text(values) => {
                let values = std::mem::take(values);
                column
                    .typed::<ByteArrayType>()
                    .write_batch(&values, Some(&known), None)?;
            }
        }
        column.close()
    }
}
