//! File-system workload definitions.

use super::{OpenFlags, Reference, Sizes, open_flags, references, workload};
use crate::vdbench::codes;
use crate::vdbench::number::Unit;
use crate::vdbench::object::Object;
use crate::vdbench::parameter::Item;
use crate::vdbench::reader::Reader;
use crate::vdbench::report::Report;
use plimsoll_diagnostic::{Diagnostic, Span};
use plimsoll_plan::Origins;

/// What is done to files.
#[derive(Debug, Clone)]
pub struct FileWorkload {
    /// Its name.
    pub name: String,
    /// Where the name is.
    pub span: Span,
    /// The file systems that it uses.
    pub file_systems: Vec<Reference>,
    /// The hosts that it runs on.
    pub hosts: Vec<Reference>,
    /// What it does.
    pub operations: Vec<Operation>,
    /// Files are read and written from start to end, not at random places.
    pub sequential: bool,
    /// Transfer sizes.
    pub sizes: Sizes,
    /// Percent of the run's rate.
    pub skew: Option<f64>,
    /// Operations in flight.
    pub threads: u64,
    /// Percent of reads.
    pub read_percent: Option<f64>,
    /// How files are opened.
    pub open_flags: Option<OpenFlags>,
    /// Where each parameter was written.
    pub origins: Origins,
}

macro_rules! operations {
    ($($name:ident $word:literal),* $(,)?) => {
        /// An operation on files or directories.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Operation {
            $(#[doc = $word] $name),*
        }
        const OPERATIONS: &[(&str, Operation)] = &[$(($word, Operation::$name)),*];
    };
}

operations! {
    Read "read", Write "write", Mkdir "mkdir", Rmdir "rmdir", Copy "copy", Move "move", Create "create",
    Delete "delete", Getattr "getattr", Setattr "setattr", Access "access", Open "open", Close "close",
    Get "get", Put "put",
}

impl Operation {
    /// The word for it.
    pub fn word(self) -> &'static str {
        OPERATIONS
            .iter()
            .find(|(_, o)| *o == self)
            .map_or("", |(word, _)| word)
    }

    /// True for the word of an operation.
    pub(crate) fn named(name: &str) -> bool {
        OPERATIONS
            .iter()
            .any(|(word, _)| name.eq_ignore_ascii_case(word))
    }

    pub(crate) fn read(item: &Item, reader: &mut Reader) -> Option<Operation> {
        let words: Vec<&'static str> = OPERATIONS.iter().map(|(word, _)| *word).collect();
        let word = reader.word(item, &words)?;
        OPERATIONS.iter().find(|(w, _)| *w == word).map(|(_, o)| *o)
    }
}

pub(crate) fn read(object: &Object, report: &mut Report) -> FileWorkload {
    let mut reader = Reader::new(&object.fields, report);
    let file_systems = reader
        .field("fsd")
        .map(|f| references(&f.value, reader.report))
        .unwrap_or_default();
    let hosts = reader
        .any(&["host", "hd"])
        .map(|f| references(&f.value, reader.report))
        .unwrap_or_default();
    let operations = match reader.field("operations") {
        Some(field) => field
            .value
            .items
            .iter()
            .filter_map(|i| Operation::read(i, &mut reader))
            .collect(),
        None => vec![Operation::Read],
    };
    let sizes = reader
        .field("xfersizes")
        .and_then(|f| workload::sizes(&mut reader, f, false))
        .unwrap_or(Sizes::Fixed(4096));
    let read_name = reader.any(&["rdpct", "readpct"]).map(|f| f.keyword.name);
    let one = FileWorkload {
        name: object.name.clone(),
        span: object.span,
        file_systems,
        hosts,
        operations,
        sequential: sequential(&mut reader),
        sizes,
        skew: reader
            .number("skew", Unit::Plain, 0.0, 100.0)
            .filter(|skew| *skew > 0.0),
        threads: reader.whole("threads", 1).unwrap_or(1),
        read_percent: read_name.and_then(|n| reader.number(n, Unit::Plain, 0.0, 100.0)),
        open_flags: open_flags::read(&mut reader),
        origins: reader.origins(),
    };
    select(&mut reader);
    if one.name == "format" {
        check_format(object, reader.report);
    }
    one
}

/// `fileio=`: anything that begins with `seq` is sequential for Vdbench, misspelt or not.
fn sequential(reader: &mut Reader) -> bool {
    let Some(field) = reader.field("fileio") else {
        return true;
    };
    let mut sequential = false;
    for item in &field.value.items {
        sequential |= ordered(item, &["random", "shared", "delete"], reader);
    }
    sequential
}

/// `fileselect=`: the same for the choice of files.
fn select(reader: &mut Reader) {
    let Some(field) = reader.field("fileselect") else {
        return;
    };
    let has = |word: &str| {
        let words = field.value.items.iter().map(|i| i.text.to_lowercase());
        words
            .into_iter()
            .any(|w| w.len() > 1 && w.starts_with(word))
    };
    let nonzero = |i: &Item| i.text.to_lowercase().starts_with("seq") && i.text.contains("nz");
    if has("once") && field.value.items.iter().any(nonzero) {
        reader.refuse(field, "seqnz or once, not both");
    }
    let random = reader.field("fileio").is_some_and(|f| {
        let first = f.value.text().to_lowercase();
        !first.is_empty() && "random".starts_with(&first)
    });
    if has("empty") && random {
        reader.refuse(
            field,
            "another choice: an empty file has no random places (fileio=random)",
        );
    }
    if [has("empty"), has("full"), has("notfull")]
        .iter()
        .filter(|h| **h)
        .count()
        > 1
    {
        reader.refuse(field, "one of empty, full and notfull");
    }
    for item in &field.value.items {
        if !item
            .text
            .starts_with(|c: char| c.is_ascii_digit() || c == '.')
        {
            ordered(
                item,
                &[
                    "random", "once", "poisson", "empty", "full", "notfull", "skewed",
                ],
                reader,
            );
        }
    }
}

/// True for a sequential order; a misspelling that Vdbench takes all the same is said.
pub(super) fn ordered(item: &Item, others: &[&'static str], reader: &mut Reader) -> bool {
    let word = item.text.to_lowercase();
    if !word.starts_with("seq") {
        reader.word(item, others);
        return false;
    }
    if !"sequential".starts_with(&word) && word != "seqnz" && word != "sequentialnz" {
        reader.report.add(
            Diagnostic::warning(
                codes::LENIENT,
                format!("`{}` is taken for sequential", item.text),
            )
            .at(item.span, "Vdbench looks at its first three letters only")
            .help("write sequential")
            .patch(item.span, "sequential"),
        );
    }
    true
}

/// `fwd=format` takes three parameters only.
fn check_format(object: &Object, report: &mut Report) {
    for field in &object.fields[object.inherited..] {
        if !matches!(field.keyword.name, "threads" | "xfersizes" | "openflags") {
            report.add(
                Diagnostic::error(
                    codes::CONFLICT,
                    format!("`{}=` has no place in fwd=format", field.keyword.name),
                )
                .at(
                    field.span,
                    "a format takes threads=, xfersize= and openflags= only",
                ),
            );
        }
    }
}
