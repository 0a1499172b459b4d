//! The loops of a run: `forthreads=(1-8,d)` and the like, in order of appearance.

use super::{Operation, workload};
use crate::vdbench::codes;
use crate::vdbench::number::{self, Number, Unit};
use crate::vdbench::object::Field;
use crate::vdbench::parameter::{Item, Value};
use crate::vdbench::reader::Reader;
use plimsoll_diagnostic::{Diagnostic, Span};

/// One loop over the values of a parameter.
#[derive(Debug, Clone, PartialEq)]
pub struct ForLoop {
    /// The parameter.
    pub key: LoopKey,
    /// Its values.
    pub values: Vec<LoopValue>,
    /// Where they were written.
    pub span: Span,
}

/// One value of a loop.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum LoopValue {
    /// A number; percentages are negative.
    Number(f64),
    /// An operation.
    Operation(Operation),
}

macro_rules! loop_keys {
    ($($name:ident $label:literal [$($keyword:literal)*];)*) => {
        /// A parameter that a run can loop over.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum LoopKey {
            $(#[doc = $label] $name),*
        }
        impl LoopKey {
            const KEYWORDS: &[(&str, LoopKey)] = &[$($(($keyword, LoopKey::$name)),*),*];

            /// What simulation prints.
            pub fn label(self) -> &'static str {
                match self {
                    $(LoopKey::$name => $label),*
                }
            }
        }
    };
}

loop_keys! {
    TransferSize "xfersize" ["xfersize" "forxfersize"];
    Threads "threads" ["threads" "forthreads"];
    ReadPercent "rdpct" ["rdpct" "forrdpct" "readpct"];
    ReadHits "rhpct" ["rhpct" "forrhpct"];
    WriteHits "whpct" ["whpct" "forwhpct"];
    SeekPercent "seekpct" ["seekpct" "forseekpct"];
    HitArea "hitarea" ["hitarea" "forhitarea"];
    Compression "comp" ["compratio" "forcompratio" "compression" "forcompression"];
    Depth "depth" ["depth" "fordepth"];
    Width "width" ["width" "forwidth"];
    Files "files" ["files" "forfiles"];
    FileSizes "sizes" ["sizes" "forsizes"];
    TotalSize "totalsize" ["totalsize" "fortotalsize"];
    WorkingSet "wss" ["wss" "forwss" "workingsetsize" "forworkingsetsize"];
    Operations "operation" ["foroperations"];
    FileRate "fwdrate" ["fwdrate"];
}

impl LoopKey {
    fn of(keyword: &str) -> Option<LoopKey> {
        Self::KEYWORDS
            .iter()
            .find(|(k, _)| *k == keyword)
            .map(|(_, key)| *key)
    }
}

impl LoopValue {
    /// As simulation prints it, a loop over `key`.
    pub fn text(self, key: LoopKey) -> String {
        match self {
            LoopValue::Number(percent) if percent < 0.0 => format!("{}%", -percent as i64),
            LoopValue::Number(rate) if key == LoopKey::FileRate => (rate as i64).to_string(),
            LoopValue::Number(value) => number::display(value),
            LoopValue::Operation(operation) => operation.word().to_string(),
        }
    }

    /// Text of a value, so that two different values never read alike.
    pub fn exact(self, key: LoopKey) -> String {
        match self {
            LoopValue::Number(value) if value >= 0.0 => number::exact(value),
            _ => self.text(key),
        }
    }

    /// The number; 0 for an operation.
    pub fn number(self) -> f64 {
        match self {
            LoopValue::Number(value) => value,
            LoopValue::Operation(_) => 0.0,
        }
    }
}

/// The loops in order of appearance; one given again replaces the former and moves to the end. A list of file rates is
/// a loop like any other; a list of I/O rates is not here, as it is innermost wherever it stands.
pub(super) fn loops(fields: &[Field], reader: &mut Reader) -> Vec<ForLoop> {
    let mut loops: Vec<ForLoop> = Vec::new();
    for field in fields {
        let Some(key) = LoopKey::of(field.keyword.name) else {
            continue;
        };
        if key == LoopKey::FileRate && field.value.items.len() < 2 {
            continue;
        }
        loops.retain(|l| l.key != key);
        let values = match key {
            LoopKey::Operations => operations(field, reader)
                .into_iter()
                .map(LoopValue::Operation)
                .collect(),
            LoopKey::SeekPercent => seek_values(field, reader),
            _ => number_values(key, field, reader),
        };
        if !values.is_empty() && (key != LoopKey::FileRate || values.len() > 1) {
            loops.push(ForLoop {
                key,
                values,
                span: field.span,
            });
        }
    }
    loops
}

/// The operations that a parameter lists.
pub(super) fn operations(field: &Field, reader: &mut Reader) -> Vec<Operation> {
    field
        .value
        .items
        .iter()
        .filter_map(|i| Operation::read(i, reader))
        .collect()
}

/// A word such as `seq` stands for its number, here as in a workload; Vdbench takes only numbers.
fn seek_values(field: &Field, reader: &mut Reader) -> Vec<LoopValue> {
    let value = &field.value;
    if field.keyword.name == "seekpct" && value.list {
        reader.report.add(
            Diagnostic::warning(codes::LENIENT, "a list for `seekpct=` in a run definition")
                .at(
                    field.span,
                    "Vdbench takes one number here, and a list only in forseekpct=",
                )
                .help("write forseekpct="),
        );
    }
    let words = value
        .items
        .iter()
        .any(|i| i.text.starts_with(|c: char| c.is_ascii_alphabetic()) && i.text != "d");
    if !words {
        let numbers = reader.numbers_of(field, Unit::Plain).unwrap_or_default();
        return numbers.iter().map(|n| LoopValue::Number(n.value)).collect();
    }
    reader.report.add(
        Diagnostic::warning(codes::LENIENT, "a word among the values of a loop").at(
            value.span,
            "Vdbench takes numbers here: 100 for random, 0 for seq",
        ),
    );
    let number = |item: &Item, reader: &mut Reader| {
        let one = Value {
            items: vec![item.clone()],
            list: false,
            span: item.span,
        };
        match workload::seek(reader, &one)? {
            workload::Seek::Sequential => Some(0.0),
            workload::Seek::UntilEnd => Some(-1.0),
            workload::Seek::Percent(percent) => Some(percent),
            workload::Seek::Poisson(_) | workload::Seek::SequentialNonZero => {
                reader.report.add(
                    Diagnostic::error(
                        codes::VALUE,
                        format!("`{}` cannot be looped over", item.text),
                    )
                    .at(item.span, "expected percentages, random, seq or eof")
                    .help("write it into the wd"),
                );
                None
            }
        }
    };
    value
        .items
        .iter()
        .filter_map(|i| number(i, reader))
        .map(LoopValue::Number)
        .collect()
}

fn number_values(key: LoopKey, field: &Field, reader: &mut Reader) -> Vec<LoopValue> {
    let Some(numbers) = reader.numbers_of(field, Unit::Plain) else {
        return Vec::new();
    };
    let (min, max) = match key {
        LoopKey::ReadPercent | LoopKey::ReadHits | LoopKey::WriteHits => (0.0, 100.0),
        LoopKey::TransferSize | LoopKey::Compression => (1.0, 1e15),
        _ => (0.0, 1e18),
    };
    if numbers.iter().any(|n| !(min..=max).contains(&n.value)) {
        reader.outside(field, min, max);
        return Vec::new();
    }
    if key == LoopKey::Threads && numbers.iter().any(|n| n.value < 1.0) {
        reader.report.add(
            Diagnostic::warning(codes::LENIENT, "0 threads are taken for 1")
                .at(field.value.span, "nothing is done without a thread"),
        );
    }
    let percents = field.keyword.name.ends_with("compression");
    let value = |n: &Number| match (percents, n.percent) {
        (true, _) => (100_000.0 / n.value).round() / 1000.0,
        (false, true) => -n.value,
        (false, false) => n.value,
    };
    numbers
        .iter()
        .map(|n| LoopValue::Number(value(n)))
        .collect()
}
