//! File-system workload definitions.

use super::{OpenFlags, Reference, Sizes, Unsupported, open_flags, referenced, workload};
use crate::vdbench::codes;
use crate::vdbench::number::Unit;
use crate::vdbench::object::Object;
use crate::vdbench::parameter::Item;
use crate::vdbench::reader::Reader;
use crate::vdbench::report::Report;
use plimsoll_diagnostic::{Diagnostic, Span};
use plimsoll_plan::{FileSelect, Origins, PerFile};

/// What is done to files.
#[derive(Debug, Clone)]
pub struct FileWorkload {
    /// Its name.
    pub name: String,
    /// Where the name is.
    pub span: Span,
    /// The file systems that it uses.
    pub file_systems: Vec<Reference>,
    /// The file system that its files are copied into.
    pub target: Option<String>,
    /// The hosts that it runs on.
    pub hosts: Vec<Reference>,
    /// What it does.
    pub operations: Vec<Operation>,
    /// Files are read and written from start to end, not at random places.
    pub sequential: bool,
    /// A file is worked on by several threads at once.
    pub shares: bool,
    /// Order in which files are taken.
    pub select: FileSelect,
    /// Transfers on a file until the next one is taken.
    pub per_file: Option<PerFile>,
    /// Transfer sizes.
    pub sizes: Sizes,
    /// Percent of the run's rate.
    pub skew: Option<f64>,
    /// Operations in flight.
    pub threads: u64,
    /// Percent of reads.
    pub read_percent: Option<f64>,
    /// Flags with which files are opened.
    pub open_flags: Option<OpenFlags>,
    /// Parameters that cannot be carried out.
    pub unsupported: Vec<Unsupported>,
    /// Places where the parameters were written.
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
    let file_systems = referenced(&mut reader, &["fsd"]);
    let hosts = referenced(&mut reader, &["host", "hd"]);
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
    let mut unsupported = Vec::new();
    let select = select(&mut reader, &mut unsupported);
    let per_file = per_file(&mut reader, &mut unsupported);
    let one = FileWorkload {
        name: object.name.clone(),
        span: object.span,
        file_systems,
        target: reader.text("target").map(str::to_string),
        hosts,
        operations,
        shares: shares(&mut reader),
        sequential: sequential(&mut reader, &mut unsupported),
        select,
        per_file,
        sizes,
        skew: reader
            .number("skew", Unit::Plain, 0.0, 100.0)
            .filter(|skew| *skew > 0.0),
        threads: reader.whole("threads", 1).unwrap_or(1),
        read_percent: read_name.and_then(|n| reader.number(n, Unit::Plain, 0.0, 100.0)),
        open_flags: open_flags::read(&mut reader),
        unsupported,
        origins: reader.origins(),
    };
    if one.name == "format" {
        check_format(object, reader.report);
    }
    one
}

/// `fileio=`: anything that begins with `seq` is sequential for Vdbench, misspelt or not.
fn sequential(reader: &mut Reader, unsupported: &mut Vec<Unsupported>) -> bool {
    let Some(field) = reader.field("fileio") else {
        return true;
    };
    let mut sequential = false;
    for item in &field.value.items {
        if !is_shared(item) {
            unsupported.extend(beyond("fileio", item));
        }
        sequential |= ordered(item, &["random", "shared", "delete"], reader);
    }
    sequential
}

/// `fileio=(random,shared)`: only files that are read and written at random places are shared.
fn shares(reader: &mut Reader) -> bool {
    let Some(field) = reader.field("fileio") else {
        return false;
    };
    match &field.value.items[..] {
        [first, second, ..] if is_shared(second) => {
            let is_random = "random".starts_with(&first.text.to_lowercase());
            if !is_random {
                reader.refuse(
                    field,
                    "(random,shared); a file that is gone through in order is one thread's",
                );
            }
            is_random
        }
        _ => false,
    }
}

fn is_shared(item: &Item) -> bool {
    item.text.len() > 1 && "shared".starts_with(&item.text.to_lowercase())
}

/// A word of `fileio=` or `fileselect=` that asks for more than an order.
fn beyond(key: &str, item: &Item) -> Option<Unsupported> {
    let word = item.text.to_lowercase();
    let is_order = "random".starts_with(&word) || word.starts_with("seq") && !word.contains("nz");
    (!is_order).then(|| Unsupported {
        what: format!("{key}={}", item.text),
        why: "files are taken at random or in order, and read or written so".to_string(),
        span: item.span,
    })
}

/// `stopafter=`: transfers, or a percentage of the file's size.
fn per_file(reader: &mut Reader, unsupported: &mut Vec<Unsupported>) -> Option<PerFile> {
    let field = reader.field("stopafter")?;
    let numbers = reader.numbers_of(field, Unit::Plain)?;
    let first = numbers.first()?;
    match (first.percent, first.value) {
        (true, percent @ 1.0..=100.0) => Some(PerFile::Percent(percent as u32)),
        (false, count) if count >= 1.0 => Some(PerFile::Transfers(count as u64)),
        _ => {
            unsupported.push(Unsupported {
                what: format!("stopafter={}", field.value.text()),
                why: "it is a number of transfers from 1 on, or a percentage from 1% to 100%"
                    .to_string(),
                span: field.value.span,
            });
            None
        }
    }
}

/// `fileselect=`: the same for the choice of files, which are taken in order where it is left out.
fn select(reader: &mut Reader, unsupported: &mut Vec<Unsupported>) -> FileSelect {
    let Some(field) = reader.field("fileselect") else {
        return FileSelect::Sequential;
    };
    unsupported.extend(
        field
            .value
            .items
            .iter()
            .filter_map(|i| beyond("fileselect", i)),
    );
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
    let is_sequential = |i: &Item| i.text.to_lowercase().starts_with("seq");
    match field.value.items.iter().any(is_sequential) {
        true => FileSelect::Sequential,
        false => FileSelect::Random,
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
