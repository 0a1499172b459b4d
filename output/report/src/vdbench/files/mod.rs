//! Reports of runs on files: columns by operation, where runs on storage have reads and writes alone.
//!
//! `ReqstdOps` are the operations that workloads ask for; of a format, its writes. Opens and closes that reads, writes and creates bring
//! with them, and all that a copy does, are in their own columns, and in no other. Vdbench carries a maximum on from interval to interval; here it is the interval's.

mod columns;
mod flatfile;
mod tally;
mod writer;

pub(super) use columns::Column;
pub(super) use flatfile::heading;
pub(super) use writer::{FileRun, Moment};

use plimsoll_measure::Op;

/// Operations on names that have a column on the console: those that the parameter files name, and those of a format.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileColumns(pub Vec<Op>);

impl FileColumns {
    /// Columns that are shown, in their order.
    fn shown(&self) -> impl Iterator<Item = Column> {
        let is_shown = |column: &Column| column.is_always_shown() || self.0.contains(&column.op());
        Column::ALL.into_iter().filter(is_shown)
    }
}
