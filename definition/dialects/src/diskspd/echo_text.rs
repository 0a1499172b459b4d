//! What a profile says, in the words of DiskSPD's text results.

use super::model::Seed;
use super::model::{Cache, Distribution, Profile, Target, Throughput, TimeSpan};
use plimsoll_printable::human::joined_bytes;
use std::fmt::Write;

/// `Command Line:` and `Input parameters:`, as they stand above results.
pub(super) fn profile(profile: &Profile, command: &str) -> String {
    let mut out = format!("\nCommand Line: {command}\n\nInput parameters:\n\n");
    if profile.verbose {
        out.push_str("\tusing verbose mode\n");
    }
    for (number, span) in profile.spans.iter().enumerate() {
        let _ = write!(out, "\ttimespan: {:3}\n\t-------------\n", number + 1);
        time_span(&mut out, span);
        out.push('\n');
    }
    out
}

fn time_span(out: &mut String, span: &TimeSpan) {
    let _ = writeln!(out, "\tduration: {}s", span.duration_s);
    let _ = writeln!(out, "\twarm up time: {}s", span.warmup_s);
    let _ = writeln!(out, "\tcool down time: {}s", span.cooldown_s);
    if span.disable_affinity {
        out.push_str("\taffinity disabled\n");
    }
    if span.measure_latency {
        out.push_str("\tmeasuring latency\n");
    }
    if span.iops_std_dev {
        let _ = writeln!(out, "\tgathering IOPS at intervals of {}ms", span.bucket_ms);
    }
    let _ = match span.seed {
        Seed::Number(seed) => writeln!(out, "\trandom seed: {seed}"),
        Seed::Clock => writeln!(out, "\trandom seed: drawn"),
    };
    if span.thread_count != 0 {
        let _ = writeln!(out, "\tthread pool with {} threads", span.thread_count);
        let _ = writeln!(
            out,
            "\tnumber of outstanding I/O operations per thread: {}",
            span.request_count
        );
    }
    if !span.affinity.is_empty() {
        let cpus: Vec<String> = span
            .affinity
            .iter()
            .map(|(g, c)| format!("{g}/{c}"))
            .collect();
        let _ = writeln!(
            out,
            "\tadvanced affinity round robin (group/core): {}",
            cpus.join(", ")
        );
    }
    if span.random_write_data {
        out.push_str("\tgenerating random data for each write IO\n");
        out.push_str(
            "\t  WARNING: this increases the CPU cost of issuing writes and should only\n",
        );
        out.push_str("\t           be compared to other results using the -Zr flag\n");
    }
    for at in &span.targets {
        target(out, span, at);
    }
}

fn target(out: &mut String, span: &TimeSpan, target: &Target) {
    let _ = match target.path.strip_prefix('*') {
        Some(number) => writeln!(out, "\tpath: template target '{number}'"),
        None => writeln!(out, "\tpath: '{}'", target.path),
    };
    let _ = writeln!(out, "\t\tthink time: {}ms", target.think_ms);
    let _ = writeln!(out, "\t\tburst size: {}", target.burst);
    caching(out, target);
    content(out, target);
    if target.parallel {
        out.push_str("\t\tusing parallel async I/O\n");
    }
    let _ = match target.write_percent {
        0 => writeln!(out, "\t\tperforming read test"),
        100 => writeln!(out, "\t\tperforming write test"),
        w => writeln!(
            out,
            "\t\tperforming mix test (read/write ratio: {}/{w})",
            100 - w.min(100)
        ),
    };
    let _ = writeln!(
        out,
        "\t\tblock size: {}",
        joined_bytes(u64::from(target.block))
    );
    place(out, span, target);
    load(out, span, target);
    if let Some(distribution) = &target.distribution {
        out.push_str("\t\tIO Distribution:\n");
        ranges(out, distribution);
    }
}

fn caching(out: &mut String, target: &Target) {
    out.push_str(match target.cache {
        Cache::Cached => "\t\tusing software cache\n",
        Cache::DisableLocal => "\t\tlocal software cache disabled, remote cache enabled\n",
        Cache::DisableOs => "\t\tsoftware cache disabled\n",
    });
    out.push_str(match (target.write_through, target.cache) {
        (false, _) => "\t\tusing hardware write cache, writethrough off\n",
        (true, Cache::DisableOs) => "\t\thardware write cache disabled, writethrough on\n",
        (true, _) => "\t\thardware and software write caches disabled, writethrough on\n",
    });
    if target.mapped {
        out.push_str("\t\tmemory mapped I/O enabled\n");
    }
}

fn content(out: &mut String, target: &Target) {
    if target.zero {
        out.push_str("\t\tzeroing write buffers\n");
    }
    if let Some(source) = &target.source {
        let _ = writeln!(out, "\t\twrite buffer size: {}", joined_bytes(source.size));
        let _ = match &source.file {
            Some(file) => writeln!(out, "\t\twrite buffer source: '{file}'"),
            None => writeln!(out, "\t\twrite buffer source: random fill"),
        };
    }
}

fn place(out: &mut String, span: &TimeSpan, target: &Target) {
    let order = match (target.random_percent, target.interlocked) {
        (100, _) => "random I/O (alignment: ".to_string(),
        (0, true) => "interlocked sequential I/O (stride: ".to_string(),
        (0, false) => "sequential I/O (stride: ".to_string(),
        (percent, _) => {
            format!("mixed random/sequential I/O ({percent}% random) (alignment/stride: ")
        }
    };
    let _ = writeln!(
        out,
        "\t\tusing {order}{})",
        joined_bytes(target.alignment())
    );
    let _ = match span.is_pool() {
        false => writeln!(
            out,
            "\t\tnumber of outstanding I/O operations per thread: {}",
            target.requests
        ),
        true => writeln!(
            out,
            "\t\trelative IO weight in thread pool: {}",
            target.weight
        ),
    };
    for (name, bytes) in [
        ("base file offset", target.base),
        ("max file size", target.max),
        ("thread stride size", target.thread_stride),
    ] {
        if bytes != 0 {
            let _ = writeln!(out, "\t\t{name}: {}", joined_bytes(bytes));
        }
    }
    let hints = [
        (1, "FILE_FLAG_SEQUENTIAL_SCAN"),
        (0, "FILE_FLAG_RANDOM_ACCESS"),
        (2, "FILE_ATTRIBUTE_TEMPORARY"),
    ];
    for (at, hint) in hints {
        if target.hints[at] {
            let _ = writeln!(out, "\t\tusing {hint} hint");
        }
    }
}

fn load(out: &mut String, span: &TimeSpan, target: &Target) {
    if span.thread_count == 0 {
        let _ = writeln!(out, "\t\tthreads per file: {}", target.threads);
        if target.requests > 1 {
            out.push_str(match span.completion_routines {
                true => "\t\tusing completion routines (ReadFileEx/WriteFileEx)\n",
                false => "\t\tusing I/O Completion Ports\n",
            });
        }
    }
    let priority = ["very low", "low", "normal"];
    let at = (target.priority as usize).wrapping_sub(1);
    let _ = writeln!(
        out,
        "\t\tIO priority: {}",
        priority.get(at).unwrap_or(&"unknown")
    );
    let _ = match target.throughput {
        Some(Throughput::Iops(n)) => writeln!(out, "\t\tthroughput rate-limited to {n} IOPS"),
        Some(Throughput::BytesPerMs(n)) => writeln!(out, "\t\tthroughput rate-limited to {n} B/ms"),
        None => Ok(()),
    };
}

fn ranges(out: &mut String, distribution: &Distribution) {
    let mut from = 0u64;
    for (io, length) in &distribution.ranges {
        let to = from.saturating_add(*length);
        let _ = match distribution.absolute {
            false => writeln!(
                out,
                "\t\t   {io:3}% of IO => [{from:2}% - {to:3}%) of target"
            ),
            true => {
                let end = match length {
                    0 => "      end".to_string(),
                    _ => aligned(to),
                };
                let start = if from == 0 {
                    "     0   ".to_string()
                } else {
                    aligned(from)
                };
                writeln!(out, "\t\t   {io:3}% of IO => [{start} - {end})")
            }
        };
        from = to;
    }
}

/// A size whose number takes six columns.
fn aligned(bytes: u64) -> String {
    format!("{:>9}", joined_bytes(bytes))
}
