//! The loops of a run: `forthreads=(1-8,d)` and the like, in order of appearance.

use super::{Operation, workload};
use crate::vdbench::codes;
use crate::vdbench::number::{self, Unit};
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
    Compression "compratio" ["compratio" "forcompratio"];
    CompressionPercent "compression" ["compression" "forcompression"];
    Depth "depth" ["depth" "fordepth"];
    Width "width" ["width" "forwidth"];
    Files "files" ["files" "forfiles"];
    FileSizes "sizes" ["sizes" "forsizes"];
    TotalSize "totalsize" ["totalsize" "fortotalsize"];
    WorkingSet "wss" ["wss" "forwss" "workingsetsize" "forworkingsetsize"];
    Operations "operation" ["operations" "foroperations"];
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
    /// As simulation prints it.
    pub fn text(self) -> String {
        match self {
            LoopValue::Number(value) => number::display(value),
            LoopValue::Operation(operation) => operation.word().to_string(),
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

/// The loops in order of appearance; one given again replaces the former and moves to the end. One operation alone is
/// no loop.
pub(super) fn loops(fields: &[Field], reader: &mut Reader) -> (Vec<ForLoop>, Option<Operation>) {
    let mut loops: Vec<ForLoop> = Vec::new();
    let mut operation = None;
    for field in fields {
        let Some(key) = LoopKey::of(field.keyword.name) else {
            continue;
        };
        loops.retain(|l| l.key != key);
        let values = match key {
            LoopKey::Operations => {
                operation = None;
                let operations: Vec<Operation> = field
                    .value
                    .items
                    .iter()
                    .filter_map(|i| Operation::read(i, reader))
                    .collect();
                if let [one] = operations[..] {
                    operation = Some(one);
                    continue;
                }
                operations.into_iter().map(LoopValue::Operation).collect()
            }
            LoopKey::SeekPercent => seek_values(&field.value, reader),
            _ => number_values(key, field, reader),
        };
        if !values.is_empty() {
            loops.push(ForLoop {
                key,
                values,
                span: field.span,
            });
        }
    }
    (loops, operation)
}

/// A word such as `seq` stands for its number.
fn seek_values(value: &Value, reader: &mut Reader) -> Vec<LoopValue> {
    let words = value
        .items
        .iter()
        .any(|i| i.text.starts_with(|c: char| c.is_ascii_alphabetic()) && i.text != "d");
    if !words {
        return match number::numbers(value, Unit::Plain) {
            Ok(numbers) => numbers.iter().map(|n| LoopValue::Number(n.value)).collect(),
            Err(diagnostic) => {
                reader.report.add(*diagnostic);
                Vec::new()
            }
        };
    }
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
        LoopKey::TransferSize
        | LoopKey::Threads
        | LoopKey::Compression
        | LoopKey::CompressionPercent => (1.0, 1e15),
        _ => (0.0, 1e18),
    };
    if numbers.iter().any(|n| !(min..=max).contains(&n.value)) {
        reader.outside(field, min, max);
        return Vec::new();
    }
    numbers
        .iter()
        .map(|n| LoopValue::Number(if n.percent { -n.value } else { n.value }))
        .collect()
}
