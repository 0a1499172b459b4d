//! The intervals of a record in InfluxDB's line protocol (<https://docs.influxdata.com/influxdb/v2/reference/syntax/line-protocol/>),
//! for InfluxDB, Telegraf, VictoriaMetrics and QuestDB.

use super::ExportError;
use crate::{IntervalTotals, Record};
use plimsoll_evidence::Phase;
use plimsoll_printable::printable;
use std::io::Write;

/// The measurement that all points are of.
const MEASUREMENT: &str = "plimsoll_interval";

/// Writes a point for each interval of each step, also of one that was not finished, at the interval's end.
///
/// # Errors
/// An error if the record cannot be read or the output cannot be written.
pub fn influx(record: &Record, out: &mut dyn Write) -> Result<(), ExportError> {
    let name = record.path().file_name().unwrap_or_default();
    let name = tag(&name.to_string_lossy());
    for (step, title) in record.step_names()? {
        let begun = record.step_begun_unix_ns(step)?.unwrap_or_default();
        let tags = format!("{MEASUREMENT},record={name},step={}", tag(&title));
        let mut written = Ok(());
        record.each_total((step, 0), 0, |totals| {
            if written.is_ok() {
                written = writeln!(out, "{}", point(&tags, step, begun, &totals));
            }
        })?;
        written?;
    }
    Ok(())
}

/// One line.
fn point(tags: &str, step: u32, begun_unix_ns: i64, totals: &IntervalTotals) -> String {
    let phase = match totals.phase {
        Phase::WarmUp => "warmup",
        Phase::Counted => "counted",
        Phase::Drain => "drain",
    };
    let seconds = totals.length_ns as f64 / 1e9;
    let each_second = |n: u64| (seconds > 0.0).then(|| n as f64 / seconds);
    let mut fields = format!(
        "step_number={step}i,ios={}i,bytes={}i,errors={}i,backlog={}i",
        totals.ios, totals.bytes, totals.errors, totals.backlog
    );
    for (name, value) in [
        ("iops", each_second(totals.ios)),
        ("bytes_per_s", each_second(totals.bytes)),
        ("response_mean_us", totals.mean_us),
        ("response_p50_us", totals.p50_us),
        ("response_p99_us", totals.p99_us),
        ("response_max_us", totals.max_us),
        ("depth", totals.depth),
        ("cpu_busy", totals.cpu_busy),
    ] {
        if let Some(value) = value.filter(|v| v.is_finite()) {
            fields += &format!(",{name}={value}");
        }
    }
    let end = totals.start_ns.saturating_add(totals.length_ns);
    let at = begun_unix_ns.saturating_add(i64::try_from(end).unwrap_or(i64::MAX));
    format!("{tags},phase={phase} {fields} {at}")
}

/// A tag's value: what parts a line is escaped, and none is empty.
fn tag(text: &str) -> String {
    let mut value = String::new();
    for c in printable(text).chars() {
        if matches!(c, ',' | '=' | ' ' | '\\') {
            value.push('\\');
        }
        value.push(c);
    }
    if value.is_empty() {
        value.push('-');
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The measurement with tags, the fields and the time of a line, as InfluxDB takes it apart: at spaces without a backslash before
    /// them.
    fn parts(line: &str) -> Vec<String> {
        let mut parts = vec![String::new()];
        let mut chars = line.chars();
        while let Some(c) = chars.next() {
            match c {
                '\\' => parts.last_mut().unwrap().extend(chars.next()),
                ' ' => parts.push(String::new()),
                c => parts.last_mut().unwrap().push(c),
            }
        }
        parts
    }

    fn totals() -> IntervalTotals {
        IntervalTotals {
            number: 1,
            start_ns: 1_000_000_000,
            length_ns: 500_000_000,
            phase: Phase::Counted,
            ios: 100,
            bytes: 409_600,
            errors: 2,
            mean_us: Some(12.5),
            p50_us: None,
            p99_us: Some(f64::NAN),
            max_us: None,
            depth: None,
            backlog: 0,
            cpu_busy: None,
            own_cpu_ns: None,
        }
    }

    #[test]
    fn a_point_is_at_its_interval_s_end_and_says_what_is_known() {
        let line = point("m,step=a", 3, 7, &totals());
        assert_eq!(
            line,
            "m,step=a,phase=counted step_number=3i,ios=100i,bytes=409600i,errors=2i,backlog=0i,iops=200,bytes_per_s=819200,response_mean_us=12.5 1500000007"
        );
    }

    #[test]
    fn no_name_ends_its_tag_or_its_line() {
        for name in ["a b,c=d", "x\\", "a\nevil ios=1i 0", "", "\\ "] {
            let line = point(&format!("m,step={}", tag(name)), 1, 0, &totals());
            assert_eq!(line.lines().count(), 1, "{line}");
            let parts = parts(&line);
            assert_eq!(parts.len(), 3, "{line}");
            assert!(parts[1].starts_with("step_number=1i"), "{line}");
        }
    }
}
