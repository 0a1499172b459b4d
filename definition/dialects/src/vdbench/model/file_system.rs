//! File-system definitions.

use super::workload::weighted;
use super::{Reduction, open_flags};
use crate::vdbench::codes;
use crate::vdbench::model::OpenFlags;
use crate::vdbench::number::Unit;
use crate::vdbench::object::{Field, Object};
use crate::vdbench::reader::Reader;
use crate::vdbench::report::{Report, Stop};
use plimsoll_diagnostic::{Diagnostic, Span};
use plimsoll_plan::Origins;

/// A tree of directories and files.
#[derive(Debug, Clone)]
pub struct FileSystem {
    /// Its name.
    pub name: String,
    /// Where the name is.
    pub span: Span,
    /// The directory that holds it.
    pub anchor: String,
    /// Levels of directories.
    pub depth: u64,
    /// Directories of each level's directory.
    pub width: u64,
    /// Files of each lowest directory.
    pub files: u64,
    /// (size in bytes, percent).
    pub sizes: Vec<(u64, f64)>,
    /// Sizes vary round one average.
    pub average_size: bool,
    /// Files in all directories, not only in the lowest.
    pub files_everywhere: bool,
    /// Files end at this many bytes together.
    pub total_size: Option<u64>,
    /// Bytes of files in use at a time.
    pub working_set: Option<u64>,
    /// Several hosts use it.
    pub shared: bool,
    /// How its files are opened.
    pub open_flags: Option<OpenFlags>,
    /// How its data reduces.
    pub reduction: Reduction,
    /// Where each parameter was written.
    pub origins: Origins,
}

/// Reads one `fsd=`; `count=` makes several of it.
pub(crate) fn read(object: &Object, report: &mut Report) -> Result<Vec<FileSystem>, Stop> {
    let mut reader = Reader::new(&object.fields, report);
    let (sizes, average_size) = reader
        .field("sizes")
        .and_then(|f| sizes(&mut reader, f))
        .unwrap_or((vec![(4096, 100.0)], false));
    let distribution = reader.words("distribution", &["bottom", "all"]);
    let one = FileSystem {
        name: object.name.clone(),
        span: object.span,
        anchor: reader.text("anchor").unwrap_or_default().to_string(),
        depth: reader.whole("depth", 1).unwrap_or(1),
        width: reader.whole("width", 1).unwrap_or(1),
        files: reader.whole("files", 1).unwrap_or(10),
        sizes,
        average_size,
        files_everywhere: distribution.contains(&"all"),
        total_size: total(&mut reader, &["totalsize"]),
        working_set: total(&mut reader, &["workingsetsize", "wss"]),
        shared: reader.yes("shared").unwrap_or(false),
        open_flags: open_flags::read(&mut reader),
        reduction: Reduction::read(&mut reader),
        origins: reader.origins(),
    };
    check_mask(&mut reader);
    if let Some(field) = reader.field("files").filter(|_| one.files > MOST_FILES) {
        reader.outside(field, 1.0, MOST_FILES as f64);
    }
    if one.anchor.is_empty() {
        reader.report.add(
            Diagnostic::error(codes::REQUIRED, format!("fsd={} has no anchor", one.name))
                .at(one.span, "needs anchor=")
                .help(format!("write fsd={},anchor=DIRECTORY", one.name)),
        );
    }
    counted(one, &mut reader)
}

/// The most files of one directory.
const MOST_FILES: u64 = 10_000_000;

/// `mask=(file)`, `mask=(file,directory)`: printf masks that Vdbench can tell from other people's files.
fn check_mask(reader: &mut Reader) {
    let Some(field) = reader.field("mask") else {
        return;
    };
    let kinds = [(".file", 1), (".dir", 2)];
    for (item, (end, numbers)) in field.value.items.iter().zip(kinds) {
        let text = &item.text;
        let fits = text.starts_with("vdb") && text.ends_with(end);
        if !fits || text.matches("%0").count() < numbers {
            reader.refuse(
                field,
                "(vdb%04d.file,vdb%d_%d.dir) with printf masks such as %04d",
            );
            return;
        }
    }
}

/// A size, `(size,percent,...)`, or `(average,0)`.
fn sizes(reader: &mut Reader, field: &Field) -> Option<(Vec<(u64, f64)>, bool)> {
    let numbers = reader.numbers_of(field, Unit::Plain)?;
    match numbers[..] {
        [one] => Some((vec![(one.value as u64, 100.0)], false)),
        [average, zero] if zero.value == 0.0 => Some((vec![(average.value as u64, 100.0)], true)),
        _ => weighted(reader, field, &numbers).map(|list| (list, false)),
    }
}

/// Bytes; a percentage stands for a part of what there is, and is known only then.
fn total(reader: &mut Reader, names: &[&str]) -> Option<u64> {
    let field = reader.any(names)?;
    let numbers = reader.numbers_of(field, Unit::Plain)?;
    if field.keyword.name == "totalsize" && numbers.iter().any(|n| n.percent) {
        reader.refuse(field, "bytes; a percentage has its place in the rd");
        return None;
    }
    numbers
        .first()
        .filter(|n| !n.percent)
        .map(|n| n.value as u64)
}

/// `count=(start,n)`: numbers appended to the name and the anchor.
fn counted(one: FileSystem, reader: &mut Reader) -> Result<Vec<FileSystem>, Stop> {
    let Some(field) = reader.field("count") else {
        return Ok(vec![one]);
    };
    let numbers = super::counted(field, reader)?;
    let numbered = numbers.map(|n| FileSystem {
        name: format!("{}{n}", one.name),
        anchor: format!("{}{n}", one.anchor),
        ..one.clone()
    });
    Ok(numbered.collect())
}
