//! Run definitions.

use super::loops::{ForLoop, loops, operations};
use super::{OpenFlags, Operation, Reference, Unsupported, open_flags, references};
use crate::vdbench::codes;
use crate::vdbench::number::{Number, Unit};
use crate::vdbench::object::{Field, Object};
use crate::vdbench::reader::Reader;
use crate::vdbench::report::Report;
use plimsoll_diagnostic::{Diagnostic, Span};
use plimsoll_plan::{Arrival, Command, Origins};
use std::rc::Rc;

/// What is run, how hard and for how long.
#[derive(Debug, Clone)]
pub struct RunDefinition {
    /// Its name.
    pub name: String,
    /// Where the name is.
    pub span: Span,
    /// The workloads.
    pub workloads: Option<Vec<Reference>>,
    /// The storage, instead of the workloads' own.
    pub storages: Option<StorageChoice>,
    /// The file-system workloads.
    pub file_workloads: Option<Vec<Reference>>,
    /// The file systems, instead of the workloads' own.
    pub file_systems: Option<Vec<Reference>>,
    /// `iorate=`
    pub rate: Option<RateRequest>,
    /// `fwdrate=`
    pub file_rate: Option<RateRequest>,
    /// Percentages of a curve.
    pub curve: Vec<u32>,
    /// A mean service time that ends everything after the point that exceeds it, milliseconds.
    pub stop_curve: Option<f64>,
    /// Seconds that count.
    pub elapsed: f64,
    /// Seconds between reports.
    pub interval: f64,
    /// Seconds that don't count, before.
    pub warmup: f64,
    /// Idle seconds before it.
    pub pause: f64,
    /// Gaps between starts.
    pub distribution: Distribution,
    /// Ends it early.
    pub max_data: Option<DataLimit>,
    /// Ends it early: reads only.
    pub max_read: Option<DataLimit>,
    /// Ends it early: writes only.
    pub max_written: Option<DataLimit>,
    /// How storage is opened, instead of its own flags.
    pub open_flags: Option<OpenFlags>,
    /// Commands before it.
    pub start_commands: Vec<Command>,
    /// Commands after it.
    pub end_commands: Vec<Command>,
    /// A trace to replay.
    pub replay: Option<(String, Span)>,
    /// What is done to files, all of it at once, instead of the workloads' own; empty: the workloads' own.
    pub operations: Vec<Operation>,
    /// What is done to files before.
    pub format: Format,
    /// Its loops, outermost first.
    pub loops: Vec<ForLoop>,
    /// What cannot be run.
    pub unsupported: Vec<Unsupported>,
    /// Where each parameter was written.
    pub origins: Origins,
}

/// `sd=` of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StorageChoice {
    /// These.
    Names(Vec<Reference>),
    /// `single`: a run for each.
    Single,
    /// `range`: a run for the first, for the first two, and so on.
    Range,
    /// `setsofN`: a run for each N.
    Sets(usize),
}

/// What `max` in a list of rates stands for.
pub const MAX_LISTED: f64 = f64::INFINITY;

/// `iorate=` and `fwdrate=`
#[derive(Debug, Clone, PartialEq)]
pub enum RateRequest {
    /// As fast as it goes.
    Max,
    /// A maximum, then percentages of it.
    Curve,
    /// One run for each; [`MAX_LISTED`] is the maximum.
    Rates(Vec<f64>),
    /// One run for each percentage of what the run before reached.
    Percents(Vec<f64>),
    /// (rate, seconds) one after the other, within one run.
    Schedule(Vec<(f64, f64)>),
}

/// `distribution=`
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Distribution {
    /// Gaps of one kind.
    Gaps(Arrival),
    /// Rates that change within a run.
    Variable,
    /// Rates that jump within a run.
    Spike,
}

/// An amount of data.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum DataLimit {
    /// Bytes.
    Bytes(f64),
    /// Times the size of all storage together.
    Times(f64),
}

/// What is done to files before a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Format {
    /// Anything at all.
    pub wanted: bool,
    /// Nothing else.
    pub only: bool,
    /// Everything that is there is deleted first.
    pub deletes: bool,
    /// Before the first of a loop only.
    pub once: bool,
    /// Directories, and no files.
    pub directories: bool,
    /// Everything is deleted, and nothing is made.
    pub clean: bool,
    /// Ended when the run's time is up.
    pub limited: bool,
    /// Existing files are taken for complete, for which nothing is done yet.
    pub complete: bool,
    /// Where it was written.
    pub span: Option<Span>,
}

/// The percentages of a curve where the file gives none.
const CURVE: [u32; 6] = [10, 50, 70, 80, 90, 100];

pub(crate) fn read(object: &Object, report: &mut Report) -> RunDefinition {
    let mut reader = Reader::new(&object.fields, report);
    let mut unsupported = Vec::new();
    workloads_once(&mut reader, &object.fields);
    let workloads = reader
        .field("wd")
        .map(|f| references(&f.value, reader.report));
    let file_workloads = reader
        .field("fwd")
        .map(|f| references(&f.value, reader.report));
    let distribution = distribution(&mut reader, &mut unsupported);
    let loops = loops(&object.fields, &mut reader);
    let file_systems = reader
        .field("fsd")
        .map(|f| references(&f.value, reader.report));
    RunDefinition {
        name: object.name.clone(),
        span: object.span,
        workloads,
        storages: reader.field("sd").map(|f| storage_choice(f, &mut reader)),
        file_workloads,
        file_systems,
        rate: reader
            .field("iorate")
            .and_then(|f| rate(f, distribution, &mut reader)),
        file_rate: reader
            .field("fwdrate")
            .and_then(|f| rate(f, distribution, &mut reader)),
        curve: curve(&mut reader),
        stop_curve: reader.number("stopcurve", Unit::Plain, 0.0, 1e9),
        elapsed: reader.seconds("elapsed").unwrap_or(30.0),
        interval: reader.seconds("interval").unwrap_or(1.0),
        warmup: reader.seconds("warmup").unwrap_or(0.0),
        pause: reader.seconds("pause").unwrap_or(0.0),
        distribution,
        max_data: data_limit(&mut reader, &["maxdata"]),
        max_read: data_limit(&mut reader, &["maxdataread", "maxdata_read"]),
        max_written: data_limit(&mut reader, &["maxdatawritten", "maxdata_written"]),
        open_flags: open_flags::read(&mut reader),
        start_commands: reader.command("startcmd"),
        end_commands: reader.command("endcmd"),
        replay: reader
            .field("replay")
            .map(|f| (f.value.text().to_string(), f.span)),
        operations: reader
            .field("operations")
            .map(|f| operations(f, &mut reader))
            .unwrap_or_default(),
        format: format(&mut reader),
        loops,
        unsupported,
        origins: reader.origins(),
    }
}

/// Vdbench takes `wd=` once, a default's counted, so that nobody expects two of them to add up.
fn workloads_once(reader: &mut Reader, fields: &[Field]) {
    let mut given = fields.iter().filter(|f| f.keyword.name == "wd");
    if let (Some(first), Some(second)) = (given.next(), given.next()) {
        reader.report.add(
            Diagnostic::error(codes::DUPLICATE, "`wd=` is given twice")
                .at(second.span, "the second time")
                .at(first.span, "the first time")
                .help("write wd=(wd1,wd2)"),
        );
    }
}

fn storage_choice(field: &Field, reader: &mut Reader) -> StorageChoice {
    match field.value.text() {
        "single" => StorageChoice::Single,
        "range" => StorageChoice::Range,
        word => {
            if let Some(size) = word
                .strip_prefix("setsof")
                .and_then(|n| n.parse().ok())
                .filter(|n| *n > 0)
            {
                return StorageChoice::Sets(size);
            }
            StorageChoice::Names(references(&field.value, reader.report))
        }
    }
}

/// `max`, `curve`, numbers, percentages, or pairs of rate and seconds.
fn rate(field: &Field, distribution: Distribution, reader: &mut Reader) -> Option<RateRequest> {
    let value = &field.value;
    let listed = value.items.len() > 1;
    // Of a list that begins with `curve` Vdbench takes nothing else.
    if value.text() == "curve" && listed {
        warn_of_curve(field, reader);
        return Some(RateRequest::Curve);
    }
    if !listed && value.text().starts_with(|c: char| c.is_ascii_alphabetic()) {
        return match reader.word(&value.items[0], &["max", "curve"])? {
            "max" => Some(RateRequest::Max),
            _ => Some(RateRequest::Curve),
        };
    }
    // Only rates for storage may be so; elsewhere the word is refused as no number.
    let numbers = match field.keyword.name == "iorate" && distribution != Distribution::Variable {
        true => reader.numbers_of(&with_max_as_number(field), Unit::Plain)?,
        false => reader.numbers_of(field, Unit::Plain)?,
    };
    if distribution == Distribution::Variable {
        if numbers.len() % 2 == 1 || numbers.iter().any(|n| n.percent || n.value < 0.0) {
            reader.refuse(
                field,
                "pairs of rate and seconds, as distribution=variable needs them",
            );
            return None;
        }
        return Some(RateRequest::Schedule(
            numbers
                .chunks(2)
                .map(|p| (p[0].value, p[1].value))
                .collect(),
        ));
    }
    if numbers.iter().any(|n| n.value <= 0.0) {
        reader.refuse(field, "rates above 0");
        return None;
    }
    let has_max = value.items.iter().any(|item| item.text == "max");
    let rate_of = |n: &Number| match has_max && n.value == MAX {
        true => MAX_LISTED,
        false => n.value,
    };
    let values = numbers.iter().map(rate_of).collect();
    match numbers.iter().filter(|n| n.percent).count() {
        0 => Some(RateRequest::Rates(values)),
        n if n == numbers.len() => Some(RateRequest::Percents(values)),
        _ => {
            reader.refuse(field, "either rates or percentages");
            None
        }
    }
}

/// Vdbench's number for `max`: so it reads the word in a list.
const MAX: f64 = 9_999_988.0;

fn with_max_as_number(field: &Field) -> Field {
    let mut field = field.clone();
    for item in &mut Rc::make_mut(&mut field.value).items {
        if item.text == "max" {
            item.text = MAX.to_string();
        }
    }
    field
}

fn warn_of_curve(field: &Field, reader: &mut Reader) {
    reader.report.add(
        Diagnostic::warning(codes::LENIENT, "a curve in a list of rates")
            .at(field.span, "only the curve is taken, as Vdbench does")
            .help("its points are curve=, in percent"),
    );
}

/// `curve=`: percentages, truncated to whole ones, in the order given.
fn curve(reader: &mut Reader) -> Vec<u32> {
    let Some(field) = reader.field("curve") else {
        return CURVE.to_vec();
    };
    let numbers: Vec<Number> = reader.numbers_of(field, Unit::Plain).unwrap_or_default();
    if numbers.iter().any(|n| n.value < 1.0 || n.value > 1e6) {
        reader.outside(field, 1.0, 1e6);
    } else if let Some(far) = numbers.iter().find(|n| n.value > 1000.0) {
        reader.report.add(
            Diagnostic::warning(
                codes::LENIENT,
                format!("a curve point at {} percent", far.value),
            )
            .at(
                far.span,
                "curve= takes percentages of the maximum, not rates",
            )
            .help("for rates write iorate=(from-to,step)"),
        );
    }
    numbers.iter().map(|n| n.value as u32).collect()
}

fn distribution(reader: &mut Reader, unsupported: &mut Vec<Unsupported>) -> Distribution {
    let Some(field) = reader.field("distribution") else {
        return Distribution::Gaps(Arrival::Exponential);
    };
    const WORDS: [&str; 5] = [
        "exponential",
        "uniform",
        "deterministic",
        "variable",
        "spike",
    ];
    let word = field
        .value
        .items
        .first()
        .and_then(|i| reader.word(i, &WORDS));
    if field.value.items.len() > 1 {
        unsupported.push(Unsupported {
            what: format!("distribution={}", field.value.joined()),
            why: "only the kind of distribution can be given".to_string(),
            span: field.span,
        });
    }
    match word {
        Some("uniform") => Distribution::Gaps(Arrival::Uniform),
        Some("deterministic") => Distribution::Gaps(Arrival::Even),
        Some("variable") => Distribution::Variable,
        Some("spike") => {
            unsupported.push(Unsupported {
                what: "distribution=spike".to_string(),
                why: "write the rates with distribution=variable".to_string(),
                span: field.span,
            });
            Distribution::Spike
        }
        _ => Distribution::Gaps(Arrival::Exponential),
    }
}

/// Up to 100 it is a multiple of all storage, above that bytes.
fn data_limit(reader: &mut Reader, names: &[&str]) -> Option<DataLimit> {
    let name = reader.any(names)?.keyword.name;
    let value = reader.number(name, Unit::Plain, 0.0, 1e18)?;
    Some(match value <= 100.0 {
        true => DataLimit::Times(value),
        false => DataLimit::Bytes(value),
    })
}

/// `format=yes`, `(restart,only)` and so on. `clean` leaves nothing to run a workload on, so it's a format only.
fn format(reader: &mut Reader) -> Format {
    const WORDS: [&str; 9] = [
        "no",
        "yes",
        "restart",
        "only",
        "directories",
        "clean",
        "once",
        "limited",
        "complete",
    ];
    let words = reader.words("format", &WORDS);
    let has = |word: &str| words.contains(&word);
    Format {
        wanted: !words.is_empty() && !has("no"),
        only: has("only") || has("clean"),
        // Whatever is not gone on with is deleted.
        deletes: !words.is_empty() && !has("no") && (has("clean") || !has("restart")),
        once: has("once"),
        directories: has("directories"),
        clean: has("clean"),
        limited: has("limited"),
        // With `no` it spares Vdbench a look at what is there.
        complete: has("complete") && !has("no"),
        span: reader.field("format").map(|f| f.span),
    }
}
