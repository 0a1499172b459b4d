//! General parameters.

use super::{Reduction, Unsupported};
use crate::vdbench::number::Unit;
use crate::vdbench::object::Field;
use crate::vdbench::reader::Reader;
use crate::vdbench::report::Report;
use plimsoll_plan::{Command, Origins};
use std::path::PathBuf;

/// Parameters before all definitions.
#[derive(Debug, Clone)]
pub struct General {
    /// Errors after which all ends.
    pub data_errors: u64,
    /// Compression and deduplication.
    pub reduction: Reduction,
    /// A file whose bytes are written.
    pub pattern: Option<PathBuf>,
    /// Fill storage in files even where it exists.
    pub format_storage: bool,
    /// The transfer size of such fills, bytes.
    pub format_transfer: u64,
    /// The storage of a workload is joined end to end.
    pub concatenate: bool,
    /// Edges of the histograms, microseconds, ascending; `None`: the usual ones.
    pub histogram_us: Option<Vec<u64>>,
    /// Commands before everything.
    pub start_commands: Vec<Command>,
    /// Commands after everything.
    pub end_commands: Vec<Command>,
    /// What cannot be run.
    pub unsupported: Vec<Unsupported>,
    /// Where each parameter was written.
    pub origins: Origins,
}

pub(crate) fn read(fields: &[Field], report: &mut Report) -> General {
    let mut reader = Reader::new(fields, report);
    let mut unsupported = Vec::new();
    let data_errors = data_errors(&mut reader, &mut unsupported);
    General {
        data_errors,
        reduction: Reduction::read(&mut reader),
        pattern: reader
            .text("pattern")
            .filter(|t| *t != "default")
            .map(PathBuf::from),
        format_storage: reader.yes("formatsds").unwrap_or(false),
        format_transfer: reader.whole("formatxfersize", 512).unwrap_or(128 << 10),
        concatenate: reader
            .any(&["concatenatesds", "concatenate"])
            .is_some_and(|f| f.value.text().to_lowercase().starts_with('y')),
        histogram_us: histogram(&mut reader, fields),
        start_commands: reader.command("startcmd"),
        end_commands: reader.command("endcmd"),
        unsupported,
        origins: reader.origins(),
    }
}

/// The most buckets of a histogram, the last of which has no upper edge.
const BUCKETS: usize = 64;

/// `histogram=(default,20,40,1m,5m,...)`: a name, then edges with the unit u, m or s. A number that is not above the one
/// before is the step from there to the next. Names other than `default` are of histograms that nothing prints.
fn histogram(reader: &mut Reader, fields: &[Field]) -> Option<Vec<u64>> {
    let of_default = |f: &&Field| f.keyword.name == "histogram" && f.value.text() == "default";
    let field = fields.iter().rev().find(of_default)?;
    let words = field.value.items.iter().skip(1).map(|i| i.text.as_str());
    let words: Vec<&str> = words.filter(|w| !"suppress".starts_with(w)).collect();
    if words.is_empty() {
        return None;
    }
    let edges = edges(&words)
        .filter(|edges| edges.first().is_some_and(|first| *first > 0) && edges.len() < BUCKETS);
    if edges.is_none() {
        reader.refuse(
            field,
            "(default,edge,edge,...), ascending, at most 63, in u (microseconds), m or s",
        );
    }
    edges
}

fn edges(words: &[&str]) -> Option<Vec<u64>> {
    let mut edges: Vec<u64> = Vec::new();
    let mut step = None;
    for word in words {
        let digits = word.trim_end_matches(['u', 'm', 's']);
        let factor = match &word[digits.len()..] {
            "" | "u" => 1,
            "m" => 1_000,
            "s" => 1_000_000,
            _ => return None,
        };
        let number = digits.parse::<u64>().ok()?.checked_mul(factor)?;
        let last = edges.last().copied();
        if last.is_some_and(|last| number <= last) {
            step = Some(number).filter(|n| *n > 0);
            continue;
        }
        if let (Some(step), Some(last)) = (step.take(), last) {
            let between = (last.saturating_add(step)..number).step_by(usize::try_from(step).ok()?);
            edges.extend(between.take(BUCKETS));
        }
        edges.push(number);
    }
    Some(edges)
}

/// `n`; Vdbench also takes `(n,seconds)`, a script and `remove`.
fn data_errors(reader: &mut Reader, unsupported: &mut Vec<Unsupported>) -> u64 {
    const DEFAULT: u64 = plimsoll_plan::DEFAULT_MAX_ERRORS;
    let Some(field) = reader.any(&["data_errors", "dataerrors"]) else {
        return DEFAULT;
    };
    let number = field.value.text().starts_with(|c: char| c.is_ascii_digit());
    if !number || field.value.items.len() > 1 {
        unsupported.push(Unsupported {
            what: format!("data_errors={}", field.value.joined()),
            why: "only a number of errors can end a run".to_string(),
            span: field.span,
        });
        return DEFAULT;
    }
    let value = reader.numbers_of(field, Unit::Plain);
    value
        .and_then(|n| n.first().map(|n| n.value as u64))
        .unwrap_or(DEFAULT)
}
