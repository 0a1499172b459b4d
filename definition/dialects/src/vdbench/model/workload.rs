//! Workload definitions.

use super::{OpenFlags, Reference, StorageRange, file_workload, open_flags, referenced, storage};
use crate::vdbench::codes;
use crate::vdbench::number::{Number, Unit};
use crate::vdbench::object::{Field, Object};
use crate::vdbench::parameter::Value;
use crate::vdbench::reader::Reader;
use crate::vdbench::report::Report;
use plimsoll_diagnostic::{Diagnostic, Span};
use plimsoll_plan::{HotbandMode, Origins};

/// What the I/O looks like.
#[derive(Debug, Clone)]
pub struct Workload {
    /// Its name.
    pub name: String,
    /// Where the name is.
    pub span: Span,
    /// The storage that it uses.
    pub storages: Vec<Reference>,
    /// Transfer sizes.
    pub sizes: Sizes,
    /// Percent of reads.
    pub read_percent: f64,
    /// Order of addresses.
    pub seek: Seek,
    /// Gaps between sequential I/Os, bytes: smallest and largest.
    pub stride: Option<(u64, u64)>,
    /// The part of the storage that is used, and how.
    pub band: Option<Band>,
    /// Percent of the run's rate.
    pub skew: Option<f64>,
    /// A rate of its own, per second.
    pub rate: Option<f64>,
    /// The order in which fixed rates are kept.
    pub priority: Option<u32>,
    /// Percent of reads that go to the hit area.
    pub read_hits: f64,
    /// Percent of writes that go to the hit area.
    pub write_hits: f64,
    /// Sequential streams on one storage.
    pub streams: Option<u32>,
    /// I/Os in flight, where storage is joined.
    pub threads: Option<u32>,
    /// How the storage is opened.
    pub open_flags: Option<OpenFlags>,
    /// The hosts that it runs on.
    pub hosts: Vec<Reference>,
    /// Where each parameter was written.
    pub origins: Origins,
}

/// Transfer sizes, bytes.
#[derive(Debug, Clone, PartialEq)]
pub enum Sizes {
    /// All alike.
    Fixed(u64),
    /// (size, percent), summing to 100.
    Weighted(Vec<(u64, f64)>),
    /// Multiples of `align` from `min` to `max`.
    Range {
        /// Smallest.
        min: u64,
        /// Largest.
        max: u64,
        /// Step.
        align: u64,
    },
}

/// `seekpct=`
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Seek {
    /// 0: one after the other.
    Sequential,
    /// One after the other, from a random start.
    SequentialNonZero,
    /// One pass, then the workload ends.
    UntilEnd,
    /// Each I/O seeks with this chance, percent; 100 is random.
    Percent(f64),
    /// Distances from the start are drawn from a Poisson distribution with this midpoint.
    Poisson(f64),
}

/// The part of the storage that a workload uses. `range=` and `hotband=` share one place: the last wins.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Band {
    /// All of it alike.
    Range(StorageRange),
    /// Skewed to its start.
    Hot(StorageRange, HotbandMode),
}

pub(crate) fn read(object: &Object, report: &mut Report) -> Workload {
    let mut reader = Reader::new(&object.fields, report);
    let storages = referenced(&mut reader, &["sd"]);
    let hosts = referenced(&mut reader, &["host", "hd"]);
    let sizes = reader
        .field("xfersize")
        .and_then(|f| sizes(&mut reader, f, true))
        .unwrap_or(Sizes::Fixed(4096));
    let seek = reader
        .field("seekpct")
        .and_then(|f| seek(&mut reader, &f.value))
        .unwrap_or(Seek::Percent(100.0));
    let stride = reader
        .field("stride")
        .and_then(|f| stride(&mut reader, f, seek));
    let band = reader
        .any(&["range", "hotband", "hotband-corrected"])
        .and_then(|f| band(&mut reader, f));
    if let Some(field) = reader.field("iorate").filter(|f| f.value.items.len() > 1) {
        reader.refuse(field, "one rate; a list of rates belongs to the rd");
    }
    let streams = reader
        .field("streams")
        .and_then(|f| streams(&mut reader, f));
    Workload {
        name: object.name.clone(),
        span: object.span,
        storages,
        sizes,
        read_percent: read_percent(&mut reader),
        seek,
        stride,
        band,
        // Vdbench takes 0 for nothing said.
        skew: reader
            .number("skew", Unit::Plain, 0.0, 100.0)
            .filter(|skew| *skew > 0.0),
        rate: reader
            .number("iorate", Unit::Plain, 0.0, 1e12)
            .filter(|rate| *rate > 0.0),
        priority: reader
            .number("priority", Unit::Plain, 1.0, 1e6)
            .map(|p| p as u32),
        read_hits: reader
            .number("rhpct", Unit::Plain, 0.0, 100.0)
            .unwrap_or(0.0),
        write_hits: reader
            .number("whpct", Unit::Plain, 0.0, 100.0)
            .unwrap_or(0.0),
        streams,
        threads: reader
            .number("threads", Unit::Plain, 1.0, 1e6)
            .map(|t| t as u32),
        open_flags: open_flags::read(&mut reader),
        hosts,
        origins: reader.origins(),
    }
}

fn read_percent(reader: &mut Reader) -> f64 {
    let Some(field) = reader.any(&["rdpct", "readpct", "wrpct", "writepct"]) else {
        return 100.0;
    };
    let percent = reader.integral(field.keyword.name).unwrap_or(100.0);
    match field.keyword.name.starts_with('w') {
        true => 100.0 - percent,
        false => percent,
    }
}

/// What Vdbench wants transfer sizes on storage to be multiples of, bytes.
pub(crate) const SECTOR: u64 = 512;

/// A size; `(size,percent,...)`; `(min,max,align)`. On storage all are whole `sectors`; Vdbench looks at those of lists
/// when it reads them.
pub(crate) fn sizes(reader: &mut Reader, field: &Field, sectors: bool) -> Option<Sizes> {
    let numbers = reader.numbers_of(field, Unit::Plain)?;
    let sizes = match numbers[..] {
        [one] => Sizes::Fixed(one.value as u64),
        [min, max, align] => {
            let (min, max, align) = (min.value as u64, max.value as u64, align.value as u64);
            if align == 0 || !align.is_multiple_of(SECTOR) || min >= max {
                reader.refuse(field, "(smallest,largest,step), the step a multiple of 512");
                return None;
            }
            Sizes::Range { min, max, align }
        }
        _ => {
            let list = weighted(reader, field, &numbers)?;
            if sectors && list.iter().any(|(size, _)| !size.is_multiple_of(SECTOR)) {
                reader.refuse(field, "sizes that are multiples of 512");
                return None;
            }
            Sizes::Weighted(list)
        }
    };
    let smallest = match &sizes {
        Sizes::Fixed(size) | Sizes::Range { min: size, .. } => *size,
        Sizes::Weighted(list) => list.iter().map(|(size, _)| *size).min().unwrap_or(0),
    };
    if smallest == 0 {
        reader.refuse(field, "sizes above 0");
        return None;
    }
    Some(sizes)
}

/// `(size,percent,...)`; Vdbench takes any sum that rounds to 100. What comes back comes to 100.
pub(crate) fn weighted(
    reader: &mut Reader,
    field: &Field,
    numbers: &[Number],
) -> Option<Vec<(u64, f64)>> {
    if numbers.len() % 2 == 1 {
        reader.refuse(field, "pairs of size and percent");
        return None;
    }
    let list: Vec<(u64, f64)> = numbers
        .chunks(2)
        .map(|p| (p[0].value as u64, p[1].value))
        .collect();
    let total: f64 = list.iter().map(|(_, percent)| percent).sum();
    if total.round() != 100.0 {
        reader.report.add(
            Diagnostic::error(
                codes::VALUE,
                format!(
                    "the percentages of `{}=` come to {total}",
                    field.keyword.name
                ),
            )
            .at(field.value.span, "must come to 100"),
        );
        return None;
    }
    Some(
        list.into_iter()
            .map(|(s, p)| (s, p * 100.0 / total))
            .collect(),
    )
}

/// A word or a percentage.
pub(crate) fn seek(reader: &mut Reader, value: &Value) -> Option<Seek> {
    const WORDS: [&str; 6] = ["random", "sequential", "seqnz", "eof", "poisson", "seq"];
    let first = value.items.first()?;
    if first.text == "-1" {
        return Some(Seek::UntilEnd);
    }
    if first
        .text
        .starts_with(|c: char| c.is_ascii_digit() || c == '.')
    {
        return percent_seek(reader, value);
    }
    let word = first.text.to_lowercase();
    if word.starts_with("seq") {
        file_workload::ordered(first, &WORDS, reader);
        return Some(match word.contains("nz") {
            true => Seek::SequentialNonZero,
            false => Seek::Sequential,
        });
    }
    match reader.word(first, &WORDS)? {
        "random" => Some(Seek::Percent(100.0)),
        "eof" => Some(Seek::UntilEnd),
        "sequential" | "seqnz" | "seq" => {
            // Of all these words it is the one that Vdbench does not complete.
            reader.report.add(
                Diagnostic::error(
                    codes::VALUE,
                    format!("`seekpct={}` cannot be read", first.text),
                )
                .at(first.span, "expected random, seq, seqnz, eof or poisson")
                .help("write seq"),
            );
            None
        }
        _ => {
            const MIDPOINT: f64 = 3.0;
            let Some(item) = value.items.get(1) else {
                return Some(Seek::Poisson(MIDPOINT));
            };
            let one = Value {
                items: vec![item.clone()],
                list: false,
                span: item.span,
            };
            match crate::vdbench::number::numbers(&one, Unit::Plain) {
                Ok(numbers) => numbers.first().map(|n| Seek::Poisson(n.value)),
                Err(diagnostic) => {
                    reader.report.add(*diagnostic);
                    None
                }
            }
        }
    }
}

fn percent_seek(reader: &mut Reader, value: &Value) -> Option<Seek> {
    let percent = match crate::vdbench::number::numbers(value, Unit::Plain) {
        Ok(numbers) if numbers.len() == 1 => numbers[0].value,
        Ok(_) => f64::NAN,
        Err(diagnostic) => {
            reader.report.add(*diagnostic);
            return None;
        }
    };
    if !(0.0..=100.0).contains(&percent) {
        reader.report.add(
            Diagnostic::error(
                codes::OUT_OF_RANGE,
                format!("`seekpct={}` is out of range", value.joined()),
            )
            .at(
                value.span,
                "must be 0 to 100, or random, seq, eof, poisson, seqnz",
            ),
        );
        return None;
    }
    Some(if percent == 0.0 {
        Seek::Sequential
    } else {
        Seek::Percent(percent)
    })
}

fn stride(reader: &mut Reader, field: &Field, seek: Seek) -> Option<(u64, u64)> {
    if matches!(
        seek,
        Seek::Sequential | Seek::SequentialNonZero | Seek::UntilEnd
    ) {
        reader.report.add(
            Diagnostic::error(codes::CONFLICT, "stride= with a sequential workload")
                .at(field.span, "it leaves gaps, and seekpct= asks for none")
                .help("write seekpct= above 0, or leave stride= out"),
        );
        return None;
    }
    let numbers = reader.numbers_of(field, Unit::Plain)?;
    match numbers[..] {
        [min, max] if min.value <= max.value => Some((min.value as u64, max.value as u64)),
        _ => {
            reader.refuse(field, "(smallest,largest)");
            None
        }
    }
}

fn band(reader: &mut Reader, field: &Field) -> Option<Band> {
    let range = storage::range(reader, field)?;
    Some(match field.keyword.name {
        "hotband" => Band::Hot(range, HotbandMode::Observed),
        "hotband-corrected" => Band::Hot(range, HotbandMode::Corrected),
        _ => Band::Range(range),
    })
}

/// `streams=n`; a second number, the size of a stream, is older than 5.04.
fn streams(reader: &mut Reader, field: &Field) -> Option<u32> {
    let numbers = reader.numbers_of(field, Unit::Plain)?;
    match numbers.first() {
        Some(n) if numbers.len() == 1 && (2.0..=1e6).contains(&n.value) => Some(n.value as u32),
        _ => {
            reader.refuse(field, "a number of streams, 2 or more");
            None
        }
    }
}
