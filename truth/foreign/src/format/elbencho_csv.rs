//! elbencho's CSV, one line a phase. Columns are known by their titles, which a file has once for each time that it was begun.

use crate::model::{
    AskedSettings, Caching, Content, Cpu, CpuOf, ForeignResult, Format, InputPlace, Latency, Load,
    Pace, Pair, Relation, Remark, Row, Run, Scope, Side, Tool,
};
use crate::text;
use plimsoll_plan::{Bytes, Rate};

/// True where a line is that of the titles.
pub fn is_titles(line: &str) -> bool {
    line.contains("operation") && line.contains("IOPS [last]")
}

/// Reads the file of `--csvfile`.
pub fn result(name: &str, text: &str) -> ForeignResult {
    let mut result = ForeignResult {
        tool: Tool::Elbencho,
        format: Format::ElbenchoCsv,
        version: None,
        started_s: None,
        sources: vec![name.into()],
        runs: Vec::new(),
        remarks: Vec::new(),
    };
    let (mut titles, mut comma): (Vec<String>, char) = (Vec::new(), ',');
    for (line, content) in text::lines(text) {
        let at = InputPlace { source: 0, line };
        if is_titles(content) {
            comma = *[',', ';', '\t']
                .iter()
                .max_by_key(|c| content.matches(**c).count())
                .unwrap_or(&',');
            titles = cells(content, comma);
            continue;
        }
        let cells = cells(content, comma);
        if titles.is_empty() || content.trim().is_empty() {
            continue;
        }
        if let Some(odd) = Remark::other_columns(at, cells.len(), titles.len()) {
            result.remarks.push(odd);
            continue;
        }
        let line = Line {
            titles: &titles,
            cells: &cells,
        };
        result.version = result
            .version
            .or_else(|| line.word("version").map(str::to_string));
        result.runs.extend(line.run(at));
    }
    result.remarks.truncate(50);
    result
}

/// The cells of a line; quotes keep what parts them.
pub(super) fn cells(line: &str, comma: char) -> Vec<String> {
    let (mut all, mut cell, mut quoted) = (Vec::new(), String::new(), false);
    for c in line.chars() {
        match c {
            '"' => quoted = !quoted,
            c if c == comma && !quoted => all.push(std::mem::take(&mut cell).trim().to_string()),
            c => cell.push(c),
        }
    }
    all.push(cell.trim().to_string());
    all
}

/// A phase: cells under their titles.
pub(super) struct Line<'t> {
    pub(super) titles: &'t [String],
    pub(super) cells: &'t [String],
}

impl Line<'_> {
    fn word(&self, title: &str) -> Option<&str> {
        let at = self.titles.iter().position(|t| t == title)?;
        self.cells
            .get(at)
            .map(String::as_str)
            .filter(|c| !c.is_empty())
    }

    fn number(&self, title: &str) -> Option<f64> {
        text::amount(self.word(title)?)
    }

    /// The run that it is; `None` where no I/O was done.
    pub(super) fn run(&self, at: InputPlace) -> Option<Run> {
        let operation = self.word("operation")?.to_string();
        // Files and objects of one block each are I/Os; without their bytes they were only made, looked at or removed.
        let of_entries = || {
            self.number("MiB/s [last]")
                .and(self.number("entries/s [last]"))
        };
        let rate = self.number("IOPS [last]").or_else(of_entries);
        let rate = rate.filter(|r| *r > 0.0)?;
        let mixed = self.number("rwmix read IOPS [last]").filter(|r| *r > 0.0);
        // A test of a network, or of entries alone, reads and writes nothing.
        let is_io = ["READ", "WRITE"].contains(&operation.as_str());
        if !is_io && mixed.is_none() && !operation.starts_with("RWMIX") {
            return None;
        }
        let mut row = Row::new(Scope::Whole, &operation, at);
        row.seconds = self
            .number("time ms [last]")
            .map(|ms| ms / 1e3)
            .filter(|s| *s > 0.0);
        let own = self.side("IO lat us", rate, row.seconds);
        let reads_only = operation == "READ";
        row.all = match mixed {
            Some(reads) => {
                row.writes = own.clone();
                row.reads = self.side("rwmix read IO lat us", reads, row.seconds);
                both(&row.reads, &row.writes)
            }
            None => own.clone(),
        };
        if mixed.is_none() {
            *(if reads_only {
                &mut row.reads
            } else {
                &mut row.writes
            }) = own;
        }
        let mib = self.number("MiB/s [last]").unwrap_or(0.0)
            + self.number("rwmix read MiB/s [last]").unwrap_or(0.0);
        // Whole MiB: of little use where there are few.
        row.bandwidth = Some(mib)
            .filter(|m| *m >= 100.0)
            .and_then(|m| text::bytes(m * 1_048_576.0));
        row.pairs = self.pairs(mixed.is_some(), row.seconds);
        let reads = self.number("rwmix read IOPS [first]").unwrap_or(0.0);
        row.while_all = self.number("IOPS [first]").map(|rate| rate + reads);
        row.cpu = self
            .number("CPU% [last]")
            .filter(|p| *p <= 100.0)
            .map(|p| Cpu {
                of: CpuOf::Host,
                busy: p / 100.0,
                system: None,
            });
        let read_share = match mixed {
            Some(reads) => reads / (reads + rate),
            None => f64::from(u8::from(reads_only)),
        };
        let mut asked = self.asked(read_share);
        if self.number("IOPS [last]").is_none() {
            // Each waits until its file is open, or its object is asked for.
            asked.load = asked.load.map(|_| Load::HeldBack);
        }
        let name = match self.word("label") {
            Some(label) => format!("{label} {operation}"),
            None => operation,
        };
        Some(Run {
            name,
            at,
            asked,
            rows: vec![row],
            ..Run::default()
        })
    }

    /// Bytes over the time are the bandwidth. All three are told without their fractions.
    fn pairs(&self, mixed: bool, seconds: Option<f64>) -> Vec<Pair> {
        let names = ["", "rwmix read "].into_iter().take(1 + usize::from(mixed));
        let pair = |of: &str| {
            let seconds = seconds.filter(|s| *s >= 1.0)?;
            let (mib, rate) = (format!("{of}MiB [last]"), format!("{of}MiB/s [last]"));
            let means = self.number(&mib)? / seconds;
            Some(Pair {
                what: format!("{mib} over time"),
                means,
                said: self.number(&rate)?,
                other: rate,
                relation: Relation::Same,
                slack: 1.0 + 1.0 / seconds,
            })
        };
        names.filter_map(pair).collect()
    }

    fn side(&self, name: &str, rate: f64, seconds: Option<f64>) -> Side {
        let us = |of: &str| {
            self.number(&format!("{name} [{of}]"))
                .and_then(|us| text::nanos(us * 1e3))
        };
        Side {
            seconds: None,
            iops: text::rate(rate),
            ios: seconds.map(|s| (s * rate) as u64),
            latency: Latency {
                mean: us("avg").filter(|m| m.0 > 0),
                min: us("min"),
                max: us("max"),
                ..Latency::default()
            },
            completion: None,
        }
    }

    pub(super) fn asked(&self, read_share: f64) -> AskedSettings {
        let whole = |title| self.number(title).map(|n| n as u64).filter(|n| *n > 0);
        let command = self.word("command").filter(|c| is_told(c));
        let hosts = whole("hosts").unwrap_or(1);
        let threads = whole("threads").map(|t| t.saturating_mul(hosts));
        let depth = whole("IO depth");
        let size = whole("file size");
        let block =
            whole("block size").map(|block| Bytes(size.map_or(block, |size| size.min(block))));
        // Objects come past any page cache.
        let is_remote = command.is_some_and(|c| c.contains("--s3") || c.contains("--hdfs"));
        let flag = |title| self.number(title).map(|n| n > 0.0);
        // The size is that of one file.
        let files = whole("files").map_or(1, |files| {
            let folders = whole("dirs").unwrap_or(1).saturating_mul(files);
            folders.saturating_mul(threads.unwrap_or(1))
        });
        let files = files.saturating_mul(whole("paths").unwrap_or(1));
        AskedSettings {
            block: block.map(|b| (b, b)),
            read_share: Some(read_share),
            random: flag("random"),
            depth,
            threads,
            in_flight: threads.map(|t| t.saturating_mul(depth.unwrap_or(1))),
            synchronous: depth.map(|d| d <= 1),
            target_size: size.map(|size| Bytes(size.saturating_mul(files))),
            load: command.and_then(|c| load(c, block, threads, read_share)),
            content: command.and_then(content),
            cache: flag("direct IO").filter(|_| !is_remote).map(|d| {
                if d {
                    Caching::Direct
                } else {
                    Caching::Buffered
                }
            }),
            ..AskedSettings::default()
        }
    }
}

/// All of two directions.
pub(super) fn both(reads: &Side, writes: &Side) -> Side {
    let rate = reads.iops.zip(writes.iops).map(|(r, w)| r.0 + w.0);
    let busy = |s: &Side| Some(s.iops?.0 * s.latency.mean?.0 as f64);
    let mean = rate.filter(|r| *r > 0.0).zip(busy(reads).zip(busy(writes)));
    Side {
        seconds: None,
        iops: rate.and_then(text::rate),
        ios: reads.ios.zip(writes.ios).map(|(r, w)| r.saturating_add(w)),
        latency: Latency {
            mean: mean.and_then(|(rate, (r, w))| text::nanos((r + w) / rate)),
            min: reads.latency.min.min(writes.latency.min),
            max: reads.latency.max.max(writes.latency.max),
            ..Latency::default()
        },
        completion: None,
    }
}

/// True where a command tells its settings: none of its words is filled in by a shell, by a person or by a file of options, and its numbers
/// can be read.
pub(super) fn is_told(command: &str) -> bool {
    const NUMBERS: [(&str, &str); 4] = [
        ("--threads", "-t"),
        ("--iodepth", ""),
        ("--block", "-b"),
        ("--size", "-s"),
    ];
    let is_open = |word: &str| {
        let word = word.trim_matches('"');
        let is_path = word.contains('/');
        let is_filled = word.contains(['$', '`', '<', '%']) || word.contains("{{");
        // Two words without their blank were put together by hand.
        let is_two = word.trim_start_matches('-').contains("--");
        !is_path && (is_filled || is_two || word.starts_with('['))
    };
    let has_numbers = NUMBERS.iter().all(|(long, letter)| {
        short(command, long, letter).is_none_or(|word| text::size(word).is_some())
    });
    has_numbers
        && short(command, "--configfile", "-c").is_none()
        && !command.split_whitespace().any(is_open)
}

/// A flag's value on the command line, which stands at a letter without a blank, too.
fn value<'c>(command: &'c str, flag: &str) -> Option<&'c str> {
    let mut words = command.split_whitespace().map(|w| w.trim_matches('"'));
    while let Some(word) = words.next() {
        if let Some(rest) = word.strip_prefix(flag) {
            return match rest.strip_prefix('=') {
                Some(value) => Some(value),
                None if rest.is_empty() => words.next(),
                None if flag.len() == 2 => Some(rest),
                None => continue,
            };
        }
    }
    None
}

/// A flag's value, by its long name or by its letter.
pub(super) fn short<'c>(command: &'c str, long: &str, letter: &str) -> Option<&'c str> {
    let by_letter = || Some(letter).filter(|l| !l.is_empty());
    value(command, long).or_else(|| value(command, by_letter()?))
}

/// The load: as fast as it goes, or so many bytes each second of each thread, spent at once and then waited for. `None` of a limit that
/// cannot be told.
fn load(
    command: &str,
    block: Option<Bytes>,
    threads: Option<u64>,
    read_share: f64,
) -> Option<Load> {
    let flag = if read_share > 0.0 {
        "--limitread"
    } else {
        "--limitwrite"
    };
    let Some(given) = value(command, flag) else {
        return Some(Load::Max);
    };
    let bytes = text::size(given)?;
    if bytes == 0 {
        return Some(Load::Max);
    }
    let block = block.filter(|b| b.0 > 0)?;
    let rate = bytes as f64 / block.0 as f64 * threads? as f64;
    Some(Load::Limited {
        rate: Rate(rate),
        pace: Pace::SquareWave,
    })
}

/// Each block is refilled unless less was asked for.
fn content(command: &str) -> Option<Content> {
    match value(command, "--blockvarpct").and_then(text::amount) {
        None => Some(Content::Fresh),
        Some(p) if p >= 100.0 => Some(Content::Fresh),
        Some(p) if p > 0.0 => Some(Content::Reused),
        Some(_) => Some(Content::Repeating),
    }
}
