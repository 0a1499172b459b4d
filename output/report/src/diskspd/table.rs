//! The tables of a text result: `Total IO`, `Read IO`, `Write IO`.

use super::span::{Row, Side, Span};
use plimsoll_printable::human::joined_bytes;
use std::fmt::Write;

/// A mean in ms; 0 of nothing.
pub(super) fn mean_ms(side: &Side) -> f64 {
    side.latency.mean_ns().unwrap_or(0.0) / 1e6
}

/// A table of one side: a line for each thread on a target, and their sum.
pub(super) fn table(out: &mut String, span: &Span, side: impl Fn(&Row) -> Side) {
    let (latency, deviation) = (span.options.latency, span.options.iops_std_dev);
    let some = |so: bool, text: &'static str| if so { text } else { "" };
    let _ = writeln!(
        out,
        "thread |       bytes     |     I/Os     |    MiB/s   |  I/O per s {}{}{}|  file",
        some(latency, "|  AvgLat  "),
        some(deviation, "| IopsStdDev "),
        some(latency, "| LatStdDev ")
    );
    let border = format!(
        "------------------------------------------------------------------{}{}{}------------\n",
        some(latency, "-----------"),
        some(deviation, "-------------"),
        some(latency, "------------")
    );
    out.push_str(&border);
    for (number, row) in span.by_thread() {
        let _ = write!(out, "{number:6} | ");
        cells(out, span, &side(&row));
        let _ = writeln!(out, " | {} ({})", row.path, joined_bytes(row.file_size));
    }
    out.push_str(&border);
    out.push_str("total:   ");
    cells(out, span, &span.sum(side));
    out.push('\n');
}

fn cells(out: &mut String, span: &Span, side: &Side) {
    let per_second = |n: f64| n / span.seconds;
    let _ = write!(
        out,
        "{:15} | {:12} | {:10.2} | {:10.2}",
        side.bytes,
        side.ios,
        per_second(side.bytes as f64 / 1_048_576.0),
        per_second(side.ios as f64)
    );
    if span.options.latency {
        let _ = write!(out, " | {:8.3}", mean_ms(side));
    }
    if span.options.iops_std_dev {
        let _ = write!(out, " | {:10.2}", side.iops_std_dev());
    }
    if span.options.latency {
        let _ = match side.latency.std_dev_ns() {
            Some(deviation) => write!(out, " |  {:8.3}", deviation / 1e6),
            None => write!(out, " |       N/A"),
        };
    }
}
