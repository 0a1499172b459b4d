//! Results as text.

use super::Header;
use super::span::{CpuShares, Row, Side, Span};
use super::table::table;
use plimsoll_evidence::Environment;
use plimsoll_measure::Histogram;
use std::collections::BTreeMap;
use std::fmt::Write;

const RULE: &str =
    "*******************************************************************************\n";

/// The result of all time spans that were measured.
pub fn text(header: &Header, environment: &Environment, spans: &[Span]) -> String {
    let mut out = header.text.clone();
    system(&mut out, environment);
    for (number, span) in spans.iter().enumerate() {
        let _ = write!(out, "\nResults for timespan {}:\n{RULE}", number + 1);
        match span.seconds > 0.0 {
            true => one(&mut out, span),
            false => out.push_str(super::xml::INTERRUPTED_LINE),
        }
    }
    if spans.len() > 1 {
        totals(&mut out, spans);
    }
    out
}

fn system(out: &mut String, environment: &Environment) {
    let host = &environment.host;
    let _ = write!(
        out,
        "System information:\n\n\tcomputer name: {}\n\tstart time: {}\n\n\tcpu count:\t\t{}\n\
         \tnode count:\t\t{}\n",
        host.hostname, environment.started, host.cpus_online, host.numa_nodes
    );
}

fn one(out: &mut String, span: &Span) {
    let _ = writeln!(out, "\nactual test time:\t{:.2}s", span.seconds);
    let _ = writeln!(out, "thread count:\t\t{}", span.options.threads);
    if span.options.pool && span.options.request_count > 0 {
        let _ = writeln!(out, "request count:\t\t{}", span.options.request_count);
    }
    if let Some(shares) = span.cpu {
        cpu(out, &span.cpus, &shares);
    }
    out.push_str("\nTotal IO\n");
    table(out, span, Row::total);
    out.push_str("\nRead IO\n");
    table(out, span, |row| row.read.clone());
    out.push_str("\nWrite IO\n");
    table(out, span, |row| row.write.clone());
    if span.options.latency {
        latencies(out, span);
    }
}

/// A line for each CPU, and the average.
fn cpu(out: &mut String, cpus: &[CpuShares], average: &CpuShares) {
    let border = "----------------------------------------\n";
    let _ = write!(out, "\nCPU |  Usage |  User  | Kernel |  Idle\n{border}");
    for (number, shares) in cpus.iter().enumerate() {
        cells(out, &format!("{number:4}"), shares);
    }
    out.push_str(border);
    cells(out, "avg.", average);
}

fn cells(out: &mut String, name: &str, shares: &CpuShares) {
    let _ = writeln!(
        out,
        "{name}| {:6.2}%| {:6.2}%| {:6.2}%| {:6.2}%",
        shares.usage(),
        shares.user,
        shares.kernel,
        shares.idle()
    );
}

/// A chart for each of several targets, and one of all.
fn latencies(out: &mut String, span: &Span) {
    let mut targets: BTreeMap<&str, (Side, Side)> = BTreeMap::new();
    for row in &span.rows {
        let (read, write) = targets.entry(&row.path).or_default();
        read.merge(&row.read);
        write.merge(&row.write);
    }
    if targets.len() > 1 {
        for (path, (read, write)) in &targets {
            let _ = writeln!(out, "\nLatency distribution: {path}");
            chart(out, &read.latency, &write.latency);
        }
    }
    out.push_str("\nTotal latency distribution:\n");
    let read = span.sum(|row| row.read.clone());
    let write = span.sum(|row| row.write.clone());
    chart(out, &read.latency, &write.latency);
}

const PERCENTILES: [(f64, &str); 13] = [
    (0.25, "25th"),
    (0.50, "50th"),
    (0.75, "75th"),
    (0.90, "90th"),
    (0.95, "95th"),
    (0.99, "99th"),
    (0.999, "3-nines"),
    (0.9999, "4-nines"),
    (0.99999, "5-nines"),
    (0.999999, "6-nines"),
    (0.9999999, "7-nines"),
    (0.99999999, "8-nines"),
    (0.999999999, "9-nines"),
];

fn chart(out: &mut String, read: &Histogram, write: &Histogram) {
    let mut total = read.clone();
    total.merge(write);
    out.push_str("  %-ile |  Read (ms) | Write (ms) | Total (ms)\n");
    out.push_str("----------------------------------------------\n");
    let mut line = |name: &str, of: &dyn Fn(&Histogram) -> Option<u64>| {
        let cell = |h: &Histogram| match of(h) {
            Some(ns) => format!("{:10.3}", ns as f64 / 1e6),
            None => format!("{:>10}", "N/A"),
        };
        let (read, write, total) = (cell(read), cell(write), cell(&total));
        let _ = writeln!(out, "{name:>7} | {read} | {write} | {total}");
    };
    line("min", &Histogram::min_ns);
    for (q, name) in PERCENTILES {
        line(name, &|h: &Histogram| h.quantile_ns(q));
    }
    line("max", &Histogram::max_ns);
}

/// All time spans together.
fn totals(out: &mut String, spans: &[Span]) {
    let seconds: f64 = spans.iter().map(|s| s.seconds).sum();
    let sum = |side: fn(&Row) -> &Side| {
        let sides = spans.iter().flat_map(|s| &s.rows).map(side);
        sides.fold((0u64, 0u64), |(bytes, ios), s| {
            (bytes.saturating_add(s.bytes), ios.saturating_add(s.ios))
        })
    };
    let _ = write!(out, "\n\nTotals:\n{RULE}\n");
    out.push_str("type   |       bytes     |     I/Os     |    MiB/s   |  I/O per s\n");
    let border =
        "-------------------------------------------------------------------------------\n";
    out.push_str(border);
    let mut line = |name: &str, (bytes, ios): (u64, u64), end: &str| {
        let _ = write!(
            out,
            "{name:6} | {bytes:15} | {ios:12} | {:10.2} | {:10.2}{end}",
            bytes as f64 / 1_048_576.0 / seconds.max(1e-9),
            ios as f64 / seconds.max(1e-9)
        );
    };
    let (write, read) = (sum(|r| &r.write), sum(|r| &r.read));
    line("write", write, "\n");
    line("read", read, &format!("\n{border}"));
    let both = (
        write.0.saturating_add(read.0),
        write.1.saturating_add(read.1),
    );
    line(
        "total",
        both,
        &format!("\n\ntotal test time:\t{seconds:.2}s\n"),
    );
}
