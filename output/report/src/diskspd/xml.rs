//! Results as XML.

use super::Header;
use super::span::{Bucket, CpuShares, Row, Side, Span};
use plimsoll_evidence::Environment;
use plimsoll_measure::Histogram;
use plimsoll_printable::xml::Elements;
use std::fmt::Write;

pub(super) const INTERRUPTED_LINE: &str =
    "The test was interrupted before the measurements began. No results are displayed.\n";

/// A time in ms, where there is one.
fn ms(w: &mut Elements, name: &str, ns: Option<f64>) {
    if let Some(ns) = ns {
        w.value(name, format_args!("{:.3}", ns / 1e6));
    }
}

/// The result of all time spans that were measured.
pub fn xml(header: &Header, environment: &Environment, spans: &[Span]) -> String {
    let mut w = Elements::default();
    w.open("Results");
    system(&mut w, environment);
    w.paste(&header.xml);
    for span in spans {
        w.open("TimeSpan");
        match span.seconds > 0.0 {
            true => one(&mut w, environment, span),
            false => w.value("Error", INTERRUPTED_LINE.trim_end()),
        }
        w.close("TimeSpan");
    }
    w.close("Results");
    w.finish()
}

fn system(w: &mut Elements, environment: &Environment) {
    w.open("System");
    w.value("ComputerName", &environment.host.hostname);
    w.open("Tool");
    w.value(
        "Version",
        format_args!("plimsoll {}", environment.tool_version),
    );
    w.value("VersionDate", "");
    w.close("Tool");
    w.value("RunTime", &environment.started);
    w.close("System");
}

fn one(w: &mut Elements, environment: &Environment, span: &Span) {
    w.value("TestTimeSeconds", format_args!("{:.2}", span.seconds));
    w.value("ThreadCount", span.options.threads);
    w.value("RequestCount", span.options.request_count);
    w.value("ProcCount", environment.host.cpus_online);
    if let Some(cpu) = span.cpu {
        w.open("CpuUtilization");
        for (number, shares) in span.cpus.iter().enumerate() {
            w.open("CPU");
            w.value("Group", 0);
            w.value("Id", number);
            percents(w, shares);
            w.close("CPU");
        }
        w.open("Average");
        percents(w, &cpu);
        w.close("Average");
        w.close("CpuUtilization");
    }
    let (read, write) = (span.sum(|r| r.read.clone()), span.sum(|r| r.write.clone()));
    if span.options.latency {
        latency(w, &read.latency, &write.latency);
    }
    if span.options.iops_std_dev {
        iops(w, &read, &write);
    }
    for (number, row) in span.by_thread() {
        w.open("Thread");
        w.value("Id", number);
        target(w, span, &row);
        w.close("Thread");
    }
}

fn percents(w: &mut Elements, cpu: &CpuShares) {
    for (name, percent) in [
        ("UsagePercent", cpu.usage()),
        ("UserPercent", cpu.user),
        ("KernelPercent", cpu.kernel),
        ("IdlePercent", cpu.idle()),
    ] {
        w.value(name, format_args!("{percent:.2}"));
    }
}

fn target(w: &mut Elements, span: &Span, row: &Row) {
    let total = row.total();
    w.open("Target");
    w.value("Path", &row.path);
    w.value("BytesCount", total.bytes);
    w.value("FileSize", row.file_size);
    w.value("IOCount", total.ios);
    w.value("ReadBytes", row.read.bytes);
    w.value("ReadCount", row.read.ios);
    w.value("WriteBytes", row.write.bytes);
    w.value("WriteCount", row.write.ios);
    if span.options.latency {
        for (mean, deviation, side) in [
            (
                "AverageReadLatencyMilliseconds",
                "ReadLatencyStdev",
                &row.read,
            ),
            (
                "AverageWriteLatencyMilliseconds",
                "WriteLatencyStdev",
                &row.write,
            ),
            ("AverageLatencyMilliseconds", "LatencyStdev", &total),
        ] {
            ms(w, mean, side.latency.mean_ns());
            ms(w, deviation, side.latency.std_dev_ns());
        }
    }
    if span.options.iops_std_dev {
        iops(w, &row.read, &row.write);
    }
    w.close("Target");
}

/// Each percent, then one more nine after the other.
fn percentiles() -> impl Iterator<Item = (String, f64)> {
    let whole = (1..=99).map(|p| (p.to_string(), f64::from(p) / 100.0));
    let nines = (1..=7).map(|n| {
        let text = format!("99.{}", "9".repeat(n));
        let percent: f64 = text.parse().unwrap_or(100.0);
        (text, percent / 100.0)
    });
    whole.chain(nines)
}

fn latency(w: &mut Elements, read: &Histogram, write: &Histogram) {
    let mut total = read.clone();
    total.merge(write);
    let counts = [read, write, &total].map(|h| h.buckets().count());
    w.open(&format!(
        "Latency ReadHistoBuckets=\"{}\" WriteHistoBuckets=\"{}\" TotalHistoBuckets=\"{}\"",
        counts[0], counts[1], counts[2]
    ));
    for (mean, deviation, side) in [
        ("AverageReadMilliseconds", "ReadLatencyStdev", read),
        ("AverageWriteMilliseconds", "WriteLatencyStdev", write),
        ("AverageTotalMilliseconds", "LatencyStdev", &total),
    ] {
        ms(w, mean, side.mean_ns());
        ms(w, deviation, side.std_dev_ns());
    }
    let mut bucket = |name: &str, of: &dyn Fn(&Histogram) -> Option<u64>| {
        w.open("Bucket");
        w.value("Percentile", name);
        let sides = [("Read", read), ("Write", write), ("Total", &total)];
        for (side, histogram) in sides {
            ms(
                w,
                &format!("{side}Milliseconds"),
                of(histogram).map(|ns| ns as f64),
            );
        }
        w.close("Bucket");
    };
    bucket("0", &Histogram::min_ns);
    for (name, q) in percentiles() {
        bucket(&name, &|h: &Histogram| h.quantile_ns(q));
    }
    bucket("100", &Histogram::max_ns);
    w.close("Latency");
}

fn iops(w: &mut Elements, read: &Side, write: &Side) {
    let mut total = read.clone();
    total.merge(write);
    w.open("Iops");
    for (name, side) in [
        ("ReadIopsStdDev", read),
        ("WriteIopsStdDev", write),
        ("IopsStdDev", &total),
    ] {
        if !side.buckets.is_empty() {
            w.value(name, format_args!("{:.3}", side.iops_std_dev()));
        }
    }
    let mut end_ms = 0.0;
    let nothing = Bucket::default();
    for (at, both) in total.buckets.iter().enumerate() {
        end_ms += both.seconds * 1e3;
        let [r, w_] = [read, write].map(|side| side.buckets.get(at).unwrap_or(&nothing));
        let mut line = format!(
            "<Bucket SampleMillisecond=\"{end_ms:.0}\" Read=\"{:.0}\" Write=\"{:.0}\" Total=\"{:.0}\"",
            r.iops(),
            w_.iops(),
            both.iops()
        );
        for (side, bucket) in [("Read", r), ("Write", w_)] {
            let h = &bucket.latency;
            let ms = |ns: Option<f64>| ns.unwrap_or(0.0) / 1e6;
            let _ = write!(
                line,
                " {side}MinLatencyMilliseconds=\"{:.3}\" {side}MaxLatencyMilliseconds=\"{:.3}\" \
                 {side}AvgLatencyMilliseconds=\"{:.3}\" {side}LatencyStdDev=\"{:.3}\"",
                ms(h.min_ns().map(|n| n as f64)),
                ms(h.max_ns().map(|n| n as f64)),
                ms(h.mean_ns()),
                ms(h.std_dev_ns())
            );
        }
        w.line(&format!("{line}/>"));
    }
    w.close("Iops");
}
