//! The typed model of a parameter file: one type for each kind of definition.

mod file_system;
mod file_workload;
mod general;
mod host;
mod loops;
mod open_flags;
mod reduction;
mod run;
mod storage;
mod workload;

pub use file_system::FileSystem;
pub use file_workload::{FileWorkload, Operation};
pub use general::General;
pub use host::Host;
pub use loops::{ForLoop, LoopKey, LoopValue};
pub use open_flags::OpenFlags;
pub use reduction::{Reduction, Toggle};
pub use run::{
    DataLimit, Distribution, Format, MAX_LISTED, RateRequest, RunDefinition, StorageChoice,
};
pub use storage::{Lun, Storage, StorageRange};
pub use workload::{Band, Seek, Sizes, Workload};

use super::number::Unit;
use super::object::{Field, OBJECT};
use super::parameter::Value;
use super::reader::Reader;
use super::report::{Report, Stop};
use plimsoll_diagnostic::Span;
use std::ops::Range;

/// A reference to definitions by name; a trailing `*` stands for any rest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    /// As written.
    pub pattern: String,
    /// Where.
    pub span: Span,
}

impl Reference {
    /// True when `name` is meant.
    pub fn matches(&self, name: &str) -> bool {
        match self.pattern.strip_suffix('*') {
            Some(start) => name.starts_with(start),
            None => self.pattern == name,
        }
    }
}

pub(crate) fn references(value: &Value, report: &mut Report) -> Vec<Reference> {
    super::reader::names(value, report)
        .into_iter()
        .map(|item| Reference {
            pattern: item.text,
            span: item.span,
        })
        .collect()
}

/// A part of a definition that is understood but cannot be run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unsupported {
    /// What it is.
    pub what: String,
    /// Why, or what to do instead.
    pub why: String,
    /// Where it was written.
    pub span: Span,
}

pub(crate) use file_system::read as file_system;
pub(crate) use file_workload::read as file_workload;
pub(crate) use general::read as general;
pub(crate) use host::read as host;
pub(crate) use run::read as run;
pub(crate) use storage::read as storage;
pub(crate) use workload::SECTOR;
pub(crate) use workload::read as workload;

/// References of the last parameter that has one of these names; none where there is no such parameter.
pub(crate) fn referenced(reader: &mut Reader, names: &[&str]) -> Vec<Reference> {
    let field = reader.any(names);
    field.map_or(Vec::new(), |f| references(&f.value, reader.report))
}

/// Numbers of `count=(first number,how many)`; none where that was refused.
fn counted(field: &Field, reader: &mut Reader) -> Result<Range<u64>, Stop> {
    let numbers = reader.numbers_of(field, Unit::Plain);
    let (start, count) = match numbers.as_deref() {
        Some([start, count]) if (1.0..=1e6).contains(&count.value) => {
            (start.value as u64, count.value as u64)
        }
        Some(_) => {
            reader.refuse(field, "(first number,how many)");
            return Ok(0..0);
        }
        None => return Ok(0..0),
    };
    let objects = count.saturating_mul(OBJECT);
    reader.report.charge(objects, field.span)?;
    Ok(start..start + count)
}
