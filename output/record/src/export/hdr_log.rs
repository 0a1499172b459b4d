//! A record as an HdrHistogram interval log (V2, compressed), for HistogramLogAnalyzer, hdr-plot and the like.

use super::ExportError;
use crate::{Record, RecordError};
use hdrhistogram::Histogram as Hdr;
use hdrhistogram::serialization::V2DeflateSerializer;
use hdrhistogram::serialization::interval_log::{
    IntervalLogWriterBuilder, IntervalLogWriterError, Tag,
};
use plimsoll_evidence::{Interval, Phase};
use plimsoll_measure::histogram::MAX_TRACKED_NS;
use plimsoll_measure::{Histogram, Op};
use std::io::Write;
use std::time::{Duration, UNIX_EPOCH};

/// One line of the log.
struct Line {
    start: Duration,
    length: Duration,
    tag: String,
    histogram: Hdr<u64>,
}

/// Writes a line for each interval, operation and quantity that has values, by time. Values are ns; the column of the
/// largest value is in ms, as Java's writer has it. Tags: `NUMBER.STEP.read.response`, with `.warmup` behind where the
/// interval isn't counted; a character that a tag cannot hold is `_`.
pub fn hdr(record: &Record, out: &mut dyn Write) -> Result<(), ExportError> {
    let start = Duration::from_nanos(record.started_unix_ns().max(0).cast_unsigned());
    // The crate's writer wants a sized one.
    let mut out = out;
    let mut serializer = V2DeflateSerializer::new();
    let mut builder = IntervalLogWriterBuilder::new();
    builder
        .add_comment("Plimsoll record; values in ns; response = completion - intended start, service = completion - submit")
        .with_start_time(UNIX_EPOCH + start)
        .with_base_time(UNIX_EPOCH + start)
        .with_max_value_divisor(1e6);
    let mut log = builder.begin_log_with(&mut out, &mut serializer)?;
    // In virtual time a step takes longer than the wall clock says; a log must be in order all the same.
    let mut end = Duration::ZERO;
    for (number, name) in record.step_names()? {
        let begun = record.step_begun_unix_ns(number)?.unwrap_or_default();
        let offset =
            Duration::from_nanos((begun - record.started_unix_ns()).max(0).cast_unsigned())
                .max(end);
        let prefix = format!("{number}.{}", tag_text(&name));
        let mut written = Ok(());
        record.each_interval(number, |interval| {
            for line in lines(&interval, offset, &prefix) {
                end = end.max(line.start + line.length);
                if written.is_ok() {
                    written = Tag::new(&line.tag).map_or(Ok(()), |tag| {
                        log.write_histogram(&line.histogram, line.start, line.length, Some(tag))
                    });
                }
            }
        })?;
        written.map_err(|e| failed(record, e))?;
    }
    Ok(())
}

fn failed(record: &Record, error: IntervalLogWriterError<impl std::fmt::Debug>) -> ExportError {
    match error {
        IntervalLogWriterError::IoError(e) => ExportError::Write(e),
        IntervalLogWriterError::SerializeError(e) => ExportError::Record(RecordError::Damaged {
            path: record.path().into(),
            what: format!("a histogram cannot be exported: {e:?}"),
        }),
    }
}

fn lines(interval: &Interval, step_offset: Duration, prefix: &str) -> Vec<Line> {
    let suffix = match interval.phase {
        Phase::WarmUp => ".warmup",
        Phase::Counted => "",
        Phase::Drain => ".drain",
    };
    let mut lines = Vec::new();
    for op in Op::ALL.into_iter().chain(Op::ON_NAMES) {
        let mut response = Histogram::empty();
        let mut service = Histogram::empty();
        let streams = interval.stats.streams.iter();
        for (_, stats) in streams
            .flat_map(|s| s.ios_by_op())
            .filter(|(of, _)| *of == op)
        {
            response.merge(&stats.response);
            service.merge(&stats.service);
        }
        for (quantity, histogram) in [("response", response), ("service", service)] {
            if let Some(histogram) = converted(&histogram) {
                lines.push(Line {
                    start: step_offset + Duration::from_nanos(interval.start_ns),
                    length: Duration::from_nanos(interval.length_ns),
                    tag: format!("{prefix}.{}.{quantity}{suffix}", op.name()),
                    histogram,
                });
            }
        }
    }
    lines
}

/// The library's histogram of the same counts, as [`crate::hdr`] lays them out; `None` when empty.
fn converted(histogram: &Histogram) -> Option<Hdr<u64>> {
    // The library's takes some hundred KiB at once, and most operations of an interval have none.
    if histogram.is_empty() {
        return None;
    }
    let mut hdr = Hdr::new_with_bounds(1, MAX_TRACKED_NS, crate::hdr::SIGNIFICANT_DIGITS).ok()?;
    for (_, high, count) in histogram.buckets() {
        hdr.record_n(high, count).ok()?;
    }
    Some(hdr)
}

/// A name without what separates a log's fields.
fn tag_text(name: &str) -> String {
    name.chars()
        .map(|c| {
            if c == ',' || c.is_whitespace() || c.is_control() {
                '_'
            } else {
                c
            }
        })
        .collect()
}
