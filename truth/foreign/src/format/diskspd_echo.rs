//! Input parameters in DiskSPD's text: its definition in its own words, where the result has no command line, or one that says less.

use crate::model::AskedSettings;
use crate::text;
use plimsoll_dialects::diskspd::model::{Cache, Source, Target, Throughput, TimeSpan};

/// Words of lines that DiskSPD always prints.
const DURATION: &str = "duration:";
const BLOCK: &str = "block size:";
const CACHE: &str = "cache";
const DEPTH: &str = "number of outstanding";
const MIX: &str = "performing ";
const ORDER: &str = "using ";
/// What follows [`ORDER`] where that says the order of addresses.
const ORDERS: [&str; 4] = ["random", "mixed", "sequential", "interlocked"];

/// Echo of the parameters, as far as it was read.
#[derive(Default)]
pub struct Echo {
    /// Settings of the command line.
    command: Option<TimeSpan>,
    /// The time spans of `Input parameters:`; `None` of one that has a value that cannot be read.
    spans: Vec<Option<TimeSpan>>,
    /// Lines of each that DiskSPD always prints.
    lines: Vec<Vec<&'static str>>,
    /// Targets of the last one.
    targets: usize,
}

impl Echo {
    /// Of a result whose command line asks for this.
    pub fn of(command: Option<TimeSpan>) -> Self {
        Echo {
            command,
            ..Echo::default()
        }
    }

    /// Settings that a time span was asked for; `None` where they are not told. Without a command a line that is not there was cut out:
    /// DiskSPD prints it always.
    pub fn asked(&self, index: usize) -> Option<AskedSettings> {
        let mut asked = AskedSettings::of(&self.span(index)?.asked());
        let is_there = |key| {
            let lines = self.lines.get(index);
            self.command.is_some() || lines.is_none_or(|lines| lines.contains(&key))
        };
        if !is_there(DURATION) {
            asked.duration_s = None;
        }
        if !is_there(BLOCK) {
            asked.block = None;
        }
        if !is_there(CACHE) {
            asked.cache = None;
        }
        if !is_there(MIX) {
            asked.read_share = None;
        }
        if !is_there(ORDER) {
            (asked.random, asked.same_sequence) = (None, false);
        }
        if !is_there(DEPTH) {
            (asked.depth, asked.in_flight, asked.synchronous) = (None, None, None);
        }
        Some(asked)
    }

    /// A time span's own words; `None` where they are not told.
    pub fn span(&self, index: usize) -> Option<&TimeSpan> {
        match self.spans.get(index) {
            Some(reported) => reported.as_ref().filter(|s| !s.targets.is_empty()),
            None => self.command.as_ref(),
        }
    }

    /// Takes a line in.
    pub fn line(&mut self, line: &str) {
        if line.starts_with("timespan:") {
            // What the lines leave out, such as that the file was made, the command line may say.
            let command = self.command.clone().unwrap_or_default();
            self.spans.push(Some(TimeSpan {
                targets: Vec::new(),
                ..command
            }));
            self.lines.push(Vec::new());
            self.targets = 0;
        }
        if let Some(lines) = self.lines.last_mut() {
            let order = line.split_once(ORDER).map(|(_, order)| order);
            let is_order = order.is_some_and(|of| ORDERS.iter().any(|word| of.starts_with(word)));
            let keys = [DURATION, BLOCK, CACHE, DEPTH, MIX, ORDER].into_iter();
            let found = keys.filter(|key| line.contains(key) && (*key != ORDER || is_order));
            lines.extend(found.filter(|key| !lines.contains(key)).collect::<Vec<_>>());
        }
        let Some(last) = self.spans.last_mut() else {
            return;
        };
        let Some(span) = last else { return };
        if line.starts_with("path:") {
            let known = self.command.as_ref();
            let known = known.and_then(|c| c.targets.get(self.targets)).cloned();
            let path = line.trim_start_matches("path:").trim().trim_matches('\'');
            span.targets.push(Target {
                path: path.to_string(),
                ..known.unwrap_or_default()
            });
            self.targets += 1;
        }
        let read = match span.targets.is_empty() {
            true => of_span(span, line),
            false => of_span(span, line).and_then(|()| {
                span.targets
                    .last_mut()
                    .map_or(Some(()), |t| of_target(t, line))
            }),
        };
        if read.is_none() {
            *last = None;
        }
    }
}

/// A whole number after a key: `None` where the line has another key, `Some(None)` where the number cannot be read.
fn count(line: &str, key: &str) -> Option<Option<u32>> {
    let value = line.strip_prefix(key)?.trim();
    let number = text::leading(value).filter(|n| *n <= f64::from(u32::MAX));
    Some(number.map(|n| n as u32))
}

/// A line of a time span; `None` where its value cannot be read.
fn of_span(span: &mut TimeSpan, line: &str) -> Option<()> {
    if line.starts_with("generating random data for each write") {
        span.random_write_data = true;
    } else if let Some(seconds) = count(line, "duration:") {
        span.duration_s = seconds?;
    } else if let Some(seconds) = count(line, "warm up time:") {
        span.warmup_s = seconds?;
    } else if let Some(ms) = count(line, "gathering IOPS at intervals of") {
        (span.iops_std_dev, span.bucket_ms) = (true, ms?);
    } else if let Some(threads) = count(line, "thread pool with") {
        span.thread_count = threads?;
    } else if span.targets.is_empty()
        && span.thread_count > 0
        && let Some(depth) = count(line, "number of outstanding I/O operations per thread:")
    {
        span.request_count = depth?;
    }
    Some(())
}

/// A line of a target; `None` where its value cannot be read.
fn of_target(target: &mut Target, line: &str) -> Option<()> {
    let after = |key: &str| line.strip_prefix(key).map(str::trim);
    match line {
        "using software cache" => target.cache = Cache::Cached,
        "software cache disabled" => target.cache = Cache::DisableOs,
        "zeroing write buffers" => target.zero = true,
        "performing read test" => target.write_percent = 0,
        "performing write test" => target.write_percent = 100,
        _ => {}
    }
    if line.starts_with("hardware and software write caches disabled") {
        target.cache = Cache::DisableOs;
    } else if line.starts_with("write buffer size:") || line.starts_with("write buffer source:") {
        target.source = Some(Source {
            size: 0,
            file: None,
        });
    } else if let Some(size) = after("block size:") {
        let size = text::size(size).filter(|b| *b > 0);
        target.block = u32::try_from(size?).ok()?;
    } else if let Some(ratio) = after("performing mix test (read/write ratio:") {
        target.write_percent = ratio.split('/').nth(1).and_then(text::leading)? as u32;
    } else if line.starts_with("using random I/O") || line.starts_with("using mixed random") {
        target.random_percent = target.random_percent.max(1);
        if line.starts_with("using random I/O") {
            target.random_percent = 100;
        }
    } else if line.starts_with("using interlocked sequential") {
        (target.random_percent, target.interlocked) = (0, true);
    } else if line.starts_with("using sequential") {
        target.random_percent = 0;
    } else if let Some(stride) = after("thread stride size:").and_then(text::size) {
        target.thread_stride = stride;
    } else if let Some(limit) = after("throughput rate-limited to") {
        let number = text::leading(limit)? as u32;
        target.throughput = Some(match limit.contains("IOPS") {
            true => Throughput::Iops(number),
            false => Throughput::BytesPerMs(number),
        });
    }
    depth(target, line)
}

fn depth(target: &mut Target, line: &str) -> Option<()> {
    // Older versions leave `per thread` out.
    let requests = count(line, "number of outstanding I/O operations per thread:")
        .or_else(|| count(line, "number of outstanding I/O operations:"));
    if let Some(requests) = requests {
        target.requests = requests?;
    }
    if let Some(threads) = count(line, "threads per file:") {
        target.threads = threads?;
    }
    Some(())
}
