//! A line an interval, in fixed columns and units: for pipes, logs, `grep` and `awk`.

use crate::figures::IntervalFigures;
use jiff::{SignedDuration, Zoned};
use plimsoll_evidence::{Counted, Interval, Phase};

/// Context of an interval's line: what it needs beside the interval.
#[derive(Debug, Clone)]
pub struct Context {
    /// Start of the step; times are local times in its zone.
    pub started: Zoned,
}

/// The line above interval lines. Rates are per second; `resp`, `p99` and `serv` are mean response, 99th percentile of
/// response and mean service time in ms; `depth` is the mean in flight; `cpu` is user and system of all CPUs.
pub fn interval_header(counted: Counted) -> String {
    format!(
        "{:<8}  {:>6}  {:>10}  {:>9}  {:>9}  {:>9}  {:>9}  {:>7}  {:>5}  {:>6}",
        "time",
        "intvl",
        counted.by_s(),
        "MiB/s",
        "resp_ms",
        "p99_ms",
        "serv_ms",
        "depth",
        "cpu%",
        "errors"
    )
}

/// One interval: the time of its end, its number (`w` before it in the warm-up, `d` after the end), and its figures. `-` stands
/// for what isn't known or what the sample cannot support.
pub fn interval_line(interval: &Interval, context: &Context) -> String {
    let f = IntervalFigures::of(interval);
    let end_ns = interval.start_ns.saturating_add(interval.length_ns);
    let since_start = SignedDuration::from_nanos(i64::try_from(end_ns).unwrap_or(i64::MAX));
    let time = context
        .started
        .checked_add(since_start)
        .map_or_else(|_| "-".into(), |end| end.strftime("%H:%M:%S").to_string());
    let number = format!(
        "{}{}",
        match interval.phase {
            Phase::WarmUp => "w",
            Phase::Counted => "",
            Phase::Drain => "d",
        },
        interval.number
    );
    format!(
        "{time:<8}  {number:>6}  {:>10.1}  {:>9.2}  {:>9}  {:>9}  {:>9}  {:>7.2}  {:>5}  {:>6}",
        f.rate,
        f.bytes_per_s / (1024.0 * 1024.0),
        milliseconds(f.response_mean_ns),
        milliseconds(f.response_p99_ns.map(|ns| ns as f64)),
        milliseconds(f.service_mean_ns),
        f.depth,
        f.cpu
            .map_or_else(|| "-".into(), |share| format!("{:.1}", share * 100.0)),
        f.errors,
    )
}

fn milliseconds(ns: Option<f64>) -> String {
    ns.map_or_else(|| "-".into(), |ns| format!("{:.4}", ns / 1e6))
}
